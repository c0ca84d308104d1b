import { serviceError, type Actor, type NodeContext } from "@fanfare/kernel";
import { LRUCache } from "lru-cache";
import { createHash } from "node:crypto";
import {
  BOT_TOKEN_KNOWN_MS,
  MAX_BOTS_ASKED_FOR,
  MAX_KNOWN_BOT_TOKENS,
  OVERLOADED_RETRY_MS,
} from "./bounds.ts";
import type { EndedSessions } from "./ended-sessions.ts";

/** Says who the bearer of an access token is: of people without asking anybody, of bots by asking now and then. */
export type Identify = (accessToken: unknown) => Actor | Promise<Actor>;

const BOT_TOKEN = /^fbot\.[0-9a-f]{24}\.[\w-]{43}$/;

/** @returns a function that throws, or rejects with, UNAUTHENTICATED, TOKEN_EXPIRED or SESSION_REVOKED */
export function createIdentify(
  { tokens, call }: Pick<NodeContext, "tokens" | "call">,
  ended: EndedSessions,
): Identify {
  /** By the hash of their token, so that none is kept. What has ended since is refused at once all the same. */
  const bots = new LRUCache<string, Actor>({ max: MAX_KNOWN_BOT_TOKENS, ttl: BOT_TOKEN_KNOWN_MS });

  let asking = 0;

  const needAlive = (actor: Actor): Actor => {
    if (ended.has(actor.sessionId)) throw serviceError("SESSION_REVOKED");
    return actor;
  };
  const identifyBot = async (token: string): Promise<Actor> => {
    const key = createHash("sha256").update(token).digest("base64url");
    const known = bots.get(key);
    if (known !== undefined && !ended.has(known.sessionId)) return known;
    // Whoever makes tokens up must not keep the database busy.
    if (asking >= MAX_BOTS_ASKED_FOR) throw serviceError("OVERLOADED", { retryAfterMs: OVERLOADED_RETRY_MS });
    asking += 1;
    try {
      const actor: Actor = { kind: "bot", ...(await call("bot.authenticate", { token })) };
      bots.set(key, actor);
      return needAlive(actor);
    } finally {
      asking -= 1;
    }
  };

  return (accessToken) => {
    if (typeof accessToken !== "string") throw serviceError("UNAUTHENTICATED");
    if (BOT_TOKEN.test(accessToken)) return identifyBot(accessToken);
    return needAlive(tokens.verify(accessToken));
  };
}

import { createHash } from "node:crypto";
import { type Actor, type NodeContext, serviceError, entryLimit, WorkQueue } from "@fanfare/kernel";
import { LRUCache } from "lru-cache";
import type { FastifyRequest } from "fastify";
import {
  BOT_TOKEN_TTL_MS,
  MAX_BOT_LOOKUPS,
  MAX_CACHED_BOT_TOKENS,
  OVERLOADED_RETRY_MS,
} from "./constants.ts";
import type { EndedSessions } from "./sessions.ts";
import type { Caller } from "./calls.ts";
import { clientAddress, type TrustedProxies } from "./client-address.ts";

/** Resolves an access token to its actor: synchronously for users, with an occasional lookup for bots. */
export type Identify = (accessToken: unknown) => Actor | Promise<Actor>;

const BOT_TOKEN = /^fbot\.[0-9a-f]{24}\.[\w-]{43}$/;

/** @returns a function that throws, or rejects with, UNAUTHENTICATED, TOKEN_EXPIRED or SESSION_REVOKED */
export function createIdentify(
  { tokens, services }: Pick<NodeContext, "tokens" | "services">,
  ended: EndedSessions,
): Identify {
  /** Keyed by token hash, so that no token is stored. Ended sessions are still rejected immediately. */
  const bots = new LRUCache<string, Actor>({ ...entryLimit(MAX_CACHED_BOT_TOKENS), ttl: BOT_TOKEN_TTL_MS });
  // Made-up tokens must not load the database.
  const lookups = new WorkQueue({ atOnce: MAX_BOT_LOOKUPS, waiting: 0, retryAfterMs: OVERLOADED_RETRY_MS });

  const requireAlive = (actor: Actor): Actor => {
    if (ended.has(actor.sessionId)) throw serviceError("SESSION_REVOKED");
    return actor;
  };
  const identifyBot = async (token: string): Promise<Actor> => {
    const key = createHash("sha256").update(token).digest("base64url");
    const known = bots.get(key);
    if (known !== undefined && !ended.has(known.sessionId)) return known;
    const found = await lookups.run(() => services.bot.authenticate({ token }));
    const actor: Actor = { kind: "bot", ...found };
    bots.set(key, actor);
    return requireAlive(actor);
  };

  return (accessToken) => {
    if (typeof accessToken !== "string") throw serviceError("UNAUTHENTICATED");
    if (BOT_TOKEN.test(accessToken)) return identifyBot(accessToken);
    return requireAlive(tokens.verify(accessToken));
  };
}

/** The token of a request; undefined when it is missing or malformed. */
export function bearerToken({ headers }: FastifyRequest): string | undefined {
  return /^bearer (\S+)$/i.exec(headers.authorization ?? "")?.[1];
}

/**
 * The caller of a request.
 * @param identify null: don't authenticate
 * @throws {ServiceError} when its token is invalid or expired
 */
export async function callerOf(
  request: FastifyRequest,
  identify: Identify | null,
  { trustProxy }: { trustProxy: TrustedProxies },
): Promise<Caller> {
  const { authorization, "user-agent": userAgent = null } = request.headers;
  const isNamed = identify !== null && authorization !== undefined;
  const actor = isNamed ? await identify(bearerToken(request)) : null;
  return { actor, address: clientAddress(request.raw, trustProxy), userAgent, requestId: request.id };
}

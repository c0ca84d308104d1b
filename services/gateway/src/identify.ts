import { serviceError, type Actor, type NodeContext } from "@fanfare/kernel";
import type { EndedSessions } from "./ended-sessions.ts";

/** Says who the bearer of an access token is, without asking anybody. */
export type Identify = (accessToken: unknown) => Actor;

/** @returns a function that throws UNAUTHENTICATED, TOKEN_EXPIRED or SESSION_REVOKED */
export function createIdentify(tokens: NodeContext["tokens"], ended: EndedSessions): Identify {
  return (accessToken) => {
    if (typeof accessToken !== "string") throw serviceError("UNAUTHENTICATED");
    const actor = tokens.verify(accessToken);
    if (ended.has(actor.sessionId)) throw serviceError("SESSION_REVOKED");
    return actor;
  };
}

import { repeat, type NodeContext } from "@fanfare/kernel";
import { ENDED_SESSIONS_CHECK_MS } from "./bounds.ts";
import { CLOCK_SKEW_MS, type EndedSessions } from "./ended-sessions.ts";
import { closeIfEnded } from "./session-sockets.ts";
import type { SocketServer } from "./socket-types.ts";

/**
 * Services tell of sessions that they end. Of those that the command line ends beside a running instance nobody tells: the gateway looks.
 * @returns a function that ends it
 */
export function watchEndedSessions(
  { call, logger }: Pick<NodeContext, "call" | "logger">,
  io: SocketServer,
  ended: EndedSessions,
): () => Promise<void> {
  let lookedAtMs = Date.now();
  const look = async (): Promise<void> => {
    const nowMs = Date.now();
    const withinMs = nowMs - lookedAtMs + CLOCK_SKEW_MS;
    const { sessionIds } = await call("user.listRevokedSessions", { withinMs });
    lookedAtMs = nowMs;
    const unheardOf = sessionIds.filter((sessionId) => !ended.has(sessionId));
    if (unheardOf.length === 0) return;
    ended.add(unheardOf, nowMs);
    for (const socket of io.of("/").sockets.values()) closeIfEnded(socket, ended);
  };
  return repeat(look, { everyMs: ENDED_SESSIONS_CHECK_MS, what: "looking for ended sessions", logger });
}

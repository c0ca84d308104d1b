import { setTimeout as delay } from "node:timers/promises";
import { CHANNEL_ROOMS, groupRoom, ROLE_ROOMS } from "@fanfare/contract";
import { emitDirectly, joinFresh } from "@fanfare/fanout";
import { boundedMap, type NodeContext } from "@fanfare/kernel";
import { CATCH_UP_CONCURRENCY, CATCH_UP_RETRY_MS } from "./constants.ts";
import { closeIfEnded, type EndedSessions, type SecondFactor } from "./sessions.ts";
import type { GatewaySocket, SocketServer } from "./connection-registry.ts";

/** Sockets in one of these rooms without permission would receive events that they must not see. */
const CLOSED_ROOMS = [groupRoom(""), CHANNEL_ROOMS, ROLE_ROOMS];

export interface CatchUpOptions {
  node: Pick<NodeContext, "services" | "logger" | "policy">;
  io: SocketServer;
  ended: EndedSessions;
  secondFactor: SecondFactor;
}

/**
 * Called when events may have been lost: reloads the ended sessions, updates the rooms of every socket, and sends `resync`.
 * Retries failures until `signal` aborts.
 */
export async function catchUp(
  { node, io, ended, secondFactor }: CatchUpOptions,
  signal: AbortSignal,
): Promise<void> {
  const { sessionIds } = await untilDone(() => node.services.user.listRevokedSessions({}), node, signal);
  ended.add(sessionIds, Date.now());
  const sockets = [...io.of("/").sockets.values()].filter((socket) => !closeIfEnded(socket, ended));
  await untilDone(() => node.policy.reload(), node, signal);
  secondFactor.evict();
  await secondFactor.close(sockets);
  const users = [...byUser(sockets.filter((socket) => socket.connected))];
  await boundedMap(users, CATCH_UP_CONCURRENCY, ([userId, ofUser]) =>
    untilDone(() => refresh(userId, ofUser, node), node, signal),
  );
}

async function refresh(
  userId: string,
  sockets: GatewaySocket[],
  { services }: CatchUpOptions["node"],
): Promise<void> {
  const before = sockets.map((socket) => new Set(socket.rooms));
  let listing: Promise<string[]> | undefined;
  // Not before `joinFresh` asks: it must know which rooms a socket leaves meanwhile.
  const list = () =>
    (listing ??= services.group.listRooms({ userIds: [userId] }).then(({ rooms }) => rooms[0]!));
  await Promise.all(sockets.map((socket) => joinFresh(socket, list)));
  const rooms = await list();
  for (const [index, socket] of sockets.entries()) {
    if (!socket.connected) continue;
    // The removal of the user from a group was missed. After reconnecting, the socket only joins permitted rooms.
    const isInTooMany = [...before[index]!].some(
      (room) => CLOSED_ROOMS.some((prefix) => room.startsWith(prefix)) && !rooms.includes(room),
    );
    if (isInTooMany) socket.conn.close();
    else emitDirectly(socket, "resync", {});
  }
}

function byUser(sockets: readonly GatewaySocket[]): Map<string, GatewaySocket[]> {
  return Map.groupBy(
    sockets.filter((socket) => socket.data.actor !== null),
    (socket) => socket.data.actor!.userId,
  );
}

async function untilDone<T>(
  work: () => Promise<T>,
  { logger }: CatchUpOptions["node"],
  signal: AbortSignal,
): Promise<T> {
  for (;;) {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      logger.warn({ err: error }, "catch-up failed, retrying");
      await delay(CATCH_UP_RETRY_MS, undefined, { signal });
    }
  }
}

import { PROTOCOL_VERSION, type EventPayload } from "@fanfare/contract";
import { emitDirectly, joinFresh } from "@fanfare/fanout";
import type { Actor, NodeContext } from "@fanfare/kernel";
import type { Calls } from "./calls.ts";
import type { GatewayMetrics } from "./metrics.ts";
import { nextRequestId } from "./request-id.ts";
import type { GatewaySocket } from "./socket-types.ts";
import { release } from "./visitors.ts";

export interface EnterRoomsOptions {
  node: NodeContext;
  calls: Pick<Calls, "admission">;
  metrics: GatewayMetrics;
}

/**
 * Joins a socket into the rooms of its user, then tells it that it is ready. Where the rooms cannot be found out the
 * connection closes, so that the client comes again: a socket that misses events must not look as if it did not.
 */
export function enterRooms(socket: GatewaySocket, actor: Actor, options: EnterRoomsOptions): Promise<void> {
  const request = {
    requestId: nextRequestId(),
    action: "connect",
    transport: "socket",
    beganAtMs: performance.now(),
  } as const;
  return options.node.inRequest(request, () => enter(socket, actor, options));
}

async function enter(
  socket: GatewaySocket,
  { userId, sessionId }: Actor,
  { node, calls, metrics }: EnterRoomsOptions,
): Promise<void> {
  const end = calls.admission.beginConnection();
  try {
    await joinFresh(socket, async () => (await node.call("group.listRooms", { userId })).rooms);
    if (!socket.connected) return;
    const serverTime = new Date().toISOString();
    const ready: EventPayload<"ready"> = { userId, sessionId, protocolVersion: PROTOCOL_VERSION, serverTime };
    emitDirectly(socket, "ready", ready);
    release(socket.data);
  } catch (error) {
    metrics.refused("NO_ROOMS");
    node.logger.error({ err: error, userId }, "a user's rooms could not be listed");
    // First: a connection closes only when what Engine.IO has for it is out.
    release(socket.data);
    socket.conn.close();
  } finally {
    end();
  }
}

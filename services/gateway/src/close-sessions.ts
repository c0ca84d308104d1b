import { userRoom } from "@fanfare/contract";
import type { DomainEvents } from "@fanfare/kernel";
import type { EndedSessions } from "./ended-sessions.ts";
import type { GatewaySocket, SocketServer } from "./socket-types.ts";

/** Tells the sockets of ended sessions so, and closes them at once; the user's other sessions stay. */
export function closeSessions(io: SocketServer, { userId, sessionIds }: DomainEvents["session.ended"]): void {
  const { adapter, sockets } = io.of("/");
  for (const socketId of adapter.rooms.get(userRoom(userId)) ?? []) {
    const socket = sockets.get(socketId);
    const sessionId = socket?.data.actor?.sessionId;
    if (socket === undefined || sessionId === undefined || !sessionIds.includes(sessionId)) continue;
    closeEnded(socket, sessionId);
  }
}

/** @returns whether the socket was closed, because its session has ended */
export function closeIfEnded(socket: GatewaySocket, ended: EndedSessions): boolean {
  const sessionId = socket.data.actor?.sessionId;
  if (sessionId === undefined || !ended.has(sessionId)) return false;
  closeEnded(socket, sessionId);
  return true;
}

function closeEnded(socket: GatewaySocket, sessionId: string): void {
  socket.emit("session.revoked", { sessionIds: [sessionId] });
  socket.disconnect(true);
}

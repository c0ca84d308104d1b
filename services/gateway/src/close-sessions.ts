import { userRoom } from "@fanfare/contract";
import type { DomainEvents } from "@fanfare/kernel";
import type { SocketServer } from "./socket-types.ts";

/** Tells the sockets of ended sessions so, and closes them at once; the user's other sessions stay. */
export function closeSessions(io: SocketServer, { userId, sessionIds }: DomainEvents["session.ended"]): void {
  const { adapter, sockets } = io.of("/");
  for (const socketId of adapter.rooms.get(userRoom(userId)) ?? []) {
    const socket = sockets.get(socketId);
    const sessionId = socket?.data.actor?.sessionId;
    if (socket === undefined || sessionId === undefined || !sessionIds.includes(sessionId)) continue;
    socket.emit("session.revoked", { sessionIds: [sessionId] });
    socket.disconnect(true);
  }
}

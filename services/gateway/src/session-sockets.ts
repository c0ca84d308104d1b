import { userRoom } from "@fanfare/contract";
import type { DomainEvents } from "@fanfare/kernel";
import type { EndedSessions } from "./ended-sessions.ts";
import type { GatewaySocket, SocketServer } from "./socket-types.ts";

/** Tells the sockets of ended sessions so, and closes them at once; the user's other sessions stay. */
export function closeSessions(io: SocketServer, { userId, sessionIds }: DomainEvents["session.ended"]): void {
  for (const socket of socketsOf(io, userId)) {
    const sessionId = socket.data.actor?.sessionId;
    if (sessionId !== undefined && sessionIds.includes(sessionId)) closeEnded(socket, sessionId);
  }
}

/**
 * The sockets of a session go on as who its user is now.
 * @returns these sockets
 */
export function changeSession(io: SocketServer, actor: DomainEvents["session.changed"]): GatewaySocket[] {
  const sockets = socketsOf(io, actor.userId).filter(({ data }) => data.actor?.sessionId === actor.sessionId);
  for (const { data } of sockets) data.actor = actor;
  return sockets;
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

function socketsOf(io: SocketServer, userId: string): GatewaySocket[] {
  const { adapter, sockets } = io.of("/");
  const socketIds = [...(adapter.rooms.get(userRoom(userId)) ?? [])];
  return socketIds.map((id) => sockets.get(id)).filter((socket) => socket !== undefined);
}

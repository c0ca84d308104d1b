import type { SocketIoDialect } from "../dialect.ts";

/** Tailchat's answer to every call over a socket. */
export interface TailchatAnswer<T = unknown> {
  result: boolean;
  data?: T;
  message?: string;
}

export const JOIN_ROOMS = "chat.converse.findAndJoinRoom";

/**
 * Tailchat's socket: packets in MessagePack, a call is an event with the name of the action, and a connection
 * gets messages only after it has requested its rooms. Source: msgbyte/tailchat,
 * server/mixins/socketio.mixin.ts and server/services/core/chat/{converse,message}.service.ts (version 1.11).
 */
export const TAILCHAT_DIALECT: SocketIoDialect = {
  transport: "socket.io",
  parser: "msgpack",
  path: "/socket.io/",
  hello: { event: JOIN_ROOMS, payload: {} },
  waitsForReady: true,
  read(event, payload) {
    if (event === JOIN_ROOMS) {
      const { result, message } = payload as TailchatAnswer;
      return result ? { kind: "ready" } : { kind: "refused", code: message ?? "REFUSED" };
    }
    if (event !== "notify:chat.message.add") return { kind: "other" };
    // The messages have no revisions: missed ones can't be fetched.
    return { kind: "messages", contents: [(payload as { content?: unknown } | null)?.content], revs: [0] };
  },
};

import { randomBytes } from "node:crypto";
import { presenceRoom, userOfRoom } from "@fanfare/contract";
import { emitDirectly } from "@fanfare/fanout";
import type { NodeContext } from "@fanfare/kernel";
import { PresenceReporter } from "./presence-reporter.ts";
import type { SocketServer } from "./socket-types.ts";

const WATCHED = presenceRoom("");

/**
 * Reports who is connected: a user's room is made with the first socket and goes with the last.
 * @returns a function that ends it
 */
export function reportPresence(io: SocketServer, node: Pick<NodeContext, "call" | "logger">): () => void {
  const { adapter } = io.of("/");
  const reporter = new PresenceReporter({
    send: (report) => node.call("presence.report", report),
    newGatewayId: () => randomBytes(12).toString("hex"),
    *listUserIds() {
      for (const room of adapter.rooms.keys()) {
        const userId = userOfRoom(room);
        if (userId !== null) yield userId;
      }
    },
    // Who went away meanwhile is known to nobody: only those who ask again learn of it.
    onReportedAnew() {
      for (const socket of io.of("/").sockets.values()) {
        const watches = socket.rooms.values().some((room) => room.startsWith(WATCHED));
        if (watches) emitDirectly(socket, "resync", {});
      }
    },
    onError: (error) =>
      node.logger.warn({ err: error }, "nobody takes this gateway's report of who is connected"),
  });
  const onCreate = (room: string): void => {
    const userId = userOfRoom(room);
    if (userId !== null) reporter.connected(userId);
  };
  const onDelete = (room: string): void => {
    const userId = userOfRoom(room);
    if (userId !== null) reporter.disconnected(userId);
  };
  adapter.on("create-room", onCreate);
  adapter.on("delete-room", onDelete);
  return () => {
    adapter.off("create-room", onCreate);
    adapter.off("delete-room", onDelete);
    reporter.stop();
  };
}

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createFanoutAdapter } from "@fanfare/fanout";
import { Server } from "socket.io";
import { io as connect } from "socket.io-client";
import { expect, onTestFinished, test } from "vitest";
import { catchUp, type CatchUpOptions } from "./catch-up.ts";
import type { GatewaySocket } from "./connection-registry.ts";
import { EndedSessions } from "./sessions.ts";

test("who is removed from a group during a catch-up stays out of its room", async () => {
  let subscribed: Promise<void> = Promise.resolve();
  const bus = {
    maxMessageBytes: Infinity,
    publish() {},
    subscribe: () => () => {},
    flush: () => subscribed,
    onInterrupted: () => () => {},
  };
  const http = createServer();
  const adapter = createFanoutAdapter({ bus });
  const io = new Server(http, { transports: ["websocket"], adapter });
  await once(http.listen(0, "127.0.0.1"), "listening");
  const opened = new Promise<GatewaySocket>((resolve) => io.once("connection", resolve));
  const { port } = http.address() as AddressInfo;
  const client = connect(`http://127.0.0.1:${port}`, { transports: ["websocket"], reconnection: false });
  onTestFinished(async () => {
    client.close();
    await io.close();
  });
  const socket = await opened;
  Object.assign(socket.data, { actor: { userId: "u", sessionId: "s" } });
  await socket.join(["user:u", "group:g"]);

  // A new room of this gateway, whose subscription takes long.
  const { promise, resolve: subscribe } = Promise.withResolvers<void>();
  subscribed = promise;
  const joining = socket.join("group:other");
  let rooms = ["group:g", "group:other"];
  const services = {
    user: { listRevokedSessions: async () => ({ sessionIds: [] }) },
    group: { listRooms: async () => ({ rooms: [rooms] }) },
  };
  const node = { logger: { warn() {} }, policy: { reload: async () => {} }, services };
  const secondFactor = { evict() {}, async close() {} };
  const options = { node, io, ended: new EndedSessions(), secondFactor } as unknown as CatchUpOptions;
  const done = catchUp(options, new AbortController().signal);
  await new Promise((resolve) => setTimeout(resolve, 50));
  rooms = ["group:other"];
  io.in("user:u").socketsLeave("group:g");
  subscribe();
  await Promise.all([joining, done]);
  expect(socket.rooms.has("group:g")).toBe(false);
});

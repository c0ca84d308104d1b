import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { closed, rawClients } from "./raw-client.ts";
import { startFanout, type TestServer, until } from "./support.ts";

const NOTHING = { connections: 0, queued: 0, lists: 0, joining: 0 };

let server: TestServer;
afterEach(() => server.close());

test("no state remains of 500 sockets that disconnected during publications", async () => {
  server = await startFanout({ socketsPerSlice: 100 });
  server.io.on("connection", (socket) => void socket.join(["all", `user:${socket.id}`]));
  const clients = await rawClients(server.port, 500);
  expect(server.fanout.held.connections).toBe(500);
  for (const [i, client] of clients.entries()) {
    if (i % 100 === 0) server.io.to("all").emit("e", i);
    if (i % 2 === 0) client.ws.terminate();
    else client.ws.close();
    if (i % 50 === 0) await turn();
  }
  await Promise.all(clients.map(closed));
  await until(() => server.fanout.held.connections === 0 && server.fanout.held.queued === 0);
  server.io.to("all").emit("e", "none");
  server.io.emit("e", "none");
  await turn();
  await turn();
  expect(server.fanout.held).toEqual(NOTHING);
  expect(server.fanout.rooms.size).toBe(0);
  expect(server.fanout.sids.size).toBe(0);
});

test("a disconnected socket can be garbage-collected", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  server = await startFanout({ socketsPerSlice: 1 });
  const [client] = await rawClients(server.port, 1);
  const socket = new WeakRef(server.socket(client!.id));
  server.io.emit("e", 1);
  await until(() => client!.received.length === 1);
  client!.ws.terminate();
  await until(() => {
    collect();
    return socket.deref() === undefined;
  });
  expect(server.fanout.held).toEqual(NOTHING);
});

test("a connection that leaves the namespace but stays open has no listeners left", async () => {
  server = await startFanout();
  const client = await server.client();
  const socket = server.socket(client.id);
  expect(socket.conn.listenerCount("packetCreate")).toBe(1);
  socket.disconnect();
  expect(socket.conn.listenerCount("packetCreate")).toBe(0);
  expect(server.fanout.held).toEqual(NOTHING);
});

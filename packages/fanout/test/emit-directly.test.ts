import { afterEach, expect, test } from "vitest";
import { emitDirectly } from "../src/index.ts";
import { startFanout, startServer, type TestServer, until } from "./support.ts";

let server: TestServer;
afterEach(() => server.close());

test("arrives in order with broadcasts and with packets sent by Engine.IO", async () => {
  server = await startFanout();
  const client = await server.client();
  const socket = server.socket(client.id);
  const sent: string[] = [];
  for (let n = 0; n < 50; n++) {
    const name = `e${n}`;
    sent.push(name);
    if (n % 3 === 0) server.io.emit(name, n);
    else if (n % 7 === 0) socket.emit(name, n);
    else emitDirectly(socket, name, n);
    if (n % 10 === 0) await new Promise(setImmediate);
  }
  await until(() => client.received.length === sent.length);
  expect(client.received.map(([name]) => name)).toEqual(sent);
});

test("is sent while the previous packet is still being written", async () => {
  server = await startFanout();
  const client = await server.client();
  const socket = server.socket(client.id);
  const net = socket.conn.request.socket;
  net.cork();
  socket.emit("first", 1);
  const before = net.writableLength;
  emitDirectly(socket, "second", { text: "é" });
  expect(net.writableLength).toBeGreaterThan(before);
  net.uncork();
  await until(() => client.received.length === 2);
  expect(client.received).toEqual([
    ["first", 1],
    ["second", { text: "é" }],
  ]);
});

test("binary payloads are sent by Socket.IO itself", async () => {
  server = await startFanout();
  const client = await server.client();
  emitDirectly(server.socket(client.id), "bytes", Buffer.from([1, 2]));
  await until(() => client.received.length === 1);
  expect(client.received[0]?.[0]).toBe("bytes");
});

test("throws if the server uses another adapter", async () => {
  server = await startServer({});
  const client = await server.client();
  const socket = server.socket(client.id);
  expect(() => emitDirectly(socket, "e", 1)).toThrow("createFanoutAdapter");
});

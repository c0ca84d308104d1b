import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { Emitter, connectNatsBus } from "../src/index.ts";
import { type Gateway, settled, startGateway } from "./cluster.ts";
import { type NatsServer, startNats } from "./nats.ts";
import { closed, rawClients } from "./raw-client.ts";
import { until } from "./support.ts";

let nats: NatsServer;
let gateway: Gateway;
beforeAll(async () => {
  nats = await startNats();
});
afterAll(() => nats.stop());
afterEach(() => gateway.close());

test("subscribes with the first member and unsubscribes some time after the last one left", async () => {
  const counts: number[] = [];
  gateway = await startGateway(nats, { lingerMs: 300, onSubscriptions: (count) => counts.push(count) });
  const [a, b] = [await gateway.client(), await gateway.client()];
  // One more for all sockets of the namespace.
  expect(gateway.adapter.subscriptions).toBe(1);
  await gateway.socket(a.id).join("x");
  await gateway.socket(b.id).join("x");
  expect(gateway.adapter.subscriptions).toBe(2);
  await gateway.socket(a.id).leave("x");
  await delay(400);
  expect(gateway.adapter.subscriptions).toBe(2);
  b.socket.disconnect();
  await until(() => !gateway.adapter.rooms.has("x"));
  expect(gateway.adapter.subscriptions).toBe(2);
  await until(() => gateway.adapter.subscriptions === 1);
  expect(counts).toEqual([1, 2, 1]);
  const bus = await connectNatsBus({ servers: nats.url });
  new Emitter({ bus }).emit("x", "none", 0);
  await settled({ bus }, gateway);
  expect(gateway.received).toEqual({ members: 0, lingering: 0, elsewhere: 0, repeated: 0, stray: 0 });
  await bus.close();
  a.socket.disconnect();
  await until(() => gateway.adapter.subscriptions === 0);
});

test("rejoining in time keeps the subscription", async () => {
  const counts: number[] = [];
  gateway = await startGateway(nats, { lingerMs: 60_000, onSubscriptions: (count) => counts.push(count) });
  const bus = await connectNatsBus({ servers: nats.url });
  const emitter = new Emitter({ bus });
  const client = await gateway.client();
  const socket = gateway.socket(client.id);
  const waits: unknown[] = [];
  for (let n = 0; n < 20; n++) {
    const joined = socket.join("x");
    waits.push(joined);
    await joined;
    emitter.emit("x", "e", n);
    await until(() => client.received.length === n + 1);
    await socket.leave("x");
    emitter.emit("x", "none", n);
    await settled({ bus }, gateway);
  }
  await settled({ bus }, gateway);
  expect(waits.slice(1)).toEqual(Array(19).fill(undefined));
  expect(counts).toEqual([1, 2]);
  expect(gateway.received).toEqual({ members: 20, lingering: 20, elsewhere: 0, repeated: 0, stray: 0 });
  await bus.close();
});

test("500 users in separate rooms leave no subscriptions behind", async () => {
  gateway = await startGateway(nats, { lingerMs: 100 });
  const joins: Promise<void>[] = [];
  gateway.io.on("connection", (socket) => joins.push(Promise.resolve(socket.join(`user:${socket.id}`))));
  const clients = await rawClients(gateway.port, 500);
  await Promise.all(joins);
  expect(gateway.adapter.subscriptions).toBe(501);
  for (const { ws } of clients) ws.terminate();
  await Promise.all(clients.map(closed));
  await until(() => gateway.adapter.subscriptions === 0);
  expect(gateway.adapter.held).toEqual({ connections: 0, queued: 0, lists: 0, joining: 0 });
});

test("room names can contain any characters", async () => {
  gateway = await startGateway(nats);
  const bus = await connectNatsBus({ servers: nats.url });
  const emitter = new Emitter({ bus });
  const names = [
    "a.b",
    "a b",
    "*",
    ">",
    "a.*",
    "é€😀",
    "\n",
    "=",
    "=YQ",
    "+",
    " ",
    "x".repeat(3000),
    "y".repeat(3000),
  ];
  const client = await gateway.client();
  for (const name of names) await gateway.socket(client.id).join(name);
  for (const name of names) emitter.emit(name, "e", name);
  emitter.emit("a", "none", null);
  await until(() => client.received.length === names.length);
  expect(client.received.map(([, name]) => name)).toEqual(names);
  await bus.close();
});

test("an event to many rooms is sent once to all servers", async () => {
  gateway = await startGateway(nats);
  const bus = await connectNatsBus({ servers: nats.url });
  const client = await gateway.client();
  await gateway.socket(client.id).join(["room 5", "room 900"]);
  const copies: number[] = [];
  const emitter = new Emitter({ bus, onPublished: (count) => copies.push(count) });
  emitter.emit(
    Array.from({ length: 1000 }, (_, n) => `room ${n}`),
    "e",
    1,
  );
  emitter.emit(["room 5", "room 6"], "e", 2);
  await until(() => client.received.length === 2);
  expect(copies).toEqual([1, 2]);
  await bus.close();
});

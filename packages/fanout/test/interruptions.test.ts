import type { Socket as NetSocket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { TcpProxy } from "@fanfare/testing";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import {
  Emitter,
  connectNatsBus,
  type NatsBus,
  type ConnectNatsBusOptions,
  type ResyncReason,
} from "../src/index.ts";
import { type Cluster, type Gateway, type GatewayOptions, settled, startCluster } from "./cluster.ts";
import { type NatsServer, startNats } from "./nats.ts";
import { type TestClient, until } from "./support.ts";

const CONFIG = "max_payload: 100000\nmax_pending: 1000000";

let nats: NatsServer;
let cluster: Cluster | undefined;
let bus: NatsBus | undefined;

beforeEach(async () => {
  nats = await startNats(CONFIG);
});
afterEach(async () => {
  await bus?.close();
  await cluster?.close();
  cluster = bus = undefined;
  await nats.stop();
});

async function start(options: GatewayOptions = {}, busOptions: Partial<ConnectNatsBusOptions> = {}) {
  cluster = await startCluster(nats, 2, options);
  const [first, second] = cluster.gateways as [Gateway, Gateway];
  const clients = [await first.client(), await second.client()];
  await first.socket(clients[0]!.id).join("x");
  await second.socket(clients[1]!.id).join("x");
  bus = await connectNatsBus({ servers: nats.url, ...busOptions });
  return { first, second, clients, bus, emitter: new Emitter({ bus }) };
}

const count = (client: TestClient, event: string): number =>
  client.received.filter(([name]) => name === event).length;

/** Waits until this process has detected that nats-server is down. */
async function lost(...buses: readonly NatsBus[]): Promise<void> {
  for (const { connection } of buses) await until(() => connection.info === undefined);
}

describe("after a restart of nats-server", () => {
  test("all sockets resync, and everything works as before", async () => {
    const { first, second, clients, bus, emitter } = await start();
    await nats.kill();
    await lost(bus, first.bus, second.bus);
    for (const { received } of clients) expect(received).toEqual([]);
    await nats.restart();
    await until(() => clients.every((client) => count(client, "resync") > 0));
    await settled(first, second);
    for (const { received } of clients) received.length = 0;
    emitter.emit("x", "e", 1);
    first.io.to("x").emit("e", 2);
    await until(() => clients.every((client) => count(client, "e") === 2));
  });

  test("during the outage, a server's own sockets receive its events, and sockets can connect and join", async () => {
    const { first, clients } = await start();
    await nats.kill();
    await lost(first.bus);
    first.io.to("x").emit("e", 1);
    const late = await first.client();
    await first.socket(late.id).join(["x", "late"]);
    first.io.to("late").emit("e", 2);
    await until(() => count(clients[0]!, "e") === 1 && count(late, "e") === 1);
    await nats.restart();
    await until(() => count(late, "resync") === 1);
    const emitter = new Emitter({ bus: bus! });
    await until(() => bus!.connection.info !== undefined);
    emitter.emit("late", "e", 3);
    await until(() => count(late, "e") === 2);
    expect(late.received.filter(([name]) => name === "e").map(([, n]) => n)).toEqual([2, 3]);
  });

  test("events published during the outage arrive in order", async () => {
    const proxy = await TcpProxy.start(nats.port);
    onTestFinished(() => proxy.stop());
    const servers = `nats://127.0.0.1:${proxy.port}`;
    const { bus, clients, emitter, first, second } = await start({}, { servers });
    await proxy.cut();
    await nats.kill();
    await lost(bus, first.bus, second.bus);
    for (let n = 0; n < 100; n++) emitter.emit("x", "e", n);
    await nats.restart();
    // The gateways reconnect first.
    await until(() => clients.every((client) => count(client, "resync") > 0));
    await settled(first, second);
    await proxy.restore();
    await until(() => clients.every((client) => count(client, "e") === 100));
    for (const { received } of clients) {
      const numbers = received.filter(([name]) => name === "e").map(([, n]) => n);
      expect(numbers).toEqual([...Array(100).keys()]);
    }
  });

  test("calls onResync instead of sending the event", async () => {
    const reasons: [number, ResyncReason][] = [];
    const { first, clients } = await start({
      onResync: (sockets, reason) => reasons.push([sockets?.length ?? -1, reason]),
    });
    await nats.kill();
    await lost(first.bus);
    await nats.restart();
    await until(() => reasons.length >= 2);
    expect(reasons[0]).toEqual([-1, "interrupted"]);
    for (const { received } of clients) expect(received).toEqual([]);
    reasons.length = 0;
    await settled(...cluster!.gateways);
    await until(() => bus!.connection.info !== undefined);
    new Emitter({ bus: bus! }).socketsJoin("x", ["y"]);
    await until(() => reasons.filter(([, reason]) => reason === "joined").length === 2);
    expect(reasons.filter(([, reason]) => reason === "joined")).toEqual([
      [1, "joined"],
      [1, "joined"],
    ]);
  });
});

describe("a publisher that nats-server does not read from", () => {
  test("buffers a bounded amount, drops the rest with a callback, and resyncs all sockets afterwards", async () => {
    const dropped: number[] = [];
    const { bus, clients, emitter, first, second } = await start(
      {},
      { maxBufferedBytes: 50_000, onDropped: (_subject, bytes) => dropped.push(bytes) },
    );
    process.kill(nats.pid, "SIGSTOP");
    const payload = "p".repeat(1000);
    for (let n = 0; n < 100; n++) emitter.emit("x", "e", [n, payload]);
    expect(dropped.length).toBeGreaterThan(45);
    expect(dropped.length).toBeLessThan(60);
    await lost(bus, first.bus, second.bus);
    process.kill(nats.pid, "SIGCONT");
    await until(() => clients.every((client) => count(client, "resync") > 0));
    await settled({ bus }, first, second);
    for (const { received } of clients) received.length = 0;
    emitter.emit("x", "e", "after");
    await until(() => clients.every((client) => count(client, "e") === 1));
  });

  test("drops during a stable connection cause a resync as well", async () => {
    const dropped: number[] = [];
    const { clients, emitter } = await start(
      {},
      { maxBufferedBytes: 50_000, onDropped: (_subject, bytes) => dropped.push(bytes) },
    );
    const payload = "p".repeat(1000);
    for (let n = 0; n < 100; n++) emitter.emit("x", "e", [n, payload]);
    expect(dropped.length).toBeGreaterThan(0);
    await until(() => clients.every((client) => count(client, "resync") === 1));
    expect(clients.map((client) => count(client, "e"))).toEqual(Array(2).fill(100 - dropped.length));
  });

  test("a publisher that lost its connection resyncs the sockets of all gateways", async () => {
    const { bus, clients, emitter } = await start();
    emitter.emit("x", "e", 1);
    // Messages published just before can be lost with the connection.
    const back = new Promise((resolve) => bus.onInterrupted(resolve));
    await bus.connection.reconnect();
    expect(await back).toEqual({ publishedLost: true });
    await until(() => clients.every((client) => count(client, "resync") === 1));
  });

  test("no resync if nothing was in flight", async () => {
    const { bus, clients, emitter } = await start();
    emitter.emit("x", "e", 1);
    await delay(600);
    const back = new Promise((resolve) => bus.onInterrupted(resolve));
    await bus.connection.reconnect();
    expect(await back).toEqual({ publishedLost: false });
    emitter.emit("x", "e", 2);
    await until(() => clients.every((client) => count(client, "e") === 2));
    await delay(400);
    for (const client of clients) expect(count(client, "resync")).toBe(0);
  });
});

test("rejects an event that exceeds nats-server's limit, without losing the connection", async () => {
  const { clients, emitter, first } = await start();
  const large = "x".repeat(100_000);
  expect(() => emitter.emit("x", "e", large)).toThrow("max_payload");
  expect(() => first.io.to("x").emit("e", large)).toThrow("max_payload");
  emitter.emit("x", "e", 1);
  await until(() => clients.every((client) => count(client, "e") === 1));
});

test("a gateway that nats-server disconnects as a slow consumer resyncs its sockets", async () => {
  await nats.stop();
  nats = await startNats(`${CONFIG}\nwrite_deadline: '2s'`);
  // Otherwise, the gateway that reads nothing misses the answers to its pings, and closes the connection itself.
  const { first, clients, emitter } = await start({ connection: { pingInterval: 60_000 } });
  const connection = Reflect.get(first.bus.connection, "protocol") as { transport: { socket: NetSocket } };
  const { socket } = connection.transport;
  socket.pause();
  const payload = "p".repeat(90_000);
  const gone = new Promise((resolve) => first.bus.onInterrupted(resolve));
  for (let n = 0; n < 300; n++) {
    emitter.emit("x", "e", payload);
    // High enough that only the gateway that reads nothing is too slow, even on a busy machine.
    if (n % 5 === 4) await until(() => count(clients[1]!, "e") === n + 1);
  }
  await vi.waitFor(async () => expect(await nats.log()).toMatch("Slow Consumer Detected"));
  socket.resume();
  await gone;
  await until(() => count(clients[0]!, "resync") === 1);
  emitter.emit("x", "after", null);
  await until(() => clients.every((client) => count(client, "after") === 1));
  expect(count(clients[1]!, "e")).toBe(300);
  expect(count(clients[1]!, "resync")).toBe(0);
});

test("after close() a bus drops publications and reports it", async () => {
  const dropped: string[] = [];
  const { bus, emitter } = await start({}, { onDropped: (subject) => dropped.push(subject) });
  await bus.close();
  emitter.emit("x", "e", 1);
  expect(dropped).toEqual(["fanfare.room.x"]);
  await bus.flush();
});

test("messages of another version are skipped and reported", async () => {
  const errors: string[] = [];
  const { bus, clients, emitter } = await start({ onBusError: ({ message }) => errors.push(message) });
  bus.connection.publish("fanfare.room.x", Buffer.from("something else"));
  bus.connection.publish("fanfare.room.x");
  emitter.emit("x", "e", 1);
  await until(() => clients.every((client) => count(client, "e") === 1));
  expect(errors).toHaveLength(4);
  expect(errors[0]).toContain("version");
});

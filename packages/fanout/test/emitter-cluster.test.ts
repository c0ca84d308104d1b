import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type BroadcastStats, Emitter, connectNatsBus, joinFresh, type NatsBus } from "../src/index.ts";
import { type Cluster, type Gateway, settled, startCluster, startGateway } from "./cluster.ts";
import { type NatsServer, startNats } from "./nats.ts";
import { type TestClient, until } from "./support.ts";

let nats: NatsServer;
let cluster: Cluster;
let first: Gateway;
let second: Gateway;
let bus: NatsBus;
let emitter: Emitter;

beforeAll(async () => {
  nats = await startNats();
});
afterAll(() => nats.stop());

beforeEach(async () => {
  cluster = await startCluster(nats, 2, { lingerMs: 100 });
  [first, second] = cluster.gateways as [Gateway, Gateway];
  bus = await connectNatsBus({ servers: nats.url });
  emitter = new Emitter({ bus });
});
afterEach(async () => {
  emitter.close();
  await bus.close();
  await cluster.close();
});

async function member(gateway: Gateway, ...rooms: string[]): Promise<TestClient> {
  const client = await gateway.client();
  await gateway.socket(client.id).join(rooms);
  return client;
}

test("an event reaches its room's members on all gateways, and no gateway without members", async () => {
  const a = await member(first, "group:1");
  const b = await member(second, "group:1");
  const c = await member(second, "group:2");
  emitter.emit("group:1", "e", { text: "é€😀", at: new Date(0) });
  emitter.emit("group:2", "e", 2);
  emitter.emit([], "none", 3);
  await until(() => a.received.length + b.received.length + c.received.length === 3);
  expect(a.received).toEqual([["e", { text: "é€😀", at: "1970-01-01T00:00:00.000Z" }]]);
  expect(b.received).toEqual(a.received);
  expect(c.received).toEqual([["e", 2]]);
  await settled({ bus }, first, second);
  expect(first.received).toEqual({ members: 1, lingering: 0, elsewhere: 0, repeated: 0, stray: 0 });
  expect(second.received).toEqual({ members: 2, lingering: 0, elsewhere: 0, repeated: 0, stray: 0 });
});

test("sockets in an excepted room neither get the event nor are moved, on any gateway", async () => {
  const a = await member(first, "group");
  const b = await member(second, "group");
  const c = await member(second, "group", "staff");
  emitter.emit("group", "e", 1, ["staff"]);
  emitter.socketsJoin(["group", "elsewhere"], ["room"], ["staff"]);
  emitter.emit("room", "e", 2);
  emitter.socketsJoin("group", ["room"]);
  emitter.socketsLeave("group", ["room"], ["staff"]);
  emitter.emit("room", "e", 3);
  emitter.emit("group", "end", null);
  await until(() => [a, b, c].every(({ received }) => received.some(([name]) => name === "end")));
  const events = ({ received }: TestClient) => received.flatMap(([name, n]) => (name === "e" ? [n] : []));
  expect([a, b, c].map(events)).toEqual([[1, 2], [1, 2], [3]]);
});

test("a socket in several of the rooms gets an event once", async () => {
  const a = await member(first, "x", "y");
  const b = await member(second, "y");
  emitter.emit(["x", "y", "z"], "e", 1);
  emitter.emit("x", "end", null);
  emitter.emit("y", "end", null);
  await until(() => a.received.at(-1)?.[0] === "end" && b.received.at(-1)?.[0] === "end");
  await settled({ bus }, first, second);
  expect(a.received).toEqual([
    ["e", 1],
    ["end", null],
    ["end", null],
  ]);
  expect(b.received).toEqual([
    ["e", 1],
    ["end", null],
  ]);
  expect(first.received.repeated).toBe(1);
});

test("events and room changes keep their order: no event after a leave, none lost after a join", async () => {
  const a = await member(first, "user:a");
  const b = await member(second, "user:b");
  for (let n = 0; n < 100; n++) {
    emitter.socketsJoin("user:a", [`group:${n}`]);
    emitter.socketsJoin("user:b", [`group:${n}`]);
    emitter.emit(`group:${n}`, "in", n);
    emitter.socketsLeave("user:a", [`group:${n}`]);
    emitter.emit(`group:${n}`, "after a has left", n);
    emitter.socketsLeave("user:b", [`group:${n}`]);
    emitter.emit(`group:${n}`, "none", n);
  }
  emitter.emit(["user:a", "user:b"], "end", null);
  const events = ({ received }: TestClient) => received.filter(([event]) => event !== "resync");
  await until(() => events(a).at(-1)?.[0] === "end" && events(b).at(-1)?.[0] === "end");
  expect(events(a)).toEqual([...Array.from({ length: 100 }, (_, n) => ["in", n]), ["end", null]]);
  const both = Array.from({ length: 100 }, (_, n) => [
    ["in", n],
    ["after a has left", n],
  ]);
  expect(events(b)).toEqual([...both.flat(), ["end", null]]);
});

describe("joinFresh", () => {
  test("resolves once no publication to the rooms is missed", async () => {
    const client = await first.client();
    for (let n = 0; n < 50; n++) {
      await joinFresh(first.socket(client.id), async () => [`room:${n}`]);
      emitter.emit(`room:${n}`, "e", n);
    }
    await until(() => client.received.length === 50);
    expect(client.received.map(([, n]) => n)).toEqual([...Array(50).keys()]);
  });

  test("a leave published while the rooms are fetched wins", async () => {
    const client = await first.client();
    const socket = first.socket(client.id);
    void socket.join("user:1");
    const joined = await joinFresh(socket, async () => {
      emitter.socketsLeave("user:1", ["group:1"]);
      await settled({ bus }, first);
      return ["group:1", "group:2"];
    });
    expect(joined).toEqual(["group:2"]);
  });
});

test("binary data arrives unchanged", async () => {
  const a = await member(first, "x");
  emitter.emit("x", "file", { bytes: Buffer.from([1, 2, 3]), name: "é" });
  emitter.emit("x", "after", null);
  await until(() => a.received.length === 2);
  expect(a.received[0]).toEqual(["file", { bytes: Buffer.from([1, 2, 3]), name: "é" }]);
});

test("trace context reaches every gateway, once, and only for traced publications", async () => {
  let trace: string | undefined;
  const traceOf = () => trace;
  const received: string[] = [];
  const onBroadcast = ({ traces }: BroadcastStats): void => void received.push(traces.join(" "));
  const third = await startGateway(nats, { traceOf, onBroadcast });
  const fourth = await startGateway(nats, { onBroadcast });
  const traced = new Emitter({ bus, traceOf });
  const clients = [await member(third, "group"), await member(third, "group"), await member(fourth, "group")];
  const publish = async (emit: () => void, events: number): Promise<void> => {
    emit();
    await until(() => clients.every(({ received }) => received.length === events));
  };
  await publish(() => traced.emit("group", "e", 1), 1);
  expect(received.splice(0)).toEqual(["", ""]);
  trace = "from an emitter";
  await publish(() => traced.emit("group", "e", 2), 2);
  expect(received.splice(0)).toEqual([trace, trace]);
  trace = "from a gateway";
  await publish(() => third.io.to("group").emit("e", 3), 3);
  await until(() => received.length === 2);
  expect(received).toEqual([trace, trace]);
  traced.close();
  await Promise.all([third.close(), fourth.close()]);
});

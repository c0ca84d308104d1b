import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createFanoutAdapter } from "../src/index.ts";
import { settled, startCluster, type Gateway } from "./cluster.ts";
import { type NatsServer, startNats } from "./nats.ts";
import { startServer, type TestClient, type TestServer, until } from "./support.ts";

let nats: NatsServer;
beforeAll(async () => {
  nats = await startNats();
});
afterAll(() => nats.stop());

interface World {
  servers: TestServer[];
  close(): Promise<void>;
}

const alone = (start: () => Promise<TestServer>) => async (): Promise<World> => {
  const server = await start();
  return { servers: [server], close: () => server.close() };
};
const several = (count: number) => async (): Promise<World> => {
  const { gateways, close } = await startCluster(nats, count);
  return { servers: gateways, close };
};
const variants: [string, () => Promise<World>][] = [
  ["Socket.IO's own adapter", alone(() => startServer({}))],
  ["this package's adapter", alone(() => startServer({ adapter: createFanoutAdapter() }))],
  ["two servers over NATS", several(2)],
  ["three servers over NATS", several(3)],
];

const sorted = <T>(answers: readonly T[]): T[] =>
  answers.toSorted((a, b) => (String(a) < String(b) ? -1 : 1));
const names = (client: TestClient): unknown[] =>
  client.received.map(([name]) => name).filter((name) => name !== "resync");

let world: World;
afterEach(() => world.close());

for (const [name, start] of variants) {
  describe(`Socket.IO's adapter contract with ${name}`, () => {
    /** Three clients on different servers if there are several: a in x and y, b in y, c in no room. */
    async function three() {
      world = await start();
      const at = (i: number): TestServer => world.servers[i % world.servers.length]!;
      const [a, b, c] = [await at(0).client(), await at(1).client(), await at(2).client()];
      await at(0).socket(a.id).join(["x", "y"]);
      await at(1).socket(b.id).join("y");
      return { a, b, c, at, io: at(0).io, other: at(1).io };
    }

    /** Returns the events received by the clients once everything emitted so far has arrived. */
    async function received(io: TestServer["io"], ...clients: TestClient[]): Promise<unknown[][]> {
      io.emit("end");
      await until(() => clients.every((client) => names(client).includes("end")));
      return clients.map((client) => names(client).filter((event) => event !== "end"));
    }

    test("to, in, except and all sockets", async () => {
      const { a, b, c, io, other } = await three();
      io.to("x").emit("x");
      io.in("y").emit("y");
      io.to(["x", "y"]).emit("x or y");
      io.to("x").to("y").except("x").emit("y without x");
      io.except("y").emit("without y");
      io.except(b.id).to("y").emit("y without b");
      io.to(c.id).emit("c");
      expect(await received(io, a, b, c)).toEqual([
        ["x", "y", "x or y", "y without b"],
        ["y", "x or y", "y without x"],
        ["without y", "c"],
      ]);
      for (const client of [a, b, c]) client.received.length = 0;
      other.to("x").emit("from another server");
      expect(await received(other, a, b, c)).toEqual([["from another server"], [], []]);
    });

    test("a socket broadcasts to the others in its rooms", async () => {
      const { a, b, c, at } = await three();
      at(0).socket(a.id).to("y").emit("to y");
      at(0).socket(a.id).broadcast.emit("to all others");
      expect(await received(at(0).io, a, b, c)).toEqual([[], ["to y", "to all others"], ["to all others"]]);
    });

    test("volatile and compressed, text and binary", async () => {
      const { a, b, io, other } = await three();
      io.volatile.to("y").emit("volatile", 1);
      io.compress(true).to("y").emit("compressed", 2);
      await until(() => names(b).length === 2 && names(a).length === 2);
      other.to("y").emit("binary", Buffer.from([1, 2]), { deep: new Uint8Array([3]) });
      await until(() => names(a).length === 3);
      expect(names(a)).toEqual(["volatile", "compressed", "binary"]);
      expect(a.received.at(-1)).toEqual(["binary", Buffer.from([1, 2]), { deep: Buffer.from([3]) }]);
    });

    test("values arrive as in JSON", async () => {
      const { b, io } = await three();
      const value = { at: new Date(0), id: { toJSON: () => "id" }, none: undefined, list: [undefined, null] };
      io.to("y").emit("e", value, undefined);
      await until(() => b.received.length === 1);
      expect(b.received).toEqual([
        ["e", { at: "1970-01-01T00:00:00.000Z", id: "id", list: [null, null] }, null],
      ]);
    });

    test("sockets join, leave and are disconnected by room", async () => {
      const { a, b, c, io } = await three();
      io.socketsJoin("all");
      io.in("y").socketsJoin(["z", "w"]);
      io.to("z").emit("z");
      io.in("x").socketsLeave("z");
      io.to("z").emit("z without x");
      io.to("all").emit("all");
      expect(await received(io, a, b, c)).toEqual([["z", "all"], ["z", "z without x", "all"], ["all"]]);
      const gone = Promise.all(
        [a, b].map(({ socket }) => new Promise((resolve) => socket.once("disconnect", resolve))),
      );
      io.in("y").disconnectSockets();
      expect(await gone).toEqual(["io server disconnect", "io server disconnect"]);
      expect(c.socket.connected).toBe(true);
    });

    test("local broadcasts stay on their server", async () => {
      const { a, b, c, at, io } = await three();
      const here = [a, b, c].filter((_, i) => at(i) === at(0));
      const away = [a, b, c].filter((_, i) => at(i) !== at(0));
      io.local.emit("local");
      io.local.socketsJoin("here");
      io.to("here").emit("to here");
      const [others, mine] = [await received(io, ...away), await received(io, ...here)];
      expect(others).toEqual(away.map(() => []));
      expect(mine).toEqual(here.map(() => ["local", "to here"]));
    });

    test("namespaces are separate", async () => {
      const { a, b, at, io } = await three();
      for (const server of world.servers) server.io.of("/admin space");
      const joined: unknown[][] = [];
      for (const [i, client] of [a, b].entries()) {
        const socket = client.socket.io.socket("/admin space");
        socket.onAny((...args: unknown[]) => void joined.push([i, ...args]));
        await until(() => socket.connected);
        await at(i).io.of("/admin space").sockets.get(socket.id!)!.join("y");
      }
      at(2).io.of("/admin space").to("y").emit("e", 1);
      io.to("y").emit("e", 2);
      await until(() => joined.length === 2 && names(a).length === 1 && names(b).length === 1);
      expect(sorted(joined)).toEqual([
        [0, "e", 1],
        [1, "e", 1],
      ]);
      expect(a.received).toEqual([["e", 2]]);
    });

    test("listeners for outgoing packets are called for each", async () => {
      const { b, at, io } = await three();
      const seen: unknown[][] = [];
      at(1)
        .socket(b.id)
        .onAnyOutgoing((...args: unknown[]) => void seen.push(args));
      io.to("y").emit("text", { n: 1 });
      await until(() => names(b).length === 1);
      io.to("y").emit("binary", Buffer.from([1]));
      await until(() => names(b).length === 2);
      expect(seen).toEqual(b.received);
    });
  });
}

describe("between servers", () => {
  async function cluster(
    count: number,
    ...options: Parameters<typeof startCluster> extends [unknown, unknown, ...infer Rest] ? Rest : never
  ): Promise<Gateway[]> {
    const { gateways, close } = await startCluster(nats, count, ...options);
    world = { servers: gateways, close };
    return gateways;
  }

  test("clients with polling or compression receive the same events", async () => {
    const [first, second] = (await cluster(
      2,
      {},
      { transports: ["polling", "websocket"], perMessageDeflate: { threshold: 0 } },
    )) as [Gateway, Gateway];
    const clients = [await second.client(["polling"]), await second.client(["websocket"])];
    for (let n = 0; n < 20; n++) first.io.emit("e", n);
    await until(() => clients.every(({ received }) => received.length === 20));
    for (const { received } of clients)
      expect(received).toEqual(Array.from({ length: 20 }, (_, n) => ["e", n]));
  });

  test("a server receives neither its own publications nor those to rooms without members", async () => {
    const [first, second] = (await cluster(2)) as [Gateway, Gateway];
    const [a, b] = [await first.client(), await second.client()];
    await first.socket(a.id).join(["x", "only a"]);
    await second.socket(b.id).join("x");
    for (let n = 0; n < 10; n++) {
      first.io.to("x").emit("e", n);
      first.io.to("only a").emit("f", n);
      second.io.to("only a").emit("g", n);
      second.io.to("none").emit("h", n);
    }
    await until(() => a.received.length === 30 && b.received.length === 10);
    await settled(first, second);
    expect(a.received.filter(([event]) => event === "f")).toHaveLength(10);
    expect(first.received).toEqual({ members: 10, lingering: 0, elsewhere: 0, repeated: 0, stray: 0 });
    expect(second.received).toEqual({ members: 10, lingering: 0, elsewhere: 0, repeated: 0, stray: 0 });
  });
});

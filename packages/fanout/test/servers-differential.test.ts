import { setTimeout as delay, setImmediate as turn } from "node:timers/promises";
import type { Server } from "socket.io";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createFanoutAdapter } from "../src/index.ts";
import { startCluster } from "./cluster.ts";
import { type NatsServer, startNats } from "./nats.ts";
import { randomFrom } from "./random.ts";
import { startServer, type TestClient, type TestServer, until } from "./support.ts";

const CLIENTS = 9;
const STEPS = 300;
const ROOMS = ["a", "b", "c", "d", "e"];
const PAYLOADS = ["", "é€😀\u0000\u2028", "m".repeat(200), "n".repeat(70_000), { deep: [1, { two: null }] }];

type Random = (below: number) => number;

let nats: NatsServer;
beforeAll(async () => {
  nats = await startNats();
});
afterAll(() => nats.stop());

const pick = <T>(items: readonly T[], random: Random): T => items[random(items.length)]!;

/** A random action of one server. The expected events of each client and their order are deterministic. */
function step(io: Server, ids: readonly string[], random: Random, n: number): void {
  const room = pick(ROOMS, random);
  const other = pick(ROOMS, random);
  const id = pick(ids, random);
  const payload = pick(PAYLOADS, random);
  const actions: (() => unknown)[] = [
    () => io.to(room).emit("room", n, payload),
    () => io.to(room).emit("room", n, payload),
    () => io.to([room, other]).emit("rooms", n, payload),
    () => io.emit("all", n, payload),
    () => io.to(room).except(other).emit("except", n),
    () => io.to([room, id]).except([other]).emit("rooms except", n),
    () => io.except(room).emit("all except", n),
    () => io.to(id).emit("one", n),
    () => io.to("none").emit("none", n),
    () => io.to(room).emit("binary", n, { bytes: Buffer.from([n & 255]) }),
    () => io.compress(false).to(room).emit("uncompressed", n),
    () => io.in(id).socketsJoin(room),
    () => io.in(id).socketsJoin([room, other]),
    () => io.in(room).socketsJoin(other),
    () => io.in(id).socketsLeave(room),
    () => io.in(room).socketsLeave(other),
    () => random(15) === 0 && io.socketsJoin(room),
    () => random(20) === 0 && ids.indexOf(id) < 2 && io.in(id).disconnectSockets(true),
  ];
  pick(actions, random)();
}

/** Runs the script of `seed` on the first server and returns the events that each client received, in order. */
async function play(seed: number, servers: readonly TestServer[]): Promise<unknown[][][]> {
  const random = randomFrom(seed);
  const clients: TestClient[] = [];
  const ids: string[] = [];
  for (let i = 0; i < CLIENTS; i++) {
    const server = servers[i % servers.length]!;
    const client = await server.client();
    clients.push(client);
    ids.push(client.id);
    for (const room of ROOMS) if (random(2) === 0) await server.socket(client.id).join(room);
    await server.socket(client.id).join("end");
  }
  const { io } = servers[0]!;
  for (let n = 0; n < STEPS; n++) {
    step(io, ids, random, n);
    if (random(6) === 0) await turn();
    if (random(60) === 0) await delay(10);
  }
  io.to("end").emit("end");
  await until(() =>
    clients.every(({ socket, received }) => !socket.connected || received.some(([event]) => event === "end")),
  );
  return clients.map(({ received }) => received.filter(([event]) => event !== "resync"));
}

describe("each client receives the same sequence as from one server with Socket.IO's own adapter", () => {
  for (const [count, lingerMs] of [
    [2, 5000],
    [3, 5000],
    [3, 0],
  ] as const) {
    const isShort = (count === 2) === lingerMs > 0;
    test(
      `${count} servers over NATS, subscriptions linger ${lingerMs} ms`,
      { tags: isShort ? [] : "long" },
      async () => {
        for (let seed = 1; seed <= 5; seed++) {
          const single = await startServer({});
          const expected = await play(seed, [single]);
          await single.close();
          const cluster = await startCluster(nats, count, { prefix: `test.${count}-${seed}`, lingerMs });
          const actual = await play(seed, cluster.gateways);
          await cluster.close();
          expect(actual.map(({ length }) => length)).toEqual(expected.map(({ length }) => length));
          expect(actual).toEqual(expected);
        }
      },
    );
  }

  test("one server with this package's adapter and no bus", async () => {
    for (let seed = 1; seed <= 5; seed++) {
      const [one, other] = [await startServer({}), await startServer({ adapter: createFanoutAdapter() })];
      expect(await play(seed, [other])).toEqual(await play(seed, [one]));
      await one.close();
      await other.close();
    }
  });
});

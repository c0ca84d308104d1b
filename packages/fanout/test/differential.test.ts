import { setImmediate as turn } from "node:timers/promises";
import type { Server, ServerOptions, Socket } from "socket.io";
import { describe, expect, test } from "vitest";
import { createFanoutAdapter } from "../src/index.ts";
import { randomFrom } from "./random.ts";
import { startServer, type TestClient, until } from "./support.ts";

const CLIENTS = 10;
const STEPS = 400;
const ROOMS = ["a", "b", "c", "d"];
const PAYLOADS = [
  "",
  "x",
  "é€😀\u0000\u2028",
  "m".repeat(200),
  "n".repeat(70_000),
  { deep: [1, { two: null }] },
];

type Random = (below: number) => number;

const pick = <T>(items: readonly T[], random: Random): T => items[random(items.length)]!;

/** A random action. All are synchronous, so the expected events of each client and their order are deterministic. */
function step(io: Server, sockets: readonly Socket[], random: Random, n: number): void {
  const socket = pick(sockets, random);
  const room = pick(ROOMS, random);
  const other = pick(ROOMS, random);
  const payload = pick(PAYLOADS, random);
  const actions: (() => unknown)[] = [
    () => io.to(room).emit("room", n, payload),
    () => io.to(room).emit("room", n, payload),
    () => io.to(room).emit("room", n, payload),
    () => io.to([room, other]).emit("rooms", n, payload),
    () => io.emit("all", n, payload),
    () => io.local.to(room).emit("local", n),
    () => io.to(room).except(other).emit("except", n),
    () => socket.to(room).emit("others", n),
    () => io.to(socket.id).emit("own room", n),
    () => io.to("none").emit("none", n),
    () => socket.emit("direct", n),
    () => socket.timeout(50_000).emit("direct with ack", n, () => {}),
    () =>
      io
        .to(room)
        .timeout(50_000)
        .emit("room with ack", n, () => {}),
    () => io.to(room).emit("binary", n, Buffer.from([n & 255])),
    () => io.compress(false).to(room).emit("uncompressed", n),
    () => socket.join(room),
    () => socket.join([room, other]),
    () => socket.leave(room),
    () => io.in(room).socketsJoin(other),
    () => io.in(room).socketsLeave(other),
    () => random(20) === 0 && sockets.indexOf(socket) < 3 && io.in(socket.id).disconnectSockets(true),
    () => random(20) === 0 && sockets.indexOf(socket) === 3 && socket.disconnect(),
  ];
  pick(actions, random)();
}

/** Runs the script of `seed` and returns the events that each client received, in order. */
async function play(
  seed: number,
  transports: string[],
  options: Partial<ServerOptions>,
): Promise<unknown[][][]> {
  const server = await startServer({ transports: ["polling", "websocket"], ...options });
  try {
    const random = randomFrom(seed);
    const clients: TestClient[] = [];
    for (let i = 0; i < CLIENTS; i++) clients.push(await server.client(transports));
    const sockets = clients.map(({ id }) => server.io.sockets.sockets.get(id)!);
    for (const socket of sockets) for (const room of ROOMS) if (random(2) === 0) await socket.join(room);
    for (let n = 0; n < STEPS; n++) {
      step(server.io, sockets, random, n);
      if (random(6) === 0) await turn();
    }
    for (const socket of sockets) socket.emit("end");
    await until(() =>
      clients.every(({ socket, received }) => !socket.connected || received.at(-1)?.[0] === "end"),
    );
    return clients.map(({ received }) =>
      received.map((args) => args.filter((arg) => typeof arg !== "function")),
    );
  } finally {
    await server.close();
  }
}

describe("each client receives the same sequence as with Socket.IO's own adapter", () => {
  const variants: [string, string[], Partial<ServerOptions>][] = [
    ["websocket", ["websocket"], {}],
    ["polling, upgraded meanwhile", ["polling", "websocket"], {}],
    ["polling", ["polling"], {}],
    ["compressed", ["websocket"], { perMessageDeflate: { threshold: 0 } }],
  ];
  for (const [index, [name, transports, options]] of variants.entries()) {
    for (let seed = 1; seed <= 4; seed++) {
      const isShort = seed === 1 && index < 2;
      test(`${name}, seed ${seed}`, { tags: isShort ? [] : "long" }, async () => {
        const expected = await play(seed, transports, options);
        for (const socketsPerSlice of [1, 4, 500]) {
          const adapter = createFanoutAdapter({ socketsPerSlice });
          const actual = await play(seed, transports, { ...options, adapter });
          expect(actual.map((received) => received.length)).toEqual(
            expected.map((received) => received.length),
          );
          expect(actual).toEqual(expected);
        }
      });
    }
  }
});

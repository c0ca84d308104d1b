import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { connectNatsBus } from "../src/index.ts";
import { RoomSubscriptions } from "../src/bus/room-subscriptions.ts";
import { Subjects } from "../src/bus/bus.ts";
import { startBroker, stopBroker } from "./cluster/brokers.ts";

/**
 * Measures the cost of subscribing to one room per user.
 *
 *   node --expose-gc bench/subscriptions.ts --rooms 10000 --rounds 5
 */

const { values } = parseArgs({
  options: { rooms: { type: "string", default: "10000" }, rounds: { type: "string", default: "5" } },
});
const count = Number(values.rooms);

const broker = await startBroker("nats");
const bus = await connectNatsBus({ servers: broker.url });
const subscriptions = new RoomSubscriptions({
  bus,
  subjects: new Subjects("fanfare", "/"),
  lingerMs: 1000,
  onMessage: () => {},
  onCount: () => {},
});

function memory(): { own: number; server: number } {
  globalThis.gc?.();
  const status = readFileSync(`/proc/${broker.process.pid}/status`, "utf8");
  return {
    own: process.memoryUsage().heapUsed,
    server: Number(/VmRSS:\s+(\d+)/.exec(status)![1]) * 1024,
  };
}

for (let round = 0; round < Number(values.rounds); round++) {
  const rooms = Array.from(
    { length: count },
    (_, n) => `user:6740b7c2f1d2a9001${round}${n.toString(16).padStart(6, "0")}`,
  );
  const before = memory();
  const cpu = process.cpuUsage();
  const start = performance.now();
  for (const room of rooms) void subscriptions.subscribe(room);
  await subscriptions.active();
  const ms = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  const after = memory();
  const each = (bytes: number): string => `${Math.round(bytes / count)} bytes`;
  console.log(
    `${count} rooms active after ${ms.toFixed(0)} ms (${Math.round((count * 1000) / ms)}/s, ${((user + system) / count).toFixed(1)} µs of processor time each); ` +
      `${each(after.own - before.own)} here, ${each(after.server - before.server)} at the nats-server`,
  );
}
subscriptions.close();
await bus.close();
await stopBroker(broker);

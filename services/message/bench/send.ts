// How many messages per second are acknowledged as durable, how long each takes and what it costs.
// node services/message/bench/send.ts [--seconds 5] [--load 1]; MONGO_URL measures another database than the embedded one.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startMessageNode, type MessageNode } from "../test/message-node.ts";

const { values } = parseArgs({
  options: { seconds: { type: "string", default: "5" }, load: { type: "string" } },
});
const secondsEach = Number(values.seconds);
const WARM_UP_SECONDS = 1;

interface Load {
  title: string;
  channels: number;
  inFlight: number;
}

const loads: Load[] = [
  { title: "1 channel, 1 in flight", channels: 1, inFlight: 1 },
  { title: "1 channel, 32 in flight", channels: 1, inFlight: 32 },
  { title: "1,000 channels, 1 in flight each, 50 together", channels: 1000, inFlight: 50 },
  { title: "1,000 channels, 1 in flight each, 500 together", channels: 1000, inFlight: 500 },
];

let nonces = 0;
const id = (prefix: string, i: number): string => prefix.repeat(16) + i.toString(16).padStart(8, "0");

/** Closed loop: each of `inFlight` senders sends its next message when the last one is acknowledged. */
async function run(node: MessageNode, { channels, inFlight }: Load, seconds: number): Promise<number[]> {
  const latencies: number[] = [];
  const end = performance.now() + seconds * 1000;
  let next = 0;
  const sender = async (userId: string): Promise<void> => {
    while (performance.now() < end) {
      const channelId = id("c", next++ % channels);
      const began = performance.now();
      const nonce = `n${nonces++}`;
      await node.as(userId, "message.send", { channelId, content: `Message number ${nonces}`, nonce });
      latencies.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, (_, i) => sender(id("a", i))));
  return latencies;
}

function report({ title }: Load, latencies: number[], seconds: number, cpu: NodeJS.CpuUsage): void {
  latencies.sort((a, b) => a - b);
  const at = (share: number): string =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))]!.toFixed(1);
  const cpuMicros = (cpu.user + cpu.system) / latencies.length;
  const rate = Math.round(latencies.length / seconds);
  console.log(
    `${title}: ${rate}/s, p50 ${at(0.5)} p99 ${at(0.99)} p100 ${at(1)} ms, ` +
      `${cpuMicros.toFixed(0)} µs CPU per message (this process, without that of the database)`,
  );
}

const dir = await mkdtemp(join(tmpdir(), "fanfare-bench-"));
const { MONGO_URL } = process.env;
const env = { DATA_DIR: dir, ...(MONGO_URL === undefined ? {} : { MONGO_URL }) };
const node = await startMessageNode(env, false);
try {
  const chosen = values.load === undefined ? loads : loads.slice(Number(values.load)).slice(0, 1);
  for (const load of chosen) {
    await run(node, load, WARM_UP_SECONDS);
    const cpuBefore = process.cpuUsage();
    const began = performance.now();
    const latencies = await run(node, load, secondsEach);
    report(load, latencies, (performance.now() - began) / 1000, process.cpuUsage(cpuBefore));
  }
} finally {
  await node.stop();
  await rm(dir, { recursive: true });
}

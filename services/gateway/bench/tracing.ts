// Measures the CPU cost of tracing: off, one request in a hundred, and every request; with --before <checkout> also for another
// version. All variants run alternately, so that other load affects them alike. Linux only.
//   node services/gateway/bench/tracing.ts [--rounds 6] [--seconds 3] [--before name=<checkout>]...
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { io, type Socket } from "socket.io-client";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "6" },
    seconds: { type: "string", default: "3" },
    before: { type: "string", multiple: true, default: [] },
  },
});
const HERE = resolve(import.meta.dirname, "../../..");
const RECEIVERS = 10;
const IN_FLIGHT = 16;
const WARM_UP_MS = 3000;
const TICK_US = 10_000;
/** Below the ephemeral port range. */
let nextPort = 20_000 + Math.floor(Math.random() * 10_000);

interface Variant {
  name: string;
  server: ChildProcess;
  senders: Socket[];
  channelId: string;
  /** CPU time in microseconds per message, and messages per second, of each round. */
  rounds: { cpuUs: number; perSecond: number }[];
}

async function call<T>(url: string, action: string, params: object, token?: string): Promise<T> {
  const headers = { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) };
  const response = await fetch(`${url}/api/${action}`, {
    method: "POST",
    headers,
    body: JSON.stringify(params),
  });
  const answer = (await response.json()) as { ok: boolean; data: T };
  if (!answer.ok) throw new Error(`${action}: ${JSON.stringify(answer)}`);
  return answer.data;
}

async function start(
  name: string,
  tree: string,
  folder: string,
  env: Record<string, string>,
): Promise<Variant> {
  const [port, opsPort] = [nextPort++, nextPort++];
  const server = spawn(process.execPath, ["--max-semi-space-size=16", "services/node/src/main.ts"], {
    cwd: tree,
    stdio: "inherit",
    env: {
      ...process.env,
      NODE_ENV: "test",
      LOG_LEVEL: "error",
      DATA_DIR: join(folder, name.replaceAll(/\W/g, "-")),
      PORT: String(port),
      OPS_PORT: String(opsPort),
      RATE_LIMIT_FACTOR: "100000",
      GATEWAY_THREADS: "0",
      ...env,
    },
  });
  const isReady = () =>
    fetch(`http://127.0.0.1:${opsPort}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isReady())) {
    if (server.exitCode !== null) throw new Error(`${name} did not start.`);
    await delay(100);
  }
  const url = `http://127.0.0.1:${port}`;
  const guest = () => call<{ accessToken: string }>(url, "user.createGuest", {});
  const owner = await guest();
  const made = await call<{ group: { id: string }; channels: { id: string }[] }>(
    url,
    "group.create",
    { name: "Bench" },
    owner.accessToken,
  );
  const groupId = made.group.id;
  const { invite } = await call<{ invite: { code: string } }>(
    url,
    "invite.create",
    { groupId },
    owner.accessToken,
  );
  const senders: Socket[] = [];
  for (let n = 0; n < RECEIVERS; n += 1) {
    const { accessToken } = await guest();
    await call(url, "invite.accept", { code: invite.code }, accessToken);
    const socket = io(url, { transports: ["websocket"], auth: { token: accessToken }, forceNew: true });
    await new Promise((isReadyNow) => socket.once("ready", isReadyNow));
    senders.push(socket);
  }
  return { name, server, senders, channelId: made.channels[0]!.id, rounds: [] };
}

function cpuUs({ pid }: ChildProcess): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_US;
}

let nonces = 0;

/** Closed loop: each sender sends its next message when the last one is acknowledged. */
async function send({ senders, channelId }: Variant, ms: number): Promise<number> {
  const endMs = performance.now() + ms;
  let sent = 0;
  const loop = async (socket: Socket): Promise<void> => {
    while (performance.now() < endMs) {
      nonces += 1;
      const message = { channelId, content: `Message number ${nonces}`, nonce: `n${nonces}` };
      const answer = (await socket.emitWithAck("message.send", message)) as { ok: boolean };
      if (!answer.ok) throw new Error(JSON.stringify(answer));
      sent += 1;
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, (_, n) => loop(senders[n % senders.length]!)));
  return sent;
}

async function measure(variant: Variant, ms: number): Promise<void> {
  const cpuBefore = cpuUs(variant.server);
  const beganMs = performance.now();
  const sent = await send(variant, ms);
  const seconds = (performance.now() - beganMs) / 1000;
  variant.rounds.push({ cpuUs: (cpuUs(variant.server) - cpuBefore) / sent, perSecond: sent / seconds });
}

const median = (figures: number[]): number => figures.toSorted((a, b) => a - b)[figures.length >> 1]!;

const folder = await mkdtemp(join(tmpdir(), "fanfare-bench-"));
let received = 0;
const collector = createServer((request, response) => {
  request.on("data", (part: Buffer) => (received += part.length));
  request.on("end", () => response.end("{}"));
}).listen(0, "127.0.0.1");
await once(collector, "listening");
const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
const traced = (ratio: string) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  OTEL_TRACES_SAMPLER_ARG: ratio,
});

const variants: Variant[] = [];
try {
  for (const one of values.before) {
    const [name = "", tree = ""] = one.split("=");
    variants.push(await start(name, tree, folder, {}));
  }
  variants.push(await start("off", HERE, folder, {}));
  variants.push(await start("1 in 100", HERE, folder, traced("0.01")));
  variants.push(await start("every one", HERE, folder, traced("1")));
  for (const variant of variants) await send(variant, WARM_UP_MS);
  for (let round = 0; round < Number(values.rounds); round += 1) {
    // Alternate the order.
    const order = round % 2 === 0 ? variants : variants.toReversed();
    for (const variant of order) await measure(variant, Number(values.seconds) * 1000);
  }
  const ofFirst = variants[0]!.rounds;
  for (const { name, rounds } of variants) {
    const cpu = median(rounds.map((round) => round.cpuUs));
    const rate = median(rounds.map((round) => round.perSecond));
    const ratio = median(rounds.map((round, n) => round.cpuUs / ofFirst[n]!.cpuUs));
    console.log(
      `${name.padEnd(12)} ${cpu.toFixed(1)} µs of processor time per message (${ratio.toFixed(3)} × the first), ${rate.toFixed(0)} messages/s`,
    );
  }
  console.log(`The collector got ${(received / 1e6).toFixed(1)} MB.`);
} finally {
  for (const { senders, server } of variants) {
    for (const socket of senders) socket.close();
    server.kill();
    await once(server, "exit");
  }
  collector.close();
  await rm(folder, { recursive: true, force: true });
}

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";
import { FanfareClient } from "@fanfare/client";
import { loadConfig } from "@fanfare/kernel";
import { startFanfare } from "@fanfare/node";

// Counts our files and functions that one message.send runs on the server until another member has the message:
// `node scripts/measure-send.ts`; `--list` names them. V8 counts calls; the clients are another process.

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const WARM_UP = 50;
/** As long as the measured send: what also runs without one is subtracted. */
const WINDOW_MS = 300;

if (process.send === undefined) await measure();
else await beClient();

async function measure(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "fanfare-measure-"));
  const inspector = new Session();
  inspector.connect();
  await inspector.post("Profiler.enable");
  await inspector.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  const fanfare = await startFanfare(
    loadConfig({
      NODE_ENV: "test",
      LOG_LEVEL: "error",
      DATA_DIR: folder,
      PORT: "0",
      OPS_PORT: "0",
      GATEWAY_THREADS: "0",
      RATE_LIMIT_FACTOR: "1000",
    }),
  );
  const client = fork(fileURLToPath(import.meta.url), [fanfare.url]);
  try {
    await once(client, "message");
    for (let count = 0; count < WARM_UP; count += 1) await sendOne(client);
    // Lets the jobs and timers started by the first messages finish.
    await sleep(3000);
    await takeCoverage(inspector);
    await sleep(WINDOW_MS);
    const idle = await takeCoverage(inspector);
    await sendOne(client);
    print(await takeCoverage(inspector), idle);
  } finally {
    client.kill();
    await fanfare.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function sendOne(client: ChildProcess): Promise<void> {
  client.send("send");
  await once(client, "message");
}

/** By file: the functions called since the last call. */
async function takeCoverage(inspector: Session): Promise<Map<string, Set<string>>> {
  const { result } = await inspector.post("Profiler.takePreciseCoverage");
  const files = new Map<string, Set<string>>();
  for (const { url, functions } of result) {
    const path = url.startsWith("file:") ? relative(ROOT, fileURLToPath(url)) : "";
    if (!/^(?:packages|services)\/[^/]+\/src\//.test(path)) continue;
    const called = functions.filter(({ ranges }) => ranges.some(({ count }) => count > 0));
    const names = called.map(({ functionName, ranges }) => `${functionName}:${ranges[0]!.startOffset}`);
    if (names.length > 0) files.set(path, new Set(names));
  }
  return files;
}

function print(sent: ReadonlyMap<string, Set<string>>, idle: ReadonlyMap<string, Set<string>>): void {
  const files = [...sent].flatMap(([path, names]) => {
    const own = [...names].filter((name) => idle.get(path)?.has(name) !== true);
    return own.length === 0 ? [] : [{ path, functions: own.length }];
  });
  const isDatabase = ({ path }: { path: string }) => path.startsWith("packages/embedded-mongo/");
  const rows = {
    "embedded database": files.filter(isDatabase),
    "the rest": files.filter((file) => !isDatabase(file)),
  };
  console.table(
    Object.fromEntries(
      Object.entries(rows).map(([name, some]) => [
        name,
        { files: some.length, functions: some.reduce((sum, { functions }) => sum + functions, 0) },
      ]),
    ),
  );
  if (!process.argv.includes("--list")) return;
  for (const { path, functions } of files.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    console.log(`${String(functions).padStart(4)} ${path}`);
  }
}

/** A sender and a receiving member: each "send" sends one message from one to the other. */
async function beClient(): Promise<void> {
  const url = process.argv[2]!;
  const [sender, reader] = [new FanfareClient({ url }), new FanfareClient({ url })];
  for (const client of [sender, reader]) {
    await client.createGuest();
    await client.connect();
  }
  const { group, channels } = await sender.call("group.create", { name: "Measured" });
  const { invite } = await sender.call("invite.create", { groupId: group.id });
  await reader.call("invite.accept", { code: invite.code });
  const channelId = channels.find(({ kind }) => kind === "text")!.id;
  process.on("message", async () => {
    const received = new Promise((resolve) => {
      const end = reader.on("message.created", (payload) => {
        end();
        resolve(payload);
      });
    });
    const nonce = crypto.randomUUID();
    await sender.call("message.send", { channelId, content: "How are you?", nonce });
    await received;
    process.send!("sent");
  });
  process.send!("ready");
}

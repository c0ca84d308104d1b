import "./env-file.ts";
import { mkdir } from "node:fs/promises";
import { loadConfig, loadTokenSecret } from "@fanfare/kernel";
import type { ServerProcess } from "@fanfare/testing";
import { buildDocs, buildWebClient } from "./build.ts";
import {
  type ClusterOptions,
  fanfareProcess,
  findOccupiedPort,
  findPrograms,
  HELP,
  keepRunning,
  readOptions,
  startServers,
} from "./cluster/processes.ts";

// `pnpm dev:cluster`: several gateways and workers on this machine, with the servers they need.

const stopping = new AbortController();
const servers: ServerProcess[] = [];
const workers: ServerProcess[] = [];
const gateways: ServerProcess[] = [];

const say = (text: string): void => void process.stdout.write(`${text}\n`);

function fail(reason: string): never {
  process.stderr.write(`${reason}\n`);
  process.exit(1);
}

function optionsOrFail(): ClusterOptions {
  try {
    return readOptions(process.argv.slice(2), process.env);
  } catch (error) {
    fail((error as Error).message);
  }
}

/** Processes that clients talk to first, shared servers last. */
async function stopAll(): Promise<void> {
  stopping.abort();
  for (const group of [gateways, workers, servers]) await Promise.all(group.map((server) => server.stop()));
}

async function start(options: ClusterOptions): Promise<void> {
  await mkdir(options.folder, { recursive: true, mode: 0o700 });
  const { TOKEN_SECRET, TOKEN_SECRET_FILE } = process.env;
  const { tokenSecret } = loadConfig({ TOKEN_SECRET, TOKEN_SECRET_FILE });
  const secret = await loadTokenSecret({ tokenSecret, dataDir: options.folder });
  const urls = await startServers(options, (server) => servers.push(server));
  const shared: Record<string, string> = { ...urls, TOKEN_SECRET: secret };
  // `*_FILE` variables from the environment would set the same settings twice.
  const noFiles = Object.keys(shared).map((name) => [`${name}_FILE`, ""]);
  const env = { ...shared, ...Object.fromEntries(noFiles) };
  const startGroup = async (
    role: "gateway" | "worker",
    count: number,
    group: ServerProcess[],
  ): Promise<void> => {
    for (let index = 0; index < count; index += 1)
      group.push(await fanfareProcess(options, role, index, env));
    await Promise.all(group.map((server) => server.start()));
  };
  await startGroup("worker", options.workers, workers);
  await startGroup("gateway", options.gateways, gateways);
}

function greeting(options: ClusterOptions): string {
  const addresses = gateways.map(({ url }) => url);
  const pids = [...gateways, ...workers, ...servers].map(({ name, pid }) => `${name} ${pid}`);
  return [
    "",
    `  Fanfare is running as a cluster: ${gateways.length} gateways, ${workers.length} workers`,
    "",
    ...addresses.map((address, index) => `  Gateway ${index + 1}  ${address}`),
    `  Health     http://127.0.0.1:${options.opsPort("gateway", 0)}/readyz and /metrics`,
    "  Try it     open two gateways in two browser windows and write to yourself",
    `  Break it   kill -9 any of these, it restarts: ${pids.join(", ")}`,
    `  Data       in ${options.folder}, with the logs; kept across restarts`,
    "  Stop       Ctrl-C",
    "",
  ].join("\n");
}

const options = optionsOrFail();
if (options.help) {
  say(HELP);
  process.exit(0);
}
// Before anything is built or started.
const missing = findPrograms();
if (missing.length > 0) fail(missing.join("\n"));
const occupied = await findOccupiedPort(options);
if (occupied !== null) fail(occupied);

const stop = (): void => {
  if (stopping.signal.aborted) process.exit(130);
  say("\nStopping…");
  void stopAll().then(() => process.exit(0));
};
process.on("SIGINT", stop);
process.on("SIGTERM", stop);

await buildWebClient();
void buildDocs();
try {
  await start(options);
} catch (error) {
  if (!stopping.signal.aborted) {
    await stopAll();
    fail(`The cluster failed to start: ${(error as Error).message}`);
  }
}
if (!stopping.signal.aborted) {
  say(greeting(options));
  for (const server of [...servers, ...workers, ...gateways]) void keepRunning(server, stopping.signal, say);
}

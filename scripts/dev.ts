import "./env-file.ts";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { guardAgainstOrphan } from "../packages/testing/src/orphan-guard.ts";
import { buildDocs, buildWebClient } from "./build.ts";
import { Restarts } from "./restarts.ts";

// `pnpm dev`: builds the web client if it is out of date, then runs the server, and restarts it when it crashes.

const PROGRAM = fileURLToPath(new URL("../services/node/src/main.ts", import.meta.url));
/** Exit codes without a restart: stopped, failed to start, interrupted by a second signal. */
const ENDS = new Set([0, 1, 130]);

const stopping = new AbortController();
let child: ChildProcess | undefined;

function start(): ChildProcess {
  // In its own process group, so that Ctrl-C reaches it only once, through this process.
  const started = spawn(process.execPath, ["--max-semi-space-size=16", PROGRAM], {
    stdio: ["ignore", "inherit", "inherit"],
    detached: true,
  });
  guardAgainstOrphan(started);
  return started;
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    stopping.abort();
    child?.kill(signal === "SIGHUP" ? "SIGTERM" : signal);
  });
}

await buildWebClient();
void buildDocs();
const restarts = new Restarts();
while (!stopping.signal.aborted) {
  const startedMs = performance.now();
  child = start();
  const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
  if (stopping.signal.aborted || (code !== null && ENDS.has(code))) process.exit(code ?? 1);
  const ended = `Fanfare exited (${signal ?? `exit code ${code}`})`;
  const waitMs = restarts.next(performance.now() - startedMs);
  if (waitMs === null) {
    process.stderr.write(`${ended} right after each start. Giving up.\n`);
    process.exit(code ?? 1);
  }
  process.stderr.write(`${ended}. Restarting.\n`);
  await delay(waitMs, undefined, { signal: stopping.signal }).catch(() => undefined);
}

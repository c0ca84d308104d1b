import { spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { connectError } from "../../exit.ts";

const MAIN = fileURLToPath(new URL("../../../../services/node/src/main.ts", import.meta.url));
const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 10_000;
/** Below the range that Linux takes ports for outgoing connections from: 10,000 of those are to come. */
const LISTEN_PORTS = { first: 20_000, last: 32_000 };
const KEPT_OUTPUT_CHARS = 4000;

/** A platform of its own for one run: a process with its own ports and data folder, removed with everything in it. */
export class ThrowawayInstance {
  readonly url: string;
  readonly metricsUrl: string;
  readonly #folder: string;
  readonly #environment: NodeJS.ProcessEnv;
  #child: ChildProcess | undefined;
  #output = "";
  readonly #removeAtOnce = () => {
    this.#child?.kill("SIGKILL");
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  };

  private constructor(folder: string, port: number, opsPort: number) {
    this.#folder = folder;
    this.url = `http://127.0.0.1:${port}`;
    this.metricsUrl = `http://127.0.0.1:${opsPort}/metrics`;
    // Nothing of the caller's own settings: above all no MONGO_URL.
    const { PATH, HOME, TMPDIR, NODE_OPTIONS } = process.env;
    this.#environment = {
      ...Object.fromEntries(
        Object.entries({ PATH, HOME, TMPDIR, NODE_OPTIONS }).filter(([, value]) => value !== undefined),
      ),
      NODE_ENV: "production",
      TOKEN_SECRET: randomBytes(32).toString("hex"),
      HOST: "127.0.0.1",
      PORT: String(port),
      OPS_PORT: String(opsPort),
      DATA_DIR: folder,
      LOG_LEVEL: "warn",
      // The limits are not what is measured, and all members come from this machine.
      RATE_LIMIT_FACTOR: "1000",
      MAX_CONNECTIONS: "1000000",
      MAX_CONNECTIONS_PER_ADDRESS: "1000000",
    };
  }

  static async start(signal: AbortSignal): Promise<ThrowawayInstance> {
    const folder = await mkdtemp(join(tmpdir(), "fanfare-tester-"));
    const instance = new ThrowawayInstance(folder, await freePort(), await freePort());
    process.on("exit", instance.#removeAtOnce);
    try {
      await instance.#run(signal);
    } catch (error) {
      await instance.stop();
      throw error;
    }
    return instance;
  }

  get pid(): number {
    return this.#child!.pid!;
  }

  /** The same data and addresses in a fresh process. */
  async restart(signal: AbortSignal): Promise<void> {
    await this.#end();
    await this.#run(signal);
  }

  async stop(): Promise<void> {
    await this.#end();
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 });
    process.off("exit", this.#removeAtOnce);
  }

  async #run(signal: AbortSignal): Promise<void> {
    const child = spawn(process.execPath, ["--max-semi-space-size=16", MAIN], {
      env: this.#environment,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child = child;
    const keep = (chunk: Buffer) =>
      (this.#output = (this.#output + chunk.toString()).slice(-KEPT_OUTPUT_CHARS));
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(START_TIMEOUT_MS)]);
    while (!(await isReady(new URL("/readyz", this.metricsUrl)))) {
      signal.throwIfAborted();
      if (child.exitCode !== null || child.signalCode !== null) {
        throw connectError(`The throw-away instance did not start. It said:\n${this.#output.trim()}`);
      }
      if (deadline.aborted) {
        throw connectError(
          `The throw-away instance was not ready after ${START_TIMEOUT_MS} ms. It said:\n${this.#output.trim()}`,
        );
      }
      await sleep(50);
    }
  }

  async #end(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
    await exited;
    clearTimeout(timer);
  }
}

async function isReady(url: URL): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(1000) })).ok;
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  for (;;) {
    const { first, last } = LISTEN_PORTS;
    const port = first + Math.floor(Math.random() * (last - first));
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false));
      server.listen(port, "127.0.0.1", () => resolve(true));
    });
    if (!isFree) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "@fanfare/testing";

export interface NatsServer {
  readonly port: number;
  readonly url: string;
  readonly pid: number;
  /** Its log output. */
  log(): Promise<string>;
  /** Kills it with SIGKILL. */
  kill(): Promise<void>;
  /** Restarts it on the same port. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const START_TIMEOUT_MS = 120_000;

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("data", () => resolve(true));
    socket.once("error", () => resolve(false));
    socket.once("close", () => resolve(false));
    setTimeout(() => socket.destroy(), 1000).unref();
  });
}

/** @throws Error if it doesn't start within two minutes. */
async function launch(port: number, args: readonly string[]): Promise<ChildProcess> {
  const server = spawn("nats-server", ["-a", "127.0.0.1", "-p", String(port), ...args], { stdio: "ignore" });
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!(await answers(port))) {
    if (server.exitCode !== null || Date.now() > deadline) throw new Error("nats-server did not start");
    await delay(20);
  }
  return server;
}

/**
 * Starts a nats-server.
 * @param config lines of its configuration file
 */
export async function startNats(config = ""): Promise<NatsServer> {
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), "fanout-nats-"));
  await writeFile(join(folder, "nats.conf"), config);
  const logFile = join(folder, "nats.log");
  const args = ["-c", join(folder, "nats.conf"), "-l", logFile];
  let server = await launch(port, args);
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    server.kill(signal);
    server.kill("SIGCONT");
    await once(server, "exit");
  };
  return {
    port,
    url: `nats://127.0.0.1:${port}`,
    get pid() {
      return server.pid!;
    },
    log: () => readFile(logFile, "utf8"),
    kill: () => end("SIGKILL"),
    async restart() {
      server = await launch(port, args);
    },
    async stop() {
      await end("SIGTERM");
      await rm(folder, { recursive: true });
    },
  };
}

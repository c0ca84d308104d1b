import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

export interface Broker {
  readonly process: ChildProcess;
  readonly url: string;
}

const COMMANDS = { nats: "nats-server", redis: "redis-server" };
let nextPort = 24_731;
const START_MS = 500;

const argumentsOf = (kind: "nats" | "redis", port: number): string[] =>
  kind === "nats"
    ? ["-a", "127.0.0.1", "-p", `${port}`]
    : ["--bind", "127.0.0.1", "--port", `${port}`, "--save", ""];

/** Starts an installed nats-server or redis-server with defaults and without persistence. */
export async function startBroker(kind: "nats" | "redis"): Promise<Broker> {
  const port = nextPort++;
  const server = spawn(COMMANDS[kind], argumentsOf(kind, port), { stdio: "ignore" });
  process.once("exit", () => server.kill());
  await sleep(START_MS);
  if (server.exitCode !== null) throw new Error(`${kind} did not start on port ${port}`);
  return { process: server, url: `${kind}://127.0.0.1:${port}` };
}

export async function stopBroker({ process: server }: Broker): Promise<void> {
  server.kill();
  await once(server, "exit");
}

/** CPU time of a process so far in milliseconds, all threads together. Linux only. */
export function cpuMs(pid: number): number {
  let nanoseconds = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]);
  }
  return nanoseconds / 1e6;
}

import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ServerProgram } from "./server-process.ts";

/** Below Linux' ephemeral ports, 10,000 of which will be needed. */
const LISTEN_PORTS = { first: 20_000, last: 32_000 };

/** An unused loopback port. As long as this process lives, other calls of it and of @fanfare/testing return others. */
export async function freePort(): Promise<number> {
  for (;;) {
    const { first, last } = LISTEN_PORTS;
    const port = first + Math.floor(Math.random() * (last - first));
    // Shows other processes that the port is taken, until a server listens on it.
    const reserved = createSocket("udp4");
    const server = createServer();
    try {
      await once(reserved.bind({ port, address: "127.0.0.1", exclusive: true }), "listening");
      await once(server.listen({ port, host: "127.0.0.1", exclusive: true }), "listening");
    } catch {
      reserved.close();
      continue;
    }
    await once(server.close(), "close");
    reserved.unref();
    return port;
  }
}

const ROOT = new URL("../../../", import.meta.url);
const NODE_MAIN = fileURLToPath(new URL("services/node/dist/main.js", ROOT));
const DATABASE_MAIN = fileURLToPath(new URL("packages/embedded-mongo/src/main.ts", ROOT));

/** The caller's settings must not reach the servers, above all not MONGO_URL. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR, NODE_OPTIONS } = process.env;
  const kept = Object.entries({ PATH: `${PATH}:/usr/sbin`, HOME, TMPDIR, NODE_OPTIONS });
  return Object.fromEntries(kept.filter(([, value]) => value !== undefined));
}

/** Whether the program can be started here. */
export function isInstalled(program: string): boolean {
  return spawnSync(program, ["--version"], { env: cleanEnvironment(), stdio: "ignore" }).error === undefined;
}

/**
 * Settings of all processes of a platform. Rate limits are not what is measured, and all members connect from
 * this machine.
 */
export function platformEnvironment(): NodeJS.ProcessEnv {
  return {
    ...cleanEnvironment(),
    NODE_ENV: "production",
    TOKEN_SECRET: randomBytes(32).toString("hex"),
    HOST: "127.0.0.1",
    LOG_LEVEL: "warn",
    RATE_LIMIT_FACTOR: "1000",
    // The members of a run are guests.
    GUESTS: "on",
    REGISTRATION: "open",
    MAX_CONNECTIONS: "1000000",
    MAX_CONNECTIONS_PER_ADDRESS: "1000000",
  };
}

/** The platform's program; `env` says which services it hosts. */
export function nodeProgram(
  name: string,
  { env, port, opsPort, dataDir }: { env: NodeJS.ProcessEnv; port: number; opsPort: number; dataDir: string },
): ServerProgram {
  return {
    name,
    command: process.execPath,
    args: ["--max-semi-space-size=16", NODE_MAIN],
    env: { ...env, PORT: String(port), OPS_PORT: String(opsPort), DATA_DIR: dataDir },
    isReady: () => answersOk(`http://127.0.0.1:${opsPort}/readyz`),
  };
}

/** The same program, with all its threads and child processes on these processors. */
export function pinned(program: ServerProgram, cores: string): ServerProgram {
  return { ...program, command: "taskset", args: ["--cpu-list", cores, program.command, ...program.args] };
}

/** The embedded database as a separate server. */
export function databaseProgram(folder: string, port: number): ServerProgram {
  const args = [DATABASE_MAIN, "--dir", join(folder, "db"), "--port", String(port)];
  return { ...localServer("database", args, () => accepts(port)), command: process.execPath };
}

export function natsProgram(port: number, monitorPort: number): ServerProgram {
  const args = ["-a", "127.0.0.1", "-p", String(port), "-m", String(monitorPort)];
  return localServer("nats-server", args, () => answersOk(`http://127.0.0.1:${monitorPort}/healthz`));
}

export function redisProgram(folder: string, port: number): ServerProgram {
  const settings = { bind: "127.0.0.1", port: String(port), dir: folder, save: "", appendonly: "no" };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  return localServer("redis-server", args, () => accepts(port));
}

const localServer = (name: string, args: string[], isReady: () => Promise<boolean>): ServerProgram => ({
  name,
  command: name,
  args,
  env: cleanEnvironment(),
  isReady,
});

const answersOk = (url: string): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(1000) }).then(
    ({ ok }) => ok,
    () => false,
  );

/** Whether a port of this machine accepts connections. */
export function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("error", () => resolve(false));
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
  });
}

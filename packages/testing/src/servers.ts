import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { connect } from "node:net";
import { type LaunchOptions, type PasswordOptions, startServer, writeConfig } from "./launch.ts";
import type { ServerProcess } from "./server-process.ts";

/** Where the project lies. */
export const PROJECT_FOLDER = fileURLToPath(new URL("../../..", import.meta.url));

const SYSTEM_FOLDERS = ["/usr/sbin", "/usr/local/sbin"];

/**
 * Whether a program that some tests need is installed. Use with `describe.skipIf(!isInstalled(...))`.
 * @throws {Error} when it is missing and REQUIRE_ALL_TESTS=1 says that nothing may be skipped
 */
export function isInstalled(program: string): boolean {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), ...SYSTEM_FOLDERS];
  const found = folders.some((folder) => isExecutable(join(folder, program)));
  if (!found && process.env["REQUIRE_ALL_TESTS"] === "1") {
    throw new Error(`${program} is not installed, and REQUIRE_ALL_TESTS=1 allows no test to be skipped.`);
  }
  if (!found) console.warn(`${program} is not installed: the tests that need it are skipped.`);
  return found;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const ANSWER_TIMEOUT_MS = 1000;

/**
 * Connects to a port of 127.0.0.1, says something, and resolves with the first thing that comes back.
 * @throws {Error} when nothing listens there, or no data arrives within a second
 */
function talk(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    socket.setTimeout(ANSWER_TIMEOUT_MS, () => socket.destroy(new Error("no answer")));
    socket.once("error", reject);
    socket.once("close", () => reject(new Error("no answer")));
    socket.once("data", (data) => {
      resolve(data.toString("latin1"));
      socket.destroy();
    });
    if (text !== "") socket.write(text);
  });
}

export type NatsServer = ServerProcess;

const USER = "fanfare";

/**
 * Starts a real nats-server, on a free port unless one is given.
 * @throws {Error} when it does not start
 */
export function startNats(options: LaunchOptions & PasswordOptions = {}): Promise<NatsServer> {
  const { password } = options;
  return startServer("nats", options, ({ port, folder }) => {
    const authorization = `authorization { user: ${USER}, password: "${password}" }`;
    const config = password === undefined ? [] : ["-c", writeConfig(folder, "nats.conf", [authorization])];
    return {
      command: "nats-server",
      args: ["-a", "127.0.0.1", "-p", String(port), ...config],
      url: `nats://${password === undefined ? "" : `${USER}:${password}@`}127.0.0.1:${port}`,
      isReady: async () => (await talk(port, "")).startsWith("INFO"),
    };
  });
}

/**
 * Starts a real redis-server, on a free port unless one is given. It keeps nothing on disk: its data is lost when it is killed.
 * @throws {Error} when it does not start
 */
export function startRedis(options: LaunchOptions & PasswordOptions = {}): Promise<ServerProcess> {
  const { password } = options;
  return startServer("redis", options, ({ port, folder }) => ({
    command: "redis-server",
    args: [
      ...(password === undefined ? [] : [writeConfig(folder, "redis.conf", [`requirepass ${password}`])]),
      "--bind",
      "127.0.0.1",
      "--port",
      String(port),
      "--dir",
      folder,
      "--save",
      "",
      "--appendonly",
      "no",
    ],
    url: `redis://${password === undefined ? "" : `:${password}@`}127.0.0.1:${port}`,
    // Before the password is given too, it answers only when it serves.
    isReady: async () => /^(\+PONG|-NOAUTH)/.test(await talk(port, "PING\r\n")),
  }));
}

const PROGRAM = join(PROJECT_FOLDER, "packages/embedded-mongo/src/main.ts");

/**
 * Starts the embedded database as a program of its own, on a free port unless one is given. What it acknowledged it still has
 * when it is killed and started again.
 * @throws {Error} when it does not start
 */
export function startDatabase(options: LaunchOptions = {}): Promise<ServerProcess> {
  return startServer("database", options, ({ port, folder }) => ({
    command: process.execPath,
    args: [PROGRAM, "--dir", join(folder, "data"), "--port", String(port)],
    url: `mongodb://127.0.0.1:${port}`,
    isReady: (printed) => printed.includes("ready mongodb://"),
  }));
}

import { accessSync, constants, cpSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort, freeUdpPort } from "./ports.ts";
import { ServerProcess, type ServerProgram } from "./server-process.ts";

/** The root of the repository. */
export const PROJECT_FOLDER = fileURLToPath(new URL("../../..", import.meta.url));

const SYSTEM_FOLDERS = ["/usr/sbin", "/usr/local/sbin"];

/**
 * Whether a program that some tests need is installed: `describe.skipIf(!isInstalled(...))`.
 * @throws {Error} if it is missing and REQUIRE_ALL_TESTS=1 forbids skipping tests
 */
export function isInstalled(program: string): boolean {
  const found = isOnPath(program);
  if (!found && process.env["REQUIRE_ALL_TESTS"] === "1") {
    throw new Error(`${program} is not installed, and REQUIRE_ALL_TESTS=1 allows no test to be skipped.`);
  }
  if (!found) console.warn(`${program} is not installed: the tests that need it are skipped.`);
  return found;
}

/** Whether a program is on the PATH, or where Debian installs servers. */
export function isOnPath(program: string): boolean {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), ...SYSTEM_FOLDERS];
  return folders.some((folder) => isExecutable(join(folder, program)));
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const RESPONSE_TIMEOUT_MS = 1000;

/**
 * Connects to a port of 127.0.0.1, sends a text and resolves with the first data received.
 * @throws {Error} if nothing listens there, or no data arrives within a second
 */
function probe(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    socket.setTimeout(RESPONSE_TIMEOUT_MS, () => socket.destroy(new Error("no response")));
    socket.once("error", reject);
    socket.once("close", () => reject(new Error("no response")));
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
 * Starts a nats-server, on a free port unless one is given.
 * @throws {Error} if it doesn't start
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
      isReady: async () => (await probe(port, "")).startsWith("INFO"),
    };
  });
}

/**
 * Starts a redis-server without persistence, on a free port unless one is given.
 * @throws {Error} if it doesn't start
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
    // Responds, even with NOAUTH, only once it is ready.
    isReady: async () => /^(\+PONG|-NOAUTH)/.test(await probe(port, "PING\r\n")),
  }));
}

const DATABASE_PROGRAM = join(PROJECT_FOLDER, "packages/embedded-mongo/src/main.ts");

/**
 * Starts the embedded database as a separate process, on a free port unless one is given. Acknowledged writes survive a kill and
 * restart.
 * @param options.copyOf the data folder of a stopped database to start with
 * @throws {Error} if it doesn't start
 */
export function startDatabase(options: LaunchOptions & { copyOf?: string } = {}): Promise<ServerProcess> {
  return startServer("database", options, ({ port, folder }) => {
    const dir = join(folder, "data");
    if (options.copyOf !== undefined) cpSync(options.copyOf, dir, { recursive: true });
    return {
      command: process.execPath,
      args: [DATABASE_PROGRAM, "--dir", dir, "--port", String(port)],
      url: `mongodb://127.0.0.1:${port}`,
      isReady: (printed) => printed.includes("ready mongodb://"),
    };
  });
}

export interface LaunchOptions {
  /** The name of the log file. Default: the kind of server. */
  name?: string;
  /** Default: a free port below 32,768. */
  port?: number;
  /** The folder of the log and the data; `stop` doesn't remove it. Default: a temporary folder. */
  folder?: string;
}

interface PasswordOptions {
  /** Letters, digits, - and _. Passed in a private file, not on the command line. */
  password?: string;
}

/** Writes a server's configuration with its password, readable only by this user. @returns the path */
function writeConfig(folder: string, name: string, lines: readonly string[]): string {
  const path = join(folder, name);
  // An existing file would keep its mode.
  rmSync(path, { force: true });
  writeFileSync(path, `${lines.join("\n")}\n`, { mode: 0o600 });
  return path;
}

/** Starts a server with a free port and a temporary folder unless they are given. */
export async function startServer(
  kind: string,
  options: LaunchOptions,
  program: (place: {
    port: number;
    folder: string;
  }) => Omit<ServerProgram, "name" | "port" | "folder" | "temporary">,
): Promise<ServerProcess> {
  const port = options.port ?? (await freePort());
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), `fanfare-${kind}-`)));
  const server = new ServerProcess({
    ...program({ port, folder }),
    name: options.name ?? kind,
    port,
    folder,
    temporary: options.folder === undefined,
  });
  try {
    await server.start();
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}

const LIVEKIT_PROGRAM = "livekit-server";
const DISCARD_PORT = 9;

export interface LiveKitOptions extends LaunchOptions {
  /** The API key, and its secret of 32 or more characters. */
  key: string;
  secret: string;
  /** Where LiveKit posts what happens in its rooms. Default: nowhere. */
  webhookUrl?: string;
}

/** `url` is for clients, as LIVEKIT_URL; `serverUrl` for servers, as LIVEKIT_SERVER_URL. Clients send media to the UDP port `mediaPort`. */
export type LiveKitServer = ServerProcess & { serverUrl: string; mediaPort: number };

/** Whether tests can call `startLiveKit`: `describe.skipIf(!hasLiveKit())`. Throws like `isInstalled`. */
export const hasLiveKit = (): boolean => isInstalled(LIVEKIT_PROGRAM);

/**
 * Starts a livekit-server that only uses 127.0.0.1. Media goes over UDP: LiveKit would listen for media over TCP on all addresses.
 * @throws {Error} if it doesn't start
 */
export async function startLiveKit(options: LiveKitOptions): Promise<LiveKitServer> {
  const { key, secret, webhookUrl } = options;
  const mediaPort = await freeUdpPort();
  const server = await startServer("livekit", options, ({ port, folder }) => {
    const config = {
      port,
      bind_addresses: ["127.0.0.1"],
      rtc: {
        udp_port: mediaPort,
        tcp_port: 0,
        node_ip: "127.0.0.1",
        ips: { includes: ["127.0.0.1/32"] },
        enable_loopback_candidate: true,
        use_external_ip: false,
        // Nothing listens there. By default, clients would ask public servers for their address.
        stun_servers: [`127.0.0.1:${DISCARD_PORT}`],
      },
      keys: { [key]: secret },
      ...(webhookUrl === undefined ? {} : { webhook: { api_key: key, urls: [webhookUrl] } }),
    };
    return {
      command: LIVEKIT_PROGRAM,
      // YAML includes JSON.
      args: ["--config", writeConfig(folder, "livekit.yaml", [JSON.stringify(config)])],
      url: `ws://127.0.0.1:${port}`,
      isReady: async () => (await fetch(`http://127.0.0.1:${port}/`)).ok,
      // After a SIGTERM, it would wait until everyone has left.
      stopSignal: "SIGKILL",
    };
  });
  return Object.assign(server, { serverUrl: server.url.replace("ws:", "http:"), mediaPort });
}

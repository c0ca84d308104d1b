import { resolve, join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { LIMITS } from "@fanfare/contract";
import { ConfigError, loadConfig, misspelledSettings, type Config } from "@fanfare/kernel/config";
import type { Fanfare } from "./start-fanfare.ts";
import { onUncaughtError } from "./uncaught-errors.ts";
import { existsSync } from "node:fs";

/** Hosts that stand for all addresses of this machine. */
const EVERYWHERE = new Set(["0.0.0.0", "::"]);

const HIGHEST_PORT = 65_535;

const OWN_ERRORS = new Set([
  "DataFolderInUseError",
  "DataFolderMismatchError",
  "DataFolderCorruptError",
  "StorageUnusableError",
  "PluginError",
  "StartError",
]);

/** A slower shutdown is aborted, which loses nothing: acknowledged data is on disk. */
const STOP_TIMEOUT_MS = 10_000;
const STOPPED_BY_SIGNAL = 130;
/** EX_SOFTWARE of sysexits.h, so that a supervisor restarts the process. */
const CRASHED = 70;
/** Maximum time to disconnect the clients after a crash. */
const ABANDON_TIMEOUT_MS = 1000;

/** What users type, printed with other advice. */
interface Commands {
  start: string;
  measure: (url: string) => string;
}

const CHECKOUT: Commands = {
  start: "npx -y pnpm@12 dev",
  measure: () => "npx -y pnpm@12 bench:broadcast --users 1000",
};

/**
 * The main program: reads the configuration from the environment, starts, and stops on SIGINT or SIGTERM. A second signal ends it
 * immediately. It also ends after an uncaught error, or when its database or a gateway thread has ended, so that a supervisor
 * restarts it.
 * Exit codes: 0 clean stop, 1 could not start, 70 crashed, 130 aborted.
 */
export async function runProgram(commands = CHECKOUT): Promise<void> {
  // Collects garbage when the heap has grown to 1.6 times its live size instead of four times. In `bench pressure`, memory
  // grows by 191 MiB under load (258 MiB with 100), at about the same throughput.
  setFlagsFromString("--heap-growing-percent=60");
  const config = readConfig();
  // Loaded late, so that configuration errors are reported before loading all services.
  const { startFanfare } = await import("./start-fanfare.ts");
  let fanfare: Fanfare | undefined;
  let stopping = false;
  const stop = (exitCode: number): void => {
    if (stopping) process.exit(STOPPED_BY_SIGNAL);
    stopping = true;
    setTimeout(() => process.exit(exitCode || STOPPED_BY_SIGNAL), STOP_TIMEOUT_MS).unref();
    void Promise.resolve(fanfare?.stop()).then(
      () => process.exit(exitCode),
      (error: unknown) => fail(`Fanfare did not stop cleanly: ${String(error)}`),
    );
  };
  process.on("SIGINT", () => stop(0));
  process.on("SIGTERM", () => stop(0));
  try {
    fanfare = await startFanfare(config, (error) => {
      if (stopping) return;
      process.stderr.write(`Fanfare cannot continue: ${error.message}\n`);
      stop(fanfare === undefined ? 1 : CRASHED);
    });
  } catch (error) {
    fail(explainStartError(error, config, commands) ?? `Fanfare could not start: ${describe(error)}`);
  }
  const running = fanfare;
  let crashing = false;
  onUncaughtError(running.context, () => {
    if (crashing) return;
    crashing = true;
    const exit = (): never => process.exit(CRASHED);
    setTimeout(exit, ABANDON_TIMEOUT_MS);
    running.abandon().then(exit, exit);
  });
  const notice = await adminNotice(fanfare, config);
  const doubts = misspelledSettings(process.env);
  if (config.environment === "development") {
    process.stdout.write(greeting(fanfare, config, notice, commands));
    for (const doubt of doubts) process.stderr.write(`${doubt}\n`);
  } else {
    const { url, opsUrl, context } = fanfare;
    context.logger.info({ url, opsUrl }, "Fanfare is running");
    for (const doubt of doubts) context.logger.warn({}, doubt);
    if (notice !== null) context.logger.warn({}, `Admin: ${notice}`);
    const noticeOnPage = missingPageNotice(config);
    if (noticeOnPage !== null) context.logger.warn({}, `Page: ${noticeOnPage}`);
  }
}

/** In production, also prints a setup link while there is no admin. */
async function adminNotice(fanfare: Fanfare, config: Config): Promise<string | null> {
  const state = await fanfare.adminState();
  if (config.environment !== "production" || state !== "none") return noticeOfAdmin(state);
  process.stdout.write(setupNotice(config.publicUrl, await fanfare.createSetupToken()));
  return "there is none yet: open the setup link on standard output, or run `fanfare create-admin`";
}

function readConfig(): Config {
  try {
    return loadConfig();
  } catch (error) {
    if (error instanceof ConfigError) fail(error.message);
    throw error;
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function fail(reason: string): never {
  process.stderr.write(`${reason}\n`);
  process.exit(1);
}

/** A one-line explanation with a solution for known startup errors; undefined for others, which are printed in full. */
function explainStartError(error: unknown, config: Config, { start }: Commands): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof ConfigError) return error.message;
  if (error.name === "DataFolderInUseError") {
    return `${error.message} Stop it, or start this one with its own data folder and ports: ${elsewhere(config, start)}`;
  }
  if (OWN_ERRORS.has(error.name)) return error.message;
  const { code, port, path } = error as NodeJS.ErrnoException & { port?: number };
  if (path !== undefined && resolve(path).startsWith(resolve(config.dataDir))) {
    return `DATA_DIR=${config.dataDir} cannot be used: ${error.message}. Choose a folder that this user can write to.`;
  }
  if (code === "EADDRINUSE") {
    return `Port ${port} is in use by another program. Stop it, or choose other ports: ${otherPorts(config, start)}`;
  }
  if (code === "EACCES" && port !== undefined) {
    return `Port ${port} requires privileges that this process does not have. Choose other ports: ${otherPorts(config, start)}`;
  }
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") {
    return `HOST=${config.host} or OPS_HOST=${config.opsHost} is not an address of this machine.`;
  }
  return undefined;
}

function otherPorts({ port, opsPort, environment }: Config, start: string): string {
  const ports = `PORT=${otherPort(port)} OPS_PORT=${otherPort(opsPort)}`;
  return environment === "development" ? `${ports} ${start}` : ports;
}

function otherPort(port: number): number {
  return port + 100 <= HIGHEST_PORT ? port + 100 : port - 100;
}

function elsewhere(config: Config, start: string): string {
  return `DATA_DIR=${config.dataDir}-2 ${otherPorts(config, start)}`;
}

/** Instructions while there is no admin, otherwise null. */
function noticeOfAdmin(state: Awaited<ReturnType<Fanfare["adminState"]>>): string | null {
  if (state === "firstToRegister") return "there is none yet: the first to register becomes admin";
  return state === "none" ? "there is none: create one with `fanfare create-admin`" : null;
}

/** For standard output instead of the log, which removes tokens and is often read by more people. */
function setupNotice(publicUrl: string, token: string): string {
  const hours = LIMITS.setupLinkLifetimeMs / 3_600_000;
  return `Fanfare has no admin yet. Open this link within ${hours} hours to create the first one:\n${publicUrl}/setup#token=${token}\n`;
}

/** Printed at startup in development. */
function greeting(
  { url, engine }: Pick<Fanfare, "url" | "engine">,
  config: Config,
  adminNotice: string | null,
  commands: Commands,
): string {
  const data = {
    embedded: `in ${resolve(config.dataDir)}; kept across restarts`,
    mongodb: "in the MongoDB of MONGO_URL",
    none: "with the processes that store it",
  }[engine ?? "none"];
  return [
    "",
    `  Fanfare is running at ${url}`,
    ...(EVERYWHERE.has(config.host) ? ["  and for others in your network at this machine's address"] : []),
    "",
    "  Try it     open that address in two browser windows and write to yourself",
    ...(adminNotice === null ? [] : [`  Admin      ${adminNotice}`]),
    `  Data       ${data}`,
    `  Measure    ${commands.measure(url)}`,
    "  Stop       Ctrl-C",
    "",
    "",
  ].join("\n");
}

/** Instructions when the page isn't built; null when it is, or when this process doesn't serve it. */
export function missingPageNotice({ services, webDir }: Pick<Config, "services" | "webDir">): string | null {
  if (!services.includes("gateway") || existsSync(join(webDir, "index.html"))) return null;
  return `no web client in WEB_DIR (${resolve(webDir)}): build it with \`npx -y pnpm@12 build\``;
}

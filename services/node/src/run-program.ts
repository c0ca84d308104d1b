import { ConfigError, loadConfig, misspelledSettings, type Config } from "@fanfare/kernel";
import { explainStartError } from "./explain-start-error.ts";
import { greeting, noticeOfAdmin, setupNotice } from "./greeting.ts";
import { noticeOfPage } from "./notice-of-page.ts";
import { startFanfare, type Fanfare } from "./start-fanfare.ts";
import { onUncaughtError } from "./uncaught-errors.ts";

/** A stop that takes longer than this is cut short: what was acknowledged is on disk all the same. */
const STOP_TIMEOUT_MS = 10_000;
const STOPPED_BY_SIGNAL = 130;
/** EX_SOFTWARE of sysexits.h: a supervisor has to restart the process. */
const CRASHED = 70;
/** The longest that it takes to tell the clients of a crash. */
const ABANDON_TIMEOUT_MS = 1000;

/**
 * The program: reads the configuration from the environment, starts, and stops at SIGINT or SIGTERM. A second signal ends
 * it at once. It also ends after an uncaught error, or when its database or a gateway thread has ended: its supervisor restarts it.
 * Exit codes: 0 stopped as asked, 1 could not start, 70 could not go on, 130 cut short.
 */
export async function runProgram(): Promise<void> {
  const config = readConfig();
  let fanfare: Fanfare | undefined;
  let stopping = false;
  const stop = (exitCode: number): void => {
    if (stopping) process.exit(STOPPED_BY_SIGNAL);
    stopping = true;
    setTimeout(() => process.exit(STOPPED_BY_SIGNAL), STOP_TIMEOUT_MS).unref();
    void Promise.resolve(fanfare?.stop()).then(
      () => process.exit(exitCode),
      (error: unknown) => fail(`It did not stop cleanly: ${String(error)}`),
    );
  };
  process.on("SIGINT", () => stop(0));
  process.on("SIGTERM", () => stop(0));
  try {
    fanfare = await startFanfare(config, (error) => {
      process.stderr.write(`Fanfare cannot go on: ${error.message}\n`);
      stop(fanfare === undefined ? 1 : CRASHED);
    });
  } catch (error) {
    fail(explainStartError(error, config) ?? `It could not start: ${describe(error)}`);
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
    process.stdout.write(greeting(fanfare, config, notice));
    for (const doubt of doubts) process.stderr.write(`${doubt}\n`);
  } else {
    const { url, opsUrl, context } = fanfare;
    context.logger.info({ url, opsUrl }, "Fanfare is running");
    for (const doubt of doubts) context.logger.warn({}, doubt);
    if (notice !== null) context.logger.warn({}, `Admin: ${notice}`);
    const noticeOnPage = noticeOfPage(config);
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

import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ExitCode, ExitError } from "../cli/exit.ts";
import { withStopSignals } from "../cli/scenario.ts";
import { nowMs } from "../kernels/broadcast/clock.ts";
import { isInstalled } from "../platform/programs.ts";
import { describeEnvironment } from "../report/environment.ts";
import { duration } from "../report/format.ts";
import type { Result } from "../report/result.ts";
import { SUITE_VERSION, type Profile, type RowOutcome, type Suite, type SuiteRow } from "./suite-files.ts";

const DIGITS = 4;

/** Rounds stored results to the digits that exceed noise: a third of the size. */
function compact<T>(value: T): T {
  const rounded = (_: string, inner: unknown) =>
    typeof inner === "number" && !Number.isInteger(inner) ? Number(inner.toPrecision(DIGITS)) : inner;
  return JSON.parse(JSON.stringify(value, rounded)) as T;
}

const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url));
const KEPT_OUTPUT_CHARS = 2000;
/** After Ctrl-C it cleans up; after this time it is killed. */
const CLEAN_UP_MS = 20_000;

interface RowRun {
  outcome: RowOutcome;
  result: Result | undefined;
}

/**
 * Runs one row as its own process: the suite continues if it fails.
 * @param folder for temporary files
 */
export async function runRow(
  { name, title }: Pick<SuiteRow, "name" | "title">,
  command: string,
  folder: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<RowRun> {
  const json = join(folder, `${name}.json`);
  const startedMs = nowMs();
  const { code, said, isLate } = await execute([...command.split(" "), "--json", json], timeoutMs, signal);
  const text = await readFile(json, "utf8").catch(() => "");
  await rm(json, { force: true });
  const isComplete = [ExitCode.ok, ExitCode.failed, ExitCode.thresholdFailed].some((one) => one === code);
  const result = isComplete && text !== "" ? (JSON.parse(text) as Result) : undefined;
  const failed = result?.thresholds.filter(({ passed }) => !passed) ?? [];
  const problem = isLate
    ? `timed out after ${Math.round(timeoutMs / 1000)} s`
    : code === ExitCode.ok
      ? null
      : said.trim().split("\n").slice(-3).join(" ") ||
        failed.map(({ expression }) => `--threshold ${expression} failed`).join(", ") ||
        `exit code ${code}`;
  const outcome = { name, title, command, code: isLate ? null : code, durationMs: nowMs() - startedMs };
  return { outcome: { ...outcome, hasResult: result !== undefined, problem }, result };
}

/** @returns `said`: the end of what it wrote to stderr */
async function execute(args: readonly string[], timeoutMs: number, signal: AbortSignal) {
  // In its own process group, so that Ctrl-C reaches it only once, through this process.
  const child = spawn(process.execPath, [MAIN, ...args, "--no-progress"], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, NO_COLOR: "1" },
    detached: true,
  });
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => (said = (said + chunk.toString()).slice(-KEPT_OUTPUT_CHARS)));
  const late = AbortSignal.timeout(timeoutMs);
  const ending = AbortSignal.any([signal, late]);
  const end = () => {
    child.kill("SIGINT");
    setTimeout(() => child.kill("SIGKILL"), CLEAN_UP_MS).unref();
  };
  ending.addEventListener("abort", end, { once: true });
  const code = await new Promise<number | null>((resolve) => {
    child.once("error", (error) => {
      said += error.message;
      resolve(null);
    });
    child.once("close", resolve);
  });
  ending.removeEventListener("abort", end);
  return { code, said, isLate: late.aborted };
}

/** Per row. */
const TIMEOUT_MS: Record<Profile, number> = { quick: 900_000, full: 3_600_000 };

/**
 * Runs one row after the other, each in its own process, with progress on stderr.
 * @throws {ExitError} if no row has a result
 */
export async function runSuite(rows: readonly SuiteRow[], profile: Profile): Promise<Suite> {
  const [startedAt, startedMs] = [new Date().toISOString(), nowMs()];
  const environment = describeEnvironment();
  const outcomes: RowOutcome[] = [];
  const results = new Map<string, Result>();
  const interrupted = await withStopSignals(async (signal, cleanUps) => {
    const folder = await mkdtemp(join(tmpdir(), "fanfare-suite-"));
    cleanUps.push(() => rm(folder, { recursive: true, force: true }));
    for (const [i, row] of rows.entries()) {
      // The rows until then are reported.
      if (signal.aborted) break;
      const command = row[profile]!;
      process.stderr.write(`${i + 1}/${rows.length} bench ${command}\n`);
      const { outcome, result } =
        withoutPrograms(row, command) ?? (await runRow(row, command, folder, TIMEOUT_MS[profile], signal));
      outcomes.push({ ...outcome, durationMs: Math.round(outcome.durationMs) });
      if (result) results.set(row.name, compact(result));
      process.stderr.write(`    ${outcome.problem ?? "done"}, ${duration(outcome.durationMs)}\n`);
    }
    return signal.aborted;
  });
  if (results.size === 0) throw new ExitError(ExitCode.couldNotConnect, "No row has a result.");
  const durationMs = Math.round(nowMs() - startedMs);
  const run = { profile, startedAt, durationMs, interrupted, environment };
  return { index: { version: SUITE_VERSION, ...run, rows: outcomes }, results };
}

/** undefined: all programs the row needs are installed. */
function withoutPrograms({ name, title, needs = [] }: SuiteRow, command: string): RowRun | undefined {
  const missing = needs.filter((program) => !isInstalled(program));
  if (missing.length === 0) return undefined;
  const problem = `${missing.join(" and ")} must be installed`;
  const nothing = { code: null, durationMs: 0, hasResult: false, problem };
  return { outcome: { name, title, command, ...nothing }, result: undefined };
}

import { open, writeFile } from "node:fs/promises";
import { describeEnvironment } from "./environment.ts";
import { ExitCode, usageError } from "./exit.ts";
import { nowMs } from "./measure/clock.ts";
import { ErrorTable } from "./measure/error-table.ts";
import { allowedFaults, faultsOf } from "./report/faults.ts";
import { whole } from "./report/format.ts";
import { htmlReport } from "./report/html/html-report.ts";
import { nothingSummary } from "./report/nothing-summary.ts";
import { Progress } from "./report/progress.ts";
import { RESULT_VERSION, type Result } from "./report/result.ts";
import { checkThresholds, type Threshold } from "./report/thresholds.ts";

export interface CommandContext {
  progress: Progress;
  errors: ErrorTable;
  /** Aborted by Ctrl-C and other signals to stop. */
  signal: AbortSignal;
  /** Runs at the end, however the command ends, in reverse order. */
  defer: (cleanUp: () => Promise<void>) => void;
}

/** Ctrl-C, `kill`, and a closed terminal. */
export const STOP_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

type Head =
  | "version"
  | "command"
  | "startedAt"
  | "durationMs"
  | "interrupted"
  | "options"
  | "environment"
  | "thresholds";
type Body<R extends Result> = Omit<R, Head>;

export interface CommandRun<R extends Result> {
  command: R["command"];
  options: Record<string, unknown>;
  json: string | undefined;
  html: string | undefined;
  progress: boolean | undefined;
  thresholds: readonly Threshold[];
  /** Faults that don't fail the run. */
  allow: readonly string[];
  metrics: (body: Body<R>) => Record<string, number | null>;
  measure: (context: CommandContext) => Promise<Body<R>>;
  print: (result: R) => string;
}

/** Common to all commands: Ctrl-C, cleanup, the result on stdout and in a file, the exit code. */
export async function runCommand<R extends Result>(run: CommandRun<R>): Promise<void> {
  const allowed = allowedFaults(run.allow);
  await assertWritable("json", run.json);
  await assertWritable("html", run.html);
  const startedAt = new Date().toISOString();
  const startedMs = nowMs();
  // Before the run: at its end there may be another commit, and a machine full of connections may be unable to
  // start git.
  const environment = describeEnvironment();
  const interruption = new AbortController();
  const onSignal = () => {
    // The second Ctrl-C exits at once; "exit" handlers still clean up.
    if (interruption.signal.aborted) process.exit(ExitCode.interrupted);
    interruption.abort(new Error("interrupted"));
    process.stderr.write("\nInterrupted: cleaning up. Press Ctrl-C again to exit at once.\n");
  };
  for (const name of STOP_SIGNALS) process.on(name, onSignal);
  const cleanUps: (() => Promise<void>)[] = [];
  const { signal } = interruption;
  const progress = new Progress(run.progress);
  const errors = new ErrorTable();
  try {
    const body = await run.measure({
      progress,
      errors,
      signal,
      defer: (cleanUp) => cleanUps.push(cleanUp),
    });
    const result = {
      version: RESULT_VERSION,
      command: run.command,
      startedAt,
      durationMs: nowMs() - startedMs,
      interrupted: signal.aborted,
      options: run.options,
      environment,
      ...body,
      thresholds: checkThresholds(run.thresholds, run.metrics(body)),
    } as unknown as R;
    if (run.json !== undefined) await writeFile(run.json, `${JSON.stringify(result, null, 2)}\n`);
    if (run.html !== undefined) await writeFile(run.html, htmlReport([result]));
    process.stdout.write(`${run.print(result)}\n`);
    if (result.thresholds.some((threshold) => !threshold.passed)) process.exitCode = ExitCode.thresholdFailed;
    const faults = faultsOf(result).filter(({ key }) => !allowed.includes(key));
    if (faults.length > 0) {
      const list = faults.map(({ label, value }) => `${label} ${whole(value)}`).join(", ");
      const names = faults.map(({ key }) => key).join(",");
      process.stderr.write(`The run failed: ${list}. Use --allow ${names} if that is expected.\n`);
      process.exitCode = ExitCode.failed;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    const afterMs = nowMs() - startedMs;
    process.stdout.write(
      `${nothingSummary(run.command, { afterMs, last: progress.last, errors: errors.rows() })}\n`,
    );
  } finally {
    for (const cleanUp of cleanUps.toReversed()) await cleanUp();
    if (signal.aborted) process.exitCode = ExitCode.interrupted;
    for (const name of STOP_SIGNALS) process.off(name, onSignal);
  }
}

/** Checked before the run, not after it. The file keeps its content until there is a result. */
export async function assertWritable(option: string, file: string | undefined): Promise<void> {
  if (file === undefined) return;
  try {
    await (await open(file, "a")).close();
  } catch (error) {
    throw usageError(`Could not write --${option} ${file}: ${(error as Error).message}.`);
  }
}

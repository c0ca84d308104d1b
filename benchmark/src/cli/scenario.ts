import { open, rm, writeFile } from "node:fs/promises";
import type { ArgumentsCamelCase, Argv, CommandModule, InferredOptionTypes } from "yargs";
import { nowMs } from "../kernels/broadcast/clock.ts";
import { ErrorTable } from "../kernels/broadcast/error-table.ts";
import { describeEnvironment } from "../report/environment.ts";
import { csv, prometheusText } from "../report/export.ts";
import { whole } from "../report/format.ts";
import { htmlReport } from "../report/html-report.ts";
import { overPasses, ratioName, type MetricName } from "../report/metric.ts";
import { Progress } from "../report/progress.ts";
import { fewValuesCaveat, RESULT_VERSION, type Outcome, type Result } from "../report/result.ts";
import { nothingText, textReport } from "../report/text-report.ts";
import { allowedFaults, checkThresholds, faultsIn, parseThresholds } from "../report/thresholds.ts";
import { ExitCode, usageError } from "./exit.ts";
import { byFlag, readOptions, RESULT_OPTIONS, type OptionTable, type OptionValues } from "./options.ts";

/** What a measurement can use. */
export interface RunTools {
  progress: Progress;
  errors: ErrorTable;
  /** Aborted by Ctrl-C and other signals to stop. */
  signal: AbortSignal;
}

/** What a run can use while it measures. */
export interface RunContext extends RunTools {
  /** Runs at the end, however the run ends, in reverse order. */
  defer: (cleanUp: () => Promise<void>) => void;
}

/** A run whose options have been checked. */
export interface PlannedRun {
  /** Shown in the result. */
  options: Record<string, unknown>;
  /**
   * On an abort signal, resolves with what has been measured until then, or rejects if that is nothing.
   * @throws {ExitError}
   */
  measure: (context: RunContext) => Promise<Outcome>;
}

/** A command that measures. */
interface Scenario<Table extends OptionTable> {
  name: string;
  describe: string;
  options: Table;
  examples: [command: string, description: string][];
  /** What it measures, for --threshold. */
  metrics: readonly MetricName[];
  /** Those that it divides by the same ones of another server. */
  ratios?: readonly MetricName[];
  /** @throws {ExitError} naming the first invalid option, before anything is started */
  plan: (values: OptionValues<Table>) => PlannedRun | Promise<PlannedRun>;
}

type ResultArguments = InferredOptionTypes<typeof RESULT_OPTIONS>;

/** The scenario as a command of yargs. */
export function scenario<Table extends OptionTable>(
  definition: Scenario<Table>,
): CommandModule<object, ResultArguments> {
  const { name, describe, options, examples } = definition;
  return plainCommand(
    name,
    describe,
    (yargs) => yargs.options(byFlag(options)).example(examples).options(RESULT_OPTIONS),
    (args) => runScenario(definition, args),
  );
}

/** A command that measures nothing itself. */
export function plainCommand<Args>(
  command: string,
  describe: string,
  builder: (yargs: Argv) => Argv<Args>,
  handler: (args: ArgumentsCamelCase<Args>) => Promise<void>,
): CommandModule<object, Args> {
  return { command, describe, builder, handler };
}

/** Ctrl-C, `kill`, and a closed terminal. */
const STOP_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** What a result is written as, by the options that name the files. */
const FILES = {
  json: (result: Result) => `${JSON.stringify(result, null, 2)}\n`,
  html: (result: Result) => htmlReport([result]),
  csv: (result: Result) => csv([result]),
  prometheus: (result: Result) => prometheusText([result]),
};
const FILE_KINDS = Object.keys(FILES) as (keyof typeof FILES)[];

/** Checks the options, measures, reports the result on stdout and in files, and sets the exit code. */
async function runScenario<Table extends OptionTable>(
  definition: Scenario<Table>,
  args: ArgumentsCamelCase<ResultArguments>,
): Promise<void> {
  const allowed = allowedFaults(args.allow);
  const names = [...definition.metrics, ...(definition.ratios ?? []).map(ratioName)];
  const thresholds = parseThresholds(args.threshold, names);
  const run = await definition.plan(readOptions(definition.options, args));
  for (const kind of FILE_KINDS) await assertWritable(kind, args[kind]);
  // Before the run: at its end there may be another commit, and a machine full of connections may be unable to start git.
  const environment = describeEnvironment();
  const progress = new Progress(args.progress);
  const measure = async (signal: AbortSignal, cleanUps: (() => Promise<void>)[]) => {
    const [startedAt, startedMs] = [new Date().toISOString(), nowMs()];
    const errors = new ErrorTable();
    try {
      const defer = (cleanUp: () => Promise<void>) => void cleanUps.push(cleanUp);
      const { title, subtitle, ...outcome } = await run.measure({ progress, errors, signal, defer });
      const result: Result = {
        version: RESULT_VERSION,
        meta: {
          command: definition.name,
          title,
          subtitle,
          startedAt,
          durationMs: nowMs() - startedMs,
          interrupted: signal.aborted,
          options: run.options,
          environment,
        },
        distributions: [],
        series: [],
        tables: [],
        errors: errors.rows(),
        ...outcome,
        caveats: [...(outcome.caveats ?? []), ...fewValuesCaveat(outcome.distributions ?? [])],
        thresholds: checkThresholds(thresholds, overPasses(outcome.metrics)),
      };
      for (const kind of FILE_KINDS) {
        const file = args[kind];
        if (file !== undefined) await writeFile(file, FILES[kind](result));
      }
      process.stdout.write(`${textReport(result)}\n`);
      setExitCode(result, allowed);
    } catch (error) {
      if (!signal.aborted) throw error;
      const interrupted = { afterMs: nowMs() - startedMs, last: progress.last, errors: errors.rows() };
      process.stdout.write(`${nothingText(definition.name, interrupted)}\n`);
    }
  };
  await withStopSignals(measure, () => ` ${progress.last}`);
}

/**
 * Aborts on the first signal, exits on the second; cleans up in any case.
 * @param where what is interrupted, after a space
 */
export async function withStopSignals<T>(
  work: (signal: AbortSignal, cleanUps: (() => Promise<void>)[]) => Promise<T>,
  where: () => string = () => "",
): Promise<T> {
  const interruption = new AbortController();
  const onSignal = () => {
    // "exit" handlers still clean up.
    if (interruption.signal.aborted) process.exit(ExitCode.interrupted);
    interruption.abort(new Error("interrupted"));
    process.stderr.write(`\nInterrupted${where()}: cleaning up. Press Ctrl-C again to exit at once.\n`);
  };
  for (const name of STOP_SIGNALS) process.on(name, onSignal);
  const cleanUps: (() => Promise<void>)[] = [];
  try {
    return await work(interruption.signal, cleanUps);
  } finally {
    for (const cleanUp of cleanUps.toReversed()) await cleanUp();
    if (interruption.signal.aborted) process.exitCode = ExitCode.interrupted;
    for (const name of STOP_SIGNALS) process.off(name, onSignal);
  }
}

function setExitCode({ metrics, thresholds }: Result, allowed: readonly string[]): void {
  if (thresholds.some(({ passed }) => !passed)) process.exitCode = ExitCode.thresholdFailed;
  const faults = faultsIn(metrics).filter(({ name }) => !allowed.includes(name));
  if (faults.length === 0) return;
  const list = faults.map(({ label, value }) => `${label} ${whole(value)}`).join(", ");
  const names = faults.map(({ name }) => name).join(",");
  process.stderr.write(`The run failed: ${list}. Use --allow ${names} if that is expected.\n`);
  process.exitCode = ExitCode.failed;
}

/** Checked before the run, not after it. An existing file keeps its content until there is a result. */
export async function assertWritable(option: string, file: string | undefined): Promise<void> {
  if (file === undefined) return;
  try {
    const handle = await open(file, "a");
    const { size } = await handle.stat();
    await handle.close();
    // A run that fails leaves no empty file.
    if (size === 0) await rm(file);
  } catch (error) {
    throw usageError(`Could not write --${option} ${file}: ${(error as Error).message}.`);
  }
}

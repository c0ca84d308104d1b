import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeEnvironment } from "../report/environment.ts";
import { ExitCode, ExitError } from "../cli/exit.ts";
import { nowMs } from "../kernels/broadcast/clock.ts";
import { duration } from "../report/format.ts";
import type { Result } from "../report/result.ts";
import { STOP_SIGNALS } from "../cli/scenario.ts";
import { compact } from "./compact.ts";
import { runRow, type RowRun } from "./run-row.ts";
import { SUITE_VERSION, type RowOutcome, type Suite } from "./suite-result.ts";
import { type Profile, type SuiteRow } from "./suite-rows.ts";

/** Per row. */
const TIMEOUT_MS: Record<Profile, number> = { quick: 900_000, full: 3_600_000 };

/**
 * Runs one row after the other, each in its own process, with progress on stderr.
 * @throws {ExitError} if no row has a result
 */
export async function runSuite(rows: readonly SuiteRow[], profile: Profile): Promise<Suite> {
  const [startedAt, startedMs] = [new Date().toISOString(), nowMs()];
  const environment = describeEnvironment();
  const interruption = new AbortController();
  const onSignal = () => {
    process.stderr.write("\nInterrupted: stopping the current row, then writing the partial report.\n");
    interruption.abort();
  };
  for (const name of STOP_SIGNALS) process.on(name, onSignal);
  const folder = await mkdtemp(join(tmpdir(), "fanfare-suite-"));
  const outcomes: RowOutcome[] = [];
  const results = new Map<string, Result>();
  try {
    for (const [i, row] of rows.entries()) {
      if (interruption.signal.aborted) break;
      const command = row[profile]!;
      process.stderr.write(`${i + 1}/${rows.length} bench ${command}\n`);
      const { outcome, result } =
        withoutPrograms(row, command) ??
        (await runRow(row, command, folder, TIMEOUT_MS[profile], interruption.signal));
      outcomes.push({ ...outcome, durationMs: Math.round(outcome.durationMs) });
      if (result) results.set(row.name, compact(result));
      process.stderr.write(`    ${outcome.problem ?? "done"}, ${duration(outcome.durationMs)}\n`);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
    for (const name of STOP_SIGNALS) process.off(name, onSignal);
  }
  if (results.size === 0) throw new ExitError(ExitCode.couldNotConnect, "No row has a result.");
  const index = {
    version: SUITE_VERSION,
    profile,
    startedAt,
    durationMs: Math.round(nowMs() - startedMs),
    interrupted: interruption.signal.aborted,
    environment,
    rows: outcomes,
  } as const;
  return { index, results };
}

/** undefined: all programs the row needs are installed. */
function withoutPrograms({ name, title, needs = [] }: SuiteRow, command: string): RowRun | undefined {
  const missing = needs.filter((program) => !isInstalled(program));
  if (missing.length === 0) return undefined;
  const problem = `${missing.join(" and ")} must be installed`;
  return {
    outcome: { name, title, command, code: null, durationMs: 0, hasResult: false, problem },
    result: undefined,
  };
}

function isInstalled(program: string): boolean {
  const env = { ...process.env, PATH: `${process.env["PATH"]}:/usr/sbin` };
  return spawnSync(program, ["--version"], { env, stdio: "ignore" }).error === undefined;
}

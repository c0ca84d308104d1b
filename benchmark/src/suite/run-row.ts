import { spawn } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ExitCode } from "../cli/exit.ts";
import { nowMs } from "../kernels/broadcast/clock.ts";
import type { Result } from "../report/result.ts";
import type { RowOutcome } from "./suite-result.ts";
import type { SuiteRow } from "./suite-rows.ts";

const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url));
const KEPT_OUTPUT_CHARS = 2000;
/** After Ctrl-C it cleans up; after this time it is killed. */
const CLEAN_UP_MS = 20_000;

export interface RowRun {
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
  const isGood = code === ExitCode.ok || code === ExitCode.failed || code === ExitCode.thresholdFailed;
  const result = isGood && text !== "" ? (JSON.parse(text) as Result) : undefined;
  const problem = isLate
    ? `timed out after ${Math.round(timeoutMs / 1000)} s`
    : isGood
      ? null
      : said.trim().split("\n").slice(-3).join(" ") || `exit code ${code}`;
  const outcome = { name, title, command, code: isLate ? null : code, durationMs: nowMs() - startedMs };
  return { outcome: { ...outcome, hasResult: result !== undefined, problem }, result };
}

interface Execution {
  code: number | null;
  said: string;
  isLate: boolean;
}

function execute(args: readonly string[], timeoutMs: number, signal: AbortSignal): Promise<Execution> {
  return new Promise((resolve) => {
    // In its own process group, so that Ctrl-C reaches it only once, through this process.
    const child = spawn(process.execPath, [MAIN, ...args, "--no-progress"], {
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...process.env, NO_COLOR: "1" },
      detached: true,
    });
    let said = "";
    let isLate = false;
    let killing: NodeJS.Timeout | undefined;
    const end = () => {
      child.kill("SIGINT");
      killing = setTimeout(() => child.kill("SIGKILL"), CLEAN_UP_MS);
    };
    const timer = setTimeout(() => {
      isLate = true;
      end();
    }, timeoutMs);
    signal.addEventListener("abort", end, { once: true });
    child.stderr.on("data", (chunk: Buffer) => (said = (said + chunk.toString()).slice(-KEPT_OUTPUT_CHARS)));
    const done = (code: number | null) => {
      clearTimeout(timer);
      clearTimeout(killing);
      signal.removeEventListener("abort", end);
      resolve({ code, said, isLate });
    };
    child.once("error", (error) => {
      said += error.message;
      done(null);
    });
    child.once("close", done);
  });
}

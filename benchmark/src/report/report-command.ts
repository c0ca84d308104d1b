import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { usageError } from "../cli/exit.ts";
import { RESULT_OPTIONS } from "../cli/options.ts";
import { plainCommand } from "../cli/scenario.ts";
import { environmentLine } from "./environment.ts";
import { htmlReport } from "./html-report.ts";
import { RESULT_VERSION, type Result } from "./result.ts";
import { textReport } from "./text-report.ts";

const SUITE_INDEX = "suite.json";

/**
 * Reads results written with --json, from files and folders.
 * @throws {ExitError} naming the first invalid file
 */
export async function readResults(paths: readonly string[]): Promise<Result[]> {
  const files = (await Promise.all(paths.map(filesOf))).flat();
  return Promise.all(files.map(readResult));
}

async function filesOf(path: string): Promise<string[]> {
  const found = await stat(path).catch(() => {
    throw usageError(`${path} does not exist.`);
  });
  // A shell's file list can include the suite's index.
  if (!found.isDirectory()) return basename(path) === SUITE_INDEX ? [] : [path];
  const names = (await readdir(path)).filter((name) => name.endsWith(".json") && name !== SUITE_INDEX).sort();
  if (names.length === 0) throw usageError(`${path} has no results (*.json).`);
  return names.map((name) => join(path, name));
}

async function readResult(file: string): Promise<Result> {
  const text = await readFile(file, "utf8");
  try {
    const result = JSON.parse(text) as { version?: number; command?: string };
    const { version, command } = result;
    if (typeof version !== "number") throw new Error("it has no version");
    if (command !== undefined) throw new Error(`it is of \`bench ${command}\``);
    if (version !== RESULT_VERSION)
      throw new Error(`it has version ${version}, but this tester reads version ${RESULT_VERSION}`);
    return result as unknown as Result;
  } catch (error) {
    throw usageError(`${file} is not a result of --json: ${(error as Error).message}.`);
  }
}

export const reportCommand = plainCommand(
  "report <files..>",
  "Shows stored results (--json) on the terminal or as one page with charts",
  (yargs) =>
    yargs
      .positional("files", {
        type: "string",
        array: true,
        demandOption: true,
        describe: "Results, or folders of results",
      })
      .option("html", RESULT_OPTIONS.html)
      .example("$0 report a.json b.json", "on the terminal")
      .example("$0 report results/ --html report.html", "one page with all of them"),
  async ({ files, html }) => {
    const results = await readResults(files);
    const title = results.length > 1 ? "Results of the tester" : undefined;
    if (html !== undefined) await writeFile(html, htmlReport(results, title));
    const texts = results.map(
      (result) => `${environmentLine(result.meta, result.meta.durationMs)}\n\n${textReport(result)}`,
    );
    process.stdout.write(`${html ?? texts.join("\n\n")}\n`);
  },
);

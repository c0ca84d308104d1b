import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { standaloneSvg } from "../report/charts/theme.ts";
import { documentOf } from "../report/document.ts";
import type { Environment } from "../report/environment.ts";
import { htmlReport } from "../report/html-report.ts";
import type { Result } from "../report/result.ts";
import { suiteMarkdown } from "./suite-markdown.ts";
import suiteRows from "./suite-rows.json" with { type: "json" };

export const SUITE_VERSION = 1;
export const PROFILES = ["quick", "full"] as const;
export type Profile = (typeof PROFILES)[number];

/** One run of the tester in a suite. */
export interface SuiteRow {
  /** Also the name of its result file. */
  name: string;
  title: string;
  /** The command line in each profile; absent: the profile leaves the row out. */
  quick?: string;
  full: string;
  /** Programs that must be installed. */
  needs?: readonly string[];
}

/** In the order they run. */
export const SUITE_ROWS: readonly SuiteRow[] = suiteRows;

/** The outcome of one row. */
export interface RowOutcome {
  name: string;
  title: string;
  /** The command line, without the result's path. */
  command: string;
  /** The exit code; null: it timed out, or was not run. */
  code: number | null;
  durationMs: number;
  /** Whether there is a result, in a file with the row's name. */
  hasResult: boolean;
  /** Why there is no result, or what is wrong with it; null: nothing. */
  problem: string | null;
}

/** suite.json, next to the results. See schema/suite.v1.json. */
interface SuiteIndex {
  version: typeof SUITE_VERSION;
  profile: Profile;
  startedAt: string;
  durationMs: number;
  interrupted: boolean;
  environment: Environment;
  rows: RowOutcome[];
}

/** A suite with its results, by the names of their rows. */
export interface Suite {
  index: SuiteIndex;
  results: ReadonlyMap<string, Result>;
}

const INDEX = "suite.json";

/** The files derived from a suite's results, by path relative to the parent of its folder. */
export function derivedFiles(suite: Suite, name: string): Record<string, string> {
  const { index, results } = suite;
  const files: Record<string, string> = {
    [`${name}.md`]: suiteMarkdown(suite, name),
    [`${name}.html`]: htmlReport(
      [...results.values()],
      `Measured on ${index.startedAt.slice(0, 10)}`,
      [...results.keys()].map((row) => index.rows.find((outcome) => outcome.name === row)!.title),
    ),
  };
  const sweep = results.get("sweep");
  const chart = sweep && documentOf(sweep).blocks.find((block) => block.kind === "chart")?.svg;
  if (chart === undefined) return files;
  for (const theme of ["light", "dark"] as const) {
    files[`${name}/sweep-${theme}.svg`] = standaloneSvg(chart, theme);
  }
  return files;
}

/** Writes results and index into `folder`, and the derived files next to it. */
export async function writeSuite(suite: Suite, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [name, result] of suite.results) {
    await writeFile(join(folder, `${name}.json`), `${JSON.stringify(result)}\n`);
  }
  await writeFile(join(folder, INDEX), `${JSON.stringify(suite.index, null, 2)}\n`);
  await writeDerived(suite, folder);
}

export async function writeDerived(suite: Suite, folder: string): Promise<void> {
  for (const [path, text] of Object.entries(derivedFiles(suite, basename(folder)))) {
    await writeFile(join(folder, "..", path), text);
  }
}

/** @throws {Error} if there is no suite */
export async function readSuite(folder: string): Promise<Suite> {
  const index = JSON.parse(await readFile(join(folder, INDEX), "utf8")) as SuiteIndex;
  const results = new Map<string, Result>();
  for (const { name, hasResult } of index.rows) {
    if (hasResult) {
      results.set(name, JSON.parse(await readFile(join(folder, `${name}.json`), "utf8")) as Result);
    }
  }
  return { index, results };
}

/** The folder of the newest suite by its name; undefined: none. */
export async function newestSuite(folder: string): Promise<string | undefined> {
  const names = await readdir(folder).catch(() => []);
  const suites = names.map((name) => join(folder, name)).filter((path) => existsSync(join(path, INDEX)));
  return suites.sort().at(-1);
}

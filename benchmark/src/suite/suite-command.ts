import { readFile, writeFile } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { ExitCode, PROGRAM, requireCheckout, usageError } from "../cli/exit.ts";
import { namesIn } from "../cli/options.ts";
import { plainCommand } from "../cli/scenario.ts";
import { duration, table } from "../report/format.ts";
import { runSuite } from "./run-suite.ts";
import {
  newestSuite,
  PROFILES,
  readSuite,
  SUITE_ROWS,
  writeDerived,
  writeSuite,
  type Profile,
  type Suite,
  type SuiteRow,
} from "./suite-files.ts";
import { readmeSection, withSection } from "./suite-markdown.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

export const suiteCommand = plainCommand(
  "suite",
  "The whole report: runs every command and writes docs/benchmarks/<date>.md with charts and results",
  (yargs) =>
    yargs
      .option("profile", {
        choices: PROFILES,
        default: "quick" as const,
        describe: "quick: some minutes, each row once or twice; full: repeated, for a release",
      })
      .option("only", { type: "string", describe: "Only these rows, comma-separated" })
      .option("list", { type: "boolean", default: false, describe: "List the rows and run nothing" })
      .option("out", {
        type: "string",
        default: join(ROOT, "docs/benchmarks"),
        defaultDescription: "docs/benchmarks",
        describe: "Folder of the report",
      })
      .option("update-readme", {
        type: "boolean",
        default: false,
        describe: "Also write the figures into the README",
      })
      .option("again", {
        type: "boolean",
        default: false,
        describe: "Measure nothing: regenerate everything derived from the newest results",
      })
      .example("$0 suite --update-readme", "some minutes; leave the machine idle meanwhile")
      .example("$0 suite --only sweep,storm --out /tmp/report", "a part of it, to another folder"),
  async (args) => {
    requireCheckout("The suite");
    if (args.again && args.only !== undefined) throw usageError("--again measures nothing: omit --only.");
    const rows = chosenRows(args.only, args.profile);
    if (args.list) {
      const lines = rows.map((row) => [row.name, `${PROGRAM} ${row[args.profile]}`, row.title]);
      process.stdout.write(`${lines.map((line) => line.join("\n    ")).join("\n")}\n`);
      return;
    }
    const today = new Date().toISOString().slice(0, 10);
    const folder = args.again ? await newestSuite(args.out) : join(args.out, today);
    if (folder === undefined) throw usageError(`There are no results in ${args.out} yet: omit --again.`);
    const suite = args.again ? await readSuite(folder) : await runSuite(rows, args.profile);
    await (args.again ? writeDerived(suite, folder) : writeSuite(suite, folder));
    process.stdout.write(`${summary(suite)}\n\n  ${folder}.md\n  ${folder}.html\n`);
    if (suite.index.rows.some(({ problem }) => problem !== null)) process.exitCode = ExitCode.failed;
    if (args.updateReadme) await updateReadme(suite, folder);
  },
);

function chosenRows(only: string | undefined, profile: Profile): SuiteRow[] {
  const all = SUITE_ROWS.map(({ name }) => name);
  const wanted = only === undefined ? all : namesIn("only", only, all);
  const rows = SUITE_ROWS.filter((row) => row[profile] !== undefined && wanted.includes(row.name));
  if (rows.length > 0) return rows;
  throw usageError(
    `The profile ${profile} has none of these rows. To list its rows: ${PROGRAM} suite --profile ${profile} --list`,
  );
}

async function updateReadme(suite: Suite, folder: string): Promise<void> {
  const file = join(ROOT, "README.md");
  const link = join(relative(ROOT, join(folder, "..")), basename(folder));
  await writeFile(file, withSection(await readFile(file, "utf8"), readmeSection(suite, link)));
}

function summary({ index }: Suite): string {
  const lines = index.rows.map((row) => [row.name, duration(row.durationMs), row.problem ?? "done"]);
  return table([["", "took", ""], ...lines]);
}

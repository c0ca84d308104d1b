import { writeFile } from "node:fs/promises";
import type { ArgumentsCamelCase, Argv, CommandModule } from "yargs";
import { compare, comparisonMetrics } from "./comparison.ts";
import { comparisonSummary } from "./comparison-summary.ts";
import { ExitCode, usageError } from "../cli/exit.ts";
import { observationsOf, type Observation } from "./observations.ts";
import { readResults } from "../report/read-results.ts";
import { thresholdLines } from "../report/text-report.ts";
import { checkThresholds, parseThresholds } from "../report/thresholds.ts";
import { RESULT_OPTIONS } from "../cli/options.ts";

export const compareCommand: CommandModule<object, Arguments> = {
  command: "compare <base> <new>",
  describe: "Compares results, and whether differences exceed noise",
  builder,
  handler,
};

function builder(yargs: Argv) {
  return yargs
    .positional("base", {
      type: "string",
      demandOption: true,
      describe: "Results (--json) of the base: comma-separated files, or a folder",
    })
    .positional("new", { type: "string", demandOption: true, describe: "Results of the new side" })
    .option("noise", {
      group: "Result:",
      type: "number",
      default: 0.05,
      describe: "Significance level: probability below which a difference is not noise",
    })
    .options({ json: RESULT_OPTIONS.json, threshold: RESULT_OPTIONS.threshold })
    .example("$0 compare a1.json,a2.json,a3.json,a4.json b1.json,b2.json,b3.json,b4.json", "four runs each")
    .example("$0 compare before/ after/ --threshold worse==0", "exit code 99 if something became worse")
    .example(
      "$0 compare before/ after/ --threshold 'worstMs<1.1'",
      "exit code 99 if the worst message is at least 10 % slower",
    );
}

type Arguments = ReturnType<typeof builder> extends Argv<infer Options> ? Options : never;

async function handler(args: ArgumentsCamelCase<Arguments>): Promise<void> {
  if (!(args.noise > 0 && args.noise < 1))
    throw usageError("--noise must be between 0 and 1, for example 0.05.");
  const differences = compare(await readSide(args.base), await readSide(args.new), args.noise);
  if (differences.length === 0) throw usageError("The two sides have no row in common.");
  const metrics = comparisonMetrics(differences);
  const named = Object.entries(metrics).map(([name, value]) => ({ name, value, labels: {} }));
  const thresholds = checkThresholds(parseThresholds(args.threshold, Object.keys(metrics)), named);
  if (args.json !== undefined) {
    const comparison = { version: 2, command: "compare", noise: args.noise, differences, thresholds };
    await writeFile(args.json, `${JSON.stringify(comparison, null, 2)}\n`);
  }
  const lines = thresholdLines(thresholds);
  process.stdout.write(
    `${[comparisonSummary(differences, args.noise), ...(lines.length > 0 ? ["", ...lines] : [])].join("\n")}\n`,
  );
  if (thresholds.some(({ passed }) => !passed)) process.exitCode = ExitCode.thresholdFailed;
}

async function readSide(paths: string): Promise<Observation[]> {
  const results = await readResults(paths.split(","));
  const interrupted = results.map(({ meta }) => meta).find((meta) => meta.interrupted);
  if (interrupted !== undefined) {
    throw usageError(
      `${paths}: the run of ${interrupted.startedAt} was interrupted. Leave it out, or measure again.`,
    );
  }
  return results.flatMap(observationsOf);
}

import { writeFile } from "node:fs/promises";
import { styleText } from "node:util";
import { ExitCode, usageError } from "../cli/exit.ts";
import { RESULT_OPTIONS } from "../cli/options.ts";
import { plainCommand } from "../cli/scenario.ts";
import { applying, count, short, table, whole } from "../report/format.ts";
import { metricText } from "../report/metric.ts";
import { readResults } from "../report/report-command.ts";
import type { Result } from "../report/result.ts";
import { section, thresholdLines } from "../report/text-report.ts";
import { checkThresholds, parseThresholds } from "../report/thresholds.ts";
import {
  compare,
  comparisonMetrics,
  observationsOf,
  setupDifferences,
  type Comparison,
  type Difference,
  type Verdict,
} from "./comparison.ts";
import { runsNeeded } from "./rank-test.ts";

/** The significance level: the probability below which a difference is not noise. */
const NOISE = 0.05;

/** @param limit the significance level */
export function comparisonSummary({ differences, missing }: Comparison, limit: number): string {
  const rows = Map.groupBy(differences, ({ row }) => row);
  return [
    styleText("bold", `New vs. base · ${count(rows.size, "row")}`),
    `  Two-sided rank test (Mann-Whitney) over repeated runs: "better" and "worse" are differences that equal servers would`,
    `  show in less than ${Math.round(limit * 1000) / 10} % of comparisons; of ${Math.round(1 / limit)} figures, one is expected by chance.`,
    "",
    ...[...rows].flatMap(([row, same]) => section(row, [rowTable(same)])),
    ...conclusion(differences, limit),
    ...missing.map((row) => styleText("yellow", `  Not measured on the new side: ${row}.`)),
  ]
    .join("\n")
    .trimEnd();
}

/** What the comparison shows, and what it can't show. */
function conclusion(differences: readonly Difference[], limit: number): string[] {
  const ranked = differences.filter(({ figure }) => figure.counts === undefined);
  const faults = differences.filter((one) => one.verdict === "worse" && !ranked.includes(one));
  const amount = (wanted: Verdict) => ranked.filter(({ verdict }) => verdict === wanted).length;
  const [worse, better, unjudged] = [amount("worse"), amount("better"), amount("too few runs")];
  const judged = ranked.length - unjudged;
  const nothing = judged === 0 ? "Nothing can be judged" : `${count(unjudged, "figure")} can't be judged`;
  return applying(
    faults.length > 0 &&
      styleText(
        "red",
        `  Faults: ${faults.map(({ row, figure, other }) => `${figure.label} ${whole(other)} (${row})`).join(", ")}.`,
      ),
    judged > 0 &&
      `  Of ${count(judged, "figure")} that can be judged: ${worse} worse, ${better} better, ${judged - worse - better} within the noise; ` +
        `about ${short(judged * limit)} better or worse are expected by chance.`,
    unjudged > 0 &&
      styleText(
        "yellow",
        `  ${nothing}: too few runs. ` +
          `At least ${runsNeeded(limit)} are needed per side (interleaved: base, new, base, new …).`,
      ),
  );
}

function rowTable(differences: readonly Difference[]): string {
  const header = ["", "base", "new", "change", "runs", "p", ""];
  const lines = differences.map((difference) => {
    const { figure, base, other, runs, probability, verdict } = difference;
    return [
      figure.label,
      metricText({ unit: figure.unit, value: base }),
      metricText({ unit: figure.unit, value: other }),
      changeText(difference),
      `${runs.base}, ${runs.other}`,
      probability.toFixed(3),
      verdict,
    ];
  });
  const coloured = (line: string, i: number) => {
    const verdict = differences[i - 1]?.verdict;
    return verdict === "worse" || verdict === "better"
      ? styleText(verdict === "worse" ? "red" : "green", line)
      : line;
  };
  return table([header, ...lines])
    .split("\n")
    .map(coloured)
    .join("\n");
}

function changeText({ ratio }: Difference): string {
  if (ratio === null) return "–";
  const percent = (ratio - 1) * 100;
  return `${percent > 0 ? "+" : ""}${percent.toFixed(1)} %`;
}

export const compareCommand = plainCommand(
  "compare <base> <new>",
  "Compares stored results: what became better or worse by more than repeated runs vary",
  (yargs) =>
    yargs
      .positional("base", {
        type: "string",
        demandOption: true,
        describe: "Results (--json) of the base: comma-separated files, or a folder",
      })
      .positional("new", { type: "string", demandOption: true, describe: "Results of the new side" })
      .options({ json: RESULT_OPTIONS.json, threshold: RESULT_OPTIONS.threshold })
      .example("$0 compare a1.json,a2.json,a3.json,a4.json b1.json,b2.json,b3.json,b4.json", "four runs each")
      .example("$0 compare before/ after/ --threshold worse==0", "exit code 99 if something became worse")
      .example(
        "$0 compare before/ after/ --threshold 'worstMs<1.1'",
        "exit code 99 if the worst message is at least 10 % slower",
      ),
  async (args) => {
    const [base, other] = [await readSide(args.base), await readSide(args.new)];
    const compared = compare(base.flatMap(observationsOf), other.flatMap(observationsOf), NOISE);
    if (compared.differences.length === 0) throw usageError("The two sides have no row in common.");
    const metrics = comparisonMetrics(compared);
    const named = Object.entries(metrics).map(([name, value]) => ({ name, value, labels: {} }));
    const thresholds = checkThresholds(parseThresholds(args.threshold, Object.keys(metrics)), named);
    if (args.json !== undefined) {
      const comparison = { version: 2, command: "compare", noise: NOISE, ...compared, thresholds };
      await writeFile(args.json, `${JSON.stringify(comparison, null, 2)}\n`);
    }
    const different = setupDifferences(base, other).map((text) => styleText("yellow", `  ${text}`));
    const lines = [
      comparisonSummary(compared, NOISE),
      "",
      ...section("The sides were not measured in the same way", different),
      ...thresholdLines(thresholds),
    ];
    process.stdout.write(`${lines.join("\n").trimEnd()}\n`);
    if (thresholds.some(({ passed }) => !passed)) process.exitCode = ExitCode.thresholdFailed;
  },
);

async function readSide(paths: string): Promise<Result[]> {
  const results = await readResults(paths.split(","));
  const { startedAt } = results.find(({ meta }) => meta.interrupted)?.meta ?? {};
  if (startedAt === undefined) return results;
  throw usageError(`${paths}: the run of ${startedAt} was interrupted. Leave it out, or measure again.`);
}

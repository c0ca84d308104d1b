import { styleText } from "node:util";
import { metricText } from "../report/metric.ts";
import { count, short, table, whole } from "../report/format.ts";
import { section } from "../report/text-report.ts";
import type { Difference, Verdict } from "./comparison.ts";
import { runsNeeded } from "./rank-test.ts";

/** @param limit the significance level */
export function comparisonSummary(differences: readonly Difference[], limit: number): string {
  const rows = Map.groupBy(differences, ({ row }) => row);
  return [
    styleText("bold", `New vs. base · ${count(rows.size, "row")} in common`),
    `  Two-sided rank test (Mann-Whitney) over repeated runs: "better" and "worse" are differences that equal servers would`,
    `  show in less than ${Math.round(limit * 1000) / 10} % of comparisons; of ${Math.round(1 / limit)} figures, one is expected by chance.`,
    "",
    ...[...rows].flatMap(([row, same]) => section(row, [rowTable(same)])),
    ...conclusion(differences, limit),
  ]
    .join("\n")
    .trimEnd();
}

/** What the comparison shows, and what it can't show. */
function conclusion(differences: readonly Difference[], limit: number): string[] {
  const faults = differences.filter(
    ({ figure, verdict }) => figure.counts !== undefined && verdict === "worse",
  );
  const ranked = differences.filter(({ figure }) => figure.counts === undefined);
  const withVerdict = (wanted: Verdict) => ranked.filter(({ verdict }) => verdict === wanted).length;
  const [unjudged, worse, better] = [
    withVerdict("too few runs"),
    withVerdict("worse"),
    withVerdict("better"),
  ];
  const judged = ranked.length - unjudged;
  const needed = runsNeeded(limit);
  return [
    ...(faults.length > 0
      ? [
          styleText(
            "red",
            `  Faults: ${faults.map(({ row, figure, other }) => `${figure.label} ${whole(other)} (${row})`).join(", ")}.`,
          ),
        ]
      : []),
    ...(judged > 0
      ? [
          `  Of ${count(judged, "figure")} that can be judged: ${worse} worse, ${better} better, ${judged - worse - better} within the noise; ` +
            `about ${short(judged * limit)} better or worse are expected by chance.`,
        ]
      : []),
    ...(unjudged > 0
      ? [
          styleText(
            "yellow",
            `  ${judged === 0 ? "Nothing can be judged" : `${count(unjudged, "figure")} can't be judged`}: too few runs. ` +
              `At least ${needed} are needed per side (interleaved: base, new, base, new …).`,
          ),
        ]
      : []),
  ];
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
  return table([header, ...lines])
    .split("\n")
    .map((line, i) => (i === 0 ? line : coloured(line, differences[i - 1]!.verdict)))
    .join("\n");
}

function changeText({ ratio }: Difference): string {
  if (ratio === null) return "–";
  const percent = (ratio - 1) * 100;
  return `${percent > 0 ? "+" : ""}${percent.toFixed(1)} %`;
}

function coloured(line: string, verdict: Verdict): string {
  if (verdict === "worse") return styleText("red", line);
  return verdict === "better" ? styleText("green", line) : line;
}

import { styleText } from "node:util";
import { figureText } from "../report/figures.ts";
import { count, short, table } from "../report/format.ts";
import { section } from "../report/summary.ts";
import type { Difference, Verdict } from "./comparison.ts";
import { runsNeeded } from "./rank-test.ts";

/** @param limit the significance level */
export function comparisonSummary(differences: readonly Difference[], limit: number): string {
  const rows = Map.groupBy(differences, ({ row }) => row);
  return [
    styleText("bold", `New against base · ${count(rows.size, "row")} that both have`),
    `  Two-sided rank test (Mann-Whitney) over repeated runs: "better" and "worse" are so far apart that equal servers would`,
    `  show it in less than ${Math.round(limit * 1000) / 10} % of comparisons; of ${Math.round(1 / limit)} figures, one is expected to by chance.`,
    "",
    ...[...rows].flatMap(([row, same]) => section(row, [rowTable(same)])),
    ...conclusion(differences, limit),
  ]
    .join("\n")
    .trimEnd();
}

/** What the comparison shows, and what it can't show. */
function conclusion(differences: readonly Difference[], limit: number): string[] {
  const withVerdict = (wanted: Verdict) => differences.filter(({ verdict }) => verdict === wanted).length;
  const [unjudged, worse, better] = [
    withVerdict("too few runs"),
    withVerdict("worse"),
    withVerdict("better"),
  ];
  const judged = differences.length - unjudged;
  const needed = runsNeeded(limit);
  return [
    ...(judged > 0
      ? [
          `  Of ${count(judged, "figure")} that can be judged: ${worse} worse, ${better} better, ${judged - worse - better} within the noise; ` +
            `by chance alone, about ${short(judged * limit)} would be one or the other.`,
        ]
      : []),
    ...(unjudged > 0
      ? [
          styleText(
            "yellow",
            `  ${judged === 0 ? "Nothing can be said" : `Nothing can be said of ${count(unjudged, "figure")}`}: too few runs. ` +
              `It takes at least ${needed} of each side (made in turns: base, new, base, new …).`,
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
      figureText({ unit: figure.unit, value: base }),
      figureText({ unit: figure.unit, value: other }),
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

import { styleText } from "node:util";
import { figureText } from "../report/figures.ts";
import { count, table } from "../report/format.ts";
import { section } from "../report/summary.ts";
import type { Difference, Verdict } from "./comparison.ts";

/** @param limit the probability below which a difference is taken for real */
export function comparisonSummary(differences: readonly Difference[], limit: number): string {
  const rows = Map.groupBy(differences, ({ row }) => row);
  return [
    styleText("bold", `New against base · ${count(rows.size, "row")} that both have`),
    `  Two-sided rank test (Mann-Whitney) over repeated runs: "better" and "worse" are so far apart that equal servers would`,
    `  show it in less than ${Math.round(limit * 1000) / 10} % of comparisons; of ${Math.round(1 / limit)} figures, one is expected to by chance.`,
    "",
    ...[...rows].flatMap(([row, same]) => section(row, [rowTable(same)])),
  ]
    .join("\n")
    .trimEnd();
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

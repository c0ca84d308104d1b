import { published, type PublishedRow } from "../published/published.ts";
import { figureText, publishedText, type Figure } from "../report/figures.ts";
import { rowFigures } from "./row-figures.ts";
import type { Suite } from "./suite-result.ts";
import { SUITE_ROWS, type SuiteRow } from "./suite-rows.ts";

const HEADER = ["here", "", "", "published", "by", "on"];

/** Ours beside what others have published, the heading first; undefined: nothing of it was measured. */
export function besidePublished(
  suite: Suite,
  keysOf: (row: SuiteRow) => readonly string[] | "all",
): string[][] | undefined {
  const lines = SUITE_ROWS.flatMap((row) => {
    const result = suite.results.get(row.name);
    const command = suite.index.rows.find(({ name }) => name === row.name)?.command;
    if (result === undefined || command === undefined) return [];
    const keys = keysOf(row);
    const measured = rowFigures(result).filter((measured) => [undefined, measured.row].includes(row.ours));
    const ours = measured
      .flatMap(({ row: what, figures }) =>
        measured.length === 1
          ? figures
          : figures.map((figure) => ({
              ...figure,
              label: `${figure.label} (${what.replace(/^\w+, /, "")})`,
            })),
      )
      .filter(({ key }) => keys === "all" || keys.includes(key));
    return (row.published ?? []).flatMap((id) => linesOf(command, ours, published(id)!));
  });
  return lines.length === 0 ? undefined : [HEADER, ...lines];
}

function linesOf(command: string, ours: readonly Figure[], theirs: PublishedRow): string[][] {
  return ours
    .filter(({ key }) => theirs.figures[key] !== undefined)
    .map((figure) => [
      `\`bench ${command}\``,
      figure.label,
      figureText(figure),
      publishedText(figure.unit, theirs.figures[figure.key]!),
      theirs.product,
      theirs.hardware,
    ]);
}

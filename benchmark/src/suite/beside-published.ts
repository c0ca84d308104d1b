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
    const all = rowFigures(result);
    return (row.published ?? []).flatMap((id) => {
      const ours = besideOne(all, typeof row.ours === "object" ? { is: row.ours[id] } : row.ours);
      return linesOf(
        command,
        ours.filter(({ key }) => keys === "all" || keys.includes(key)),
        published(id)!,
      );
    });
  });
  return lines.length === 0 ? undefined : [HEADER, ...lines];
}

/** @param which one of them, whose name is to be seen where each published row has another one */
function besideOne(
  all: ReturnType<typeof rowFigures>,
  which: string | { is: string | undefined } | undefined,
): Figure[] {
  const name = typeof which === "object" ? which.is : which;
  const measured = which === undefined ? all : all.filter(({ row }) => row === name);
  const isNamed = typeof which === "object" || measured.length > 1;
  return measured.flatMap(({ row, figures }) =>
    figures.map((figure) =>
      isNamed ? { ...figure, label: `${figure.label} (${row.replace(/^[\w-]+, /, "")})` } : figure,
    ),
  );
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

import { table } from "../report/format.ts";
import { figureText, publishedText, type Figure } from "../report/figures.ts";
import type { PublishedRow } from "./published.ts";

/** Ours beside theirs, for the figures that both have, for a terminal. */
export function publishedLines(ours: readonly Figure[], rows: readonly PublishedRow[]): string[] {
  return rows.flatMap(({ product, what, hardware, figures }) => {
    const shared = ours.filter(({ key }) => figures[key] !== undefined);
    if (shared.length === 0) return [];
    return [
      `  ${product}: ${what} (its machine: ${hardware})`,
      table(
        [
          ["", "here", "published"],
          ...shared.map((figure) => [
            figure.label,
            figureText(figure),
            publishedText(figure.unit, figures[figure.key]!),
          ]),
        ],
        "    ",
      ),
    ];
  });
}

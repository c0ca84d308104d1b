import { median } from "../measure/limit-figures.ts";
import type { Figure } from "../report/figures.ts";
import { observationsOf } from "../report/observations.ts";
import type { Result } from "../report/result.ts";

/** Medians over all passes, for each thing that was measured. */
export function rowFigures(result: Result): { row: string; figures: Figure[] }[] {
  return [...Map.groupBy(observationsOf(result), ({ row }) => row)].map(([row, same]) => ({
    row,
    figures: same[0]!.figures.map((figure) => ({
      ...figure,
      value: median(same.map(({ figures }) => figures.find(({ key }) => key === figure.key)?.value ?? null)),
    })),
  }));
}

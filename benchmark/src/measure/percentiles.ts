/** The percentiles that every result shows; 100 is the last member of all. */
export const PERCENTILES = [50, 75, 90, 95, 99, 99.9, 100] as const;
type PercentileKey = `p${(typeof PERCENTILES)[number]}`;
export type Percentiles = Record<PercentileKey, number>;

/** Exact percentiles (nearest rank) of values in ascending order; null without values. */
export function percentiles(sorted: Float64Array): Percentiles | null {
  if (sorted.length === 0) return null;
  // Without the small subtraction 99.9 % of 1,000 would be 999.0000000000001.
  const rank = (p: number) => Math.ceil((p / 100) * sorted.length - 1e-9);
  const at = (p: number) => sorted[Math.max(0, rank(p) - 1)]!;
  return Object.fromEntries(PERCENTILES.map((p) => [`p${p}`, at(p)])) as Percentiles;
}

export interface Spread {
  min: number;
  median: number;
  max: number;
}

/** null without values. The median of an even number of values is the mean of the middle two. */
export function spread(values: readonly number[]): Spread | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  const median = (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2;
  return { min: sorted[0]!, median, max: sorted.at(-1)! };
}

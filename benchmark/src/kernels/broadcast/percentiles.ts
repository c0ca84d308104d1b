/** The percentiles shown in every result; 100 is the last member. */
export const PERCENTILES = [50, 75, 90, 95, 99, 99.9, 100] as const;
type PercentileKey = `p${(typeof PERCENTILES)[number]}`;
export type Percentiles = Record<PercentileKey, number>;
/** Of values some of which never arrived: those are the slowest of all, and a percentile among them is null. */
export type OpenPercentiles = Record<PercentileKey, number | null>;

/** The rank of a percentile among ascending values (nearest rank); the first is 1. */
export function rankOf(p: number, amount: number): number {
  // Without the small subtraction 99.9 % of 1,000 would be 999.0000000000001.
  return Math.max(1, Math.ceil((p / 100) * amount - 1e-9));
}

/** Exact percentiles (nearest rank) of ascending values; null without values. */
export function percentiles(sorted: Float64Array): Percentiles | null {
  return openPercentiles(sorted, 0) as Percentiles | null;
}

/** The same, with this many more values that never arrived. */
export function openPercentiles(sorted: Float64Array, missing: number): OpenPercentiles | null {
  if (sorted.length === 0) return null;
  const at = (p: number) => sorted[rankOf(p, sorted.length + missing) - 1] ?? null;
  return Object.fromEntries(PERCENTILES.map((p) => [`p${p}`, at(p)])) as OpenPercentiles;
}

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** null if one of them is unknown. */
export function difference(from: number | null | undefined, to: number | null | undefined): number | null {
  return typeof from === "number" && typeof to === "number" ? to - from : null;
}

/** null if one is null, or there is none. */
export function worst(values: readonly (number | null)[]): number | null {
  return values.length === 0 || values.includes(null) ? null : Math.max(...(values as number[]));
}

export function mapValues<From, To>(
  record: Readonly<Record<string, From>>,
  of: (value: From, key: string) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, of(value, key)]));
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

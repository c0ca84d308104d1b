export interface Bucket {
  fromMs: number;
  toMs: number;
  count: number;
}

/** Buckets of equal and round width over the range of ascending values; at most `most`. */
export function bucketsOf(sorted: Float64Array, most = 12): Bucket[] {
  const first = sorted[0];
  const last = sorted.at(-1);
  if (first === undefined || last === undefined) return [];
  const width = roundWidth((last - first) / (most - 1) || 1);
  const start = Math.floor(first / width);
  const buckets = Array.from({ length: Math.floor(last / width) - start + 1 }, (_, i) => {
    return { fromMs: (start + i) * width, toMs: (start + i + 1) * width, count: 0 };
  });
  for (const value of sorted) buckets[Math.floor(value / width) - start]!.count++;
  return buckets;
}

/** The next of 1, 2, 5, 10, 20, 50, … that is not smaller. */
function roundWidth(width: number): number {
  const power = 10 ** Math.floor(Math.log10(width));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= width)!;
}

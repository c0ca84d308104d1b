/** The percentiles that `ab` prints. */
const AB_PERCENTILES = [50, 66, 75, 80, 90, 95, 98, 99, 100] as const;

/**
 * Milliseconds at each percentile, nearest rank.
 * @param sorted ascending; null without values
 */
export function abPercentiles(sorted: Float64Array): { percent: number; ms: number }[] | null {
  if (sorted.length === 0) return null;
  return AB_PERCENTILES.map((percent) => {
    const rank = Math.ceil((percent / 100) * sorted.length);
    return { percent, ms: sorted[Math.max(0, rank - 1)]! };
  });
}

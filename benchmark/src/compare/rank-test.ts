/** Above this many permutations, the normal approximation is as good. */
const MOST_WAYS = 200_000;

/**
 * Two-sided rank test (Mann-Whitney): the probability that two samples of equal servers are at least this far
 * apart. Exact for few values, including ties.
 * @returns 0 to 1
 */
export function rankTest(base: readonly number[], other: readonly number[]): number {
  const ranks = midranks([...base, ...other]);
  const expected = (base.length * (ranks.length + 1)) / 2;
  const sum = ranks.slice(0, base.length).reduce((total, rank) => total + rank, 0);
  const distance = Math.abs(sum - expected);
  return ways(ranks.length, base.length) <= MOST_WAYS
    ? exact(ranks, base.length, expected, distance)
    : approximate(ranks, base.length, distance);
}

/** The smallest probability that samples of these sizes can reach: if it is above the limit, there are too few values. */
export function smallestProbability(base: number, other: number): number {
  return Math.min(1, 2 / ways(base + other, base));
}

/** The number of values per side from which a difference can be significant. */
export function runsNeeded(limit: number): number {
  let runs = 1;
  while (smallestProbability(runs, runs) >= limit) runs++;
  return runs;
}

/** Equal values share the mean of their ranks. */
function midranks(values: readonly number[]): number[] {
  return values.map((value) => {
    const below = values.filter((other) => other < value).length;
    const equal = values.filter((other) => other === value).length;
    return below + (equal + 1) / 2;
  });
}

/** Counts all subsets of the ranks that are at least as far from the expected sum. */
function exact(ranks: readonly number[], size: number, expected: number, distance: number): number {
  let [all, asFar] = [0, 0];
  const take = (from: number, left: number, sum: number) => {
    if (left === 0) {
      all++;
      if (Math.abs(sum - expected) >= distance - 1e-9) asFar++;
      return;
    }
    for (let i = from; i <= ranks.length - left; i++) take(i + 1, left - 1, sum + ranks[i]!);
  };
  take(0, size, 0);
  return asFar / all;
}

function approximate(ranks: readonly number[], size: number, distance: number): number {
  const all = ranks.length;
  const mean = (all + 1) / 2;
  const spread = ranks.reduce((sum, rank) => sum + (rank - mean) ** 2, 0);
  const variance = (size * (all - size) * spread) / (all * (all - 1));
  if (variance === 0) return 1;
  return Math.min(1, 2 * upperTail(Math.max(0, distance - 0.5) / Math.sqrt(variance)));
}

/** Of the normal distribution (Abramowitz and Stegun 26.2.17). */
function upperTail(z: number): number {
  const t = 1 / (1 + 0.2316419 * z);
  const series = [0.31938153, -0.356563782, 1.781477937, -1.821255978, 1.330274429];
  const sum = series.reduce((total, factor, i) => total + factor * t ** (i + 1), 0);
  return (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * sum;
}

function ways(all: number, taken: number): number {
  let result = 1;
  for (let i = 1; i <= taken; i++) result = (result * (all - taken + i)) / i;
  return result;
}

/**
 * Two-sided rank test (Mann-Whitney): the probability that two samples of equal servers are at least this far
 * apart. Exact, including ties.
 * @returns 0 to 1
 */
export function rankTest(base: readonly number[], other: readonly number[]): number {
  const ranks = midranks([...base, ...other]);
  const expected = (base.length * (ranks.length + 1)) / 2;
  const sum = ranks.slice(0, base.length).reduce((total, rank) => total + rank, 0);
  const distance = Math.abs(sum - expected);
  const sums = [...subsetSums(ranks, base.length)];
  const asFar = sums.filter(([other]) => Math.abs(other - expected) >= distance);
  const count = (some: typeof sums) => some.reduce((total, [, times]) => total + times, 0);
  return count(asFar) / count(sums);
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

/** How many subsets of this size have each sum. */
function subsetSums(ranks: readonly number[], size: number): ReadonlyMap<number, number> {
  const bySize = Array.from({ length: size + 1 }, () => new Map<number, number>());
  bySize[0]!.set(0, 1);
  for (const rank of ranks)
    for (let taken = size; taken > 0; taken--) {
      const sums = bySize[taken]!;
      for (const [sum, times] of bySize[taken - 1]!)
        sums.set(sum + rank, (sums.get(sum + rank) ?? 0) + times);
    }
  return bySize[size]!;
}

function ways(all: number, taken: number): number {
  let result = 1;
  for (let i = 1; i <= taken; i++) result = (result * (all - taken + i)) / i;
  return result;
}

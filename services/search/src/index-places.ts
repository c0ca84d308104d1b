import type { Head } from "@fanfare/contract";
import { boundedMap } from "@fanfare/kernel";
import { INDEX_CONCURRENCY } from "./bounds.ts";
import type { SearchDependencies } from "./search.dependencies.ts";

export interface Place {
  channelId: string;
  head: Head;
}

/** Steps of indexing that a search waits for. */
export interface Budget {
  steps: number;
}

/** Brings the index of channels up to their heads, for so many steps; the rest follows behind. @returns whether it is there */
export async function indexPlaces(
  { progress, indexer }: SearchDependencies,
  places: readonly Place[],
  budget: Budget,
): Promise<boolean> {
  const indexed = await progress.find(places.map(({ channelId }) => channelId));
  const behind = places.filter(({ channelId, head }) => indexed.get(channelId)!.rev < head.rev);
  const caughtUp = await boundedMap(behind, INDEX_CONCURRENCY, async ({ channelId }) => {
    while (takeStep(budget)) if (await indexer.step(channelId)) return true;
    indexer.hint(channelId);
    return false;
  });
  return caughtUp.every(Boolean);
}

/** @returns whether there was one left */
function takeStep(budget: Budget): boolean {
  budget.steps -= 1;
  return budget.steps >= 0;
}

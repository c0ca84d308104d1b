import { REMOVALS_PER_BATCH } from "./bounds.ts";
import type { SearchDependencies } from "./search.dependencies.ts";

/** What a lost event leaves is seen by nobody, for nobody sees the channel. */
export async function removeChannel(
  { entries, progress }: SearchDependencies,
  channelId: string,
): Promise<void> {
  while ((await entries.deleteSome(channelId, REMOVALS_PER_BATCH)) === REMOVALS_PER_BATCH);
  await progress.delete(channelId);
}

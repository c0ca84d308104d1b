import { REMOVALS_PER_BATCH } from "./bounds.ts";
import { threadToken } from "./message-tokens.ts";
import type { SearchDependencies } from "./search.dependencies.ts";

/** What a lost event leaves is seen by nobody, for nobody sees the channel, or the thread is no more. */
export async function removeChannel(
  { entries, progress }: SearchDependencies,
  channelId: string,
): Promise<void> {
  const parentId = (await progress.find([channelId])).get(channelId)?.parentId ?? null;
  const [place, token] = parentId === null ? [channelId, null] : [parentId, threadToken(channelId)];
  while ((await entries.deleteSome(place, token, REMOVALS_PER_BATCH)) === REMOVALS_PER_BATCH);
  await progress.delete(channelId);
}

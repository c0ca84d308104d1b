import { boundedMap } from "@fanfare/kernel";
import { ENTRIES_PER_READ, ENTRIES_PER_SEARCH, SEARCH_CONCURRENCY } from "./bounds.ts";
import type { EntryRepository } from "./entry.repository.ts";

export interface EntryQuery {
  /** Where to look; nothing else is read. */
  channelIds: readonly string[];
  /** What a message must have: the first is looked up, the others are compared. */
  tokens: readonly [string, ...string[]];
  /** Message ids: below this one, exclusive, and from that one, inclusive. */
  below: string;
  from: string;
  limit: number;
}

export interface FoundEntries {
  /** Newest first. */
  messageIds: string[];
  /** Where to go on; null: there is nothing further. */
  nextBelow: string | null;
}

interface ChannelScan {
  channelId: string;
  /** Everything of the channel above this id has been looked at; null: all of it. */
  readTo: string | null;
}

/**
 * The newest entries of several channels that have all tokens. Each channel is read from its newest on, and always the one that was
 * read least far, until there are enough results that nothing unread can come before, or enough entries have been looked at.
 */
export async function findEntries(
  entries: Pick<EntryRepository, "find">,
  { channelIds, tokens: [first, ...rest], below, from, limit }: EntryQuery,
): Promise<FoundEntries> {
  const withTokens = rest.length > 0;
  const scans = channelIds.map((channelId): ChannelScan => ({ channelId, readTo: below }));
  const found: string[] = [];
  let left = ENTRIES_PER_SEARCH;
  const read = async (scan: ChannelScan, count: number): Promise<void> => {
    const some = await entries.find(scan.channelId, first, {
      below: scan.readTo!,
      from,
      limit: count,
      withTokens,
    });
    left -= some.length;
    scan.readTo = some.length < count ? null : some.at(-1)!.id;
    for (const { id, tokens } of some) if (rest.every((token) => tokens.includes(token))) found.push(id);
  };
  const share = Math.max(1, Math.floor(ENTRIES_PER_SEARCH / 2 / Math.max(1, channelIds.length)));
  const atOnce = withTokens ? Math.min(ENTRIES_PER_READ, share) : limit + 1;
  await boundedMap(scans, SEARCH_CONCURRENCY, (scan) => read(scan, atOnce));
  for (;;) {
    const behind = leastRead(scans);
    const sure = found.filter((id) => behind === null || id >= behind.readTo!);
    if (behind === null || sure.length > limit || left <= 0) {
      const messageIds = sure.toSorted().toReversed().slice(0, limit);
      const isCut = sure.length > limit;
      return { messageIds, nextBelow: isCut ? messageIds.at(-1)! : (behind?.readTo ?? null) };
    }
    await read(behind, withTokens ? ENTRIES_PER_READ : atOnce);
  }
}

/** The channel whose unread entries may be the newest. */
function leastRead(scans: readonly ChannelScan[]): ChannelScan | null {
  let least: ChannelScan | null = null;
  for (const scan of scans) {
    if (scan.readTo !== null && (least === null || scan.readTo > least.readTo!)) least = scan;
  }
  return least;
}

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ENTRIES_PER_SEARCH, RANGES_PER_QUERY } from "./constants.ts";
import { scanChannels } from "./mongo-entries.ts";
import { matches, type SearchWord } from "./tokenize.ts";

interface StoredEntry {
  id: string;
  channelId: string;
  tokens: string[];
}

const idOf = (n: number): string => n.toString(16).padStart(24, "0");
const HIGHEST = "f".repeat(24);

/** A fake repository over a list, which counts reads. */
function store(all: readonly StoredEntry[]) {
  const read = { entries: 0 };
  const findInChannels = (
    channelIds: readonly string[],
    word: SearchWord,
    { below, from, limit }: { below: string; from: string; limit: number },
  ) => {
    const found = all
      .filter(
        (one) =>
          channelIds.includes(one.channelId) && matches(word, one.tokens) && one.id < below && one.id >= from,
      )
      .toSorted((a, b) => (a.id < b.id ? 1 : -1))
      .slice(0, limit);
    read.entries += found.length;
    return Promise.resolve(found);
  };
  return { findInChannels, read };
}

async function readAll(
  all: readonly StoredEntry[],
  channelIds: string[],
  words: [SearchWord, ...SearchWord[]],
  limit: number,
) {
  const ids: string[] = [];
  let below: string | null = HIGHEST;
  while (below !== null) {
    const page = await scanChannels(store(all), { channelIds, words, below, from: idOf(0), limit });
    ids.push(...page.messageIds);
    below = page.nextBelow;
  }
  return ids;
}

test("pages of channels of any size are complete, newest first, without duplicates", async () => {
  // Some channels exceed one read, and bursts leave channels behind one another.
  const burst = fc.record({
    channel: fc.nat(3),
    size: fc.integer({ min: 1, max: 450 }),
    every: fc.integer({ min: 1, max: 60 }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(burst, { maxLength: 6 }),
      fc.integer({ min: 1, max: 50 }),
      fc.boolean(),
      fc.integer({ min: 1, max: 3 }),
      async (bursts, limit, two, perQuery) => {
        let n = 0;
        const all = bursts.flatMap(({ channel, size, every }) =>
          Array.from({ length: size }, (_, i): StoredEntry => {
            const tokens = i % every === 0 ? ["common", "rare"] : ["common"];
            return { id: idOf((n += 1)), channelId: `${channel}`, tokens };
          }),
        );
        const others = Array.from(
          { length: Math.floor(RANGES_PER_QUERY / perQuery) - 1 },
          (_, i) => `other${i}`,
        );
        const common: SearchWord = { tokens: ["common", ...others] };
        const words: [SearchWord, ...SearchWord[]] = two ? [common, { tokens: ["rare"] }] : [common];
        const expected = all.filter(
          (one) => one.channelId !== "3" && words.every((word) => matches(word, one.tokens)),
        );
        expect(await readAll(all, ["0", "1", "2"], words, limit)).toEqual(
          expected.map(({ id }) => id).toReversed(),
        );
      },
    ),
    { numRuns: 60 },
  );
});

test("a page reads a bounded number of entries and returns where to continue", async () => {
  const all = Array.from({ length: ENTRIES_PER_SEARCH + 5000 }, (_, i): StoredEntry => {
    return { id: idOf(i), channelId: "0", tokens: i === 10 ? ["common", "rare"] : ["common"] };
  });
  const entries = store(all);
  // The list is searched from its end each time, which takes only a few reads.
  const query = {
    channelIds: ["0"],
    words: [{ tokens: ["common"] }, { tokens: ["rare"] }] as [SearchWord, SearchWord],
    from: idOf(0),
    limit: 10,
  };
  const page = await scanChannels(entries, { ...query, below: HIGHEST });
  expect(page.messageIds).toEqual([]);
  expect(entries.read.entries).toBeLessThanOrEqual(ENTRIES_PER_SEARCH + 200);
  const next = await scanChannels(entries, { ...query, below: page.nextBelow! });
  expect(next).toEqual({ messageIds: [idOf(10)], nextBelow: null });
});

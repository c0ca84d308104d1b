import { expect, test } from "vitest";
import { TEST_CHANNELS as channels } from "../../../test/test-channels.ts";
import { FAVORITES, linesOf, listedChannels } from "./lines.ts";

const NOTHING = { collapsedIds: [], favoriteIds: [], hiddenIds: [], shownIds: [] };

test("sections are followed by their channels", () => {
  expect(linesOf(channels, NOTHING).map(({ key }) => key)).toEqual(["a", "b", "S", "c", "d", "T"]);
});

test("a collapsed section has only the channels that are to be shown", () => {
  const lines = linesOf(channels, { ...NOTHING, collapsedIds: ["S"], shownIds: ["d"] });
  expect(lines.map(({ key }) => key)).toEqual(["a", "b", "S", "d", "T"]);
  expect(lines.filter((line) => line.kind === "section" && line.isCollapsed)).toHaveLength(1);
});

test("favorites come first, by name, and nowhere else", () => {
  const named = channels.map((channel) => ({ ...channel, name: channel.id === "a" ? "zebra" : channel.id }));
  const favoriteIds = ["a", "d"];
  const lines = linesOf(named, { ...NOTHING, favoriteIds });
  expect(lines.map(({ key }) => key)).toEqual([FAVORITES, "d", "a", "b", "S", "c", "T"]);
  expect(listedChannels(named, { ...NOTHING, favoriteIds }).map(({ id }) => id)).toEqual([
    "d",
    "a",
    "b",
    "c",
  ]);
  const collapsed = linesOf(named, { ...NOTHING, collapsedIds: [FAVORITES], favoriteIds, shownIds: ["a"] });
  expect(collapsed.map(({ key }) => key)).toEqual([FAVORITES, "a", "b", "S", "c", "T"]);
});

test("hidden channels are left out, unless they are to be shown", () => {
  const state = { ...NOTHING, hiddenIds: ["a", "c"], shownIds: ["c"] };
  expect(linesOf(channels, state).map(({ key }) => key)).toEqual(["b", "S", "c", "d", "T"]);
  expect(listedChannels(channels, state).map(({ id }) => id)).toEqual(["b", "d"]);
});

import type { Channel } from "@fanfare/contract";
import { describe, expect, test } from "vitest";
import { channelsInOrder, channelTree } from "./groups.ts";

const channel = (id: string, position: number, sectionId: string | null = null, kind = "text"): Channel =>
  ({ id, position, sectionId, kind }) as Channel;

const channels = [
  channel("d", 9, "S2"),
  channel("S2", 5, null, "section"),
  channel("b", 1),
  channel("a", 1),
  channel("S1", 2, null, "section"),
  channel("c", 0, "S1"),
  channel("hidden", 3, "not seen"),
];

describe("the channels of a group", () => {
  test("are grouped by section; those of hidden sections come first", () => {
    const { top, sections } = channelTree(channels);
    expect(top.map(({ id }) => id)).toEqual(["a", "b", "hidden"]);
    expect(sections.map(({ section, channels: inside }) => [section.id, inside.map(({ id }) => id)])).toEqual(
      [
        ["S1", ["c"]],
        ["S2", ["d"]],
      ],
    );
  });

  test("are ordered from top to bottom", () => {
    expect(channelsInOrder(channels).map(({ id }) => id)).toEqual(["a", "b", "hidden", "c", "d"]);
  });
});

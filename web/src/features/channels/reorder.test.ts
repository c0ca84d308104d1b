import type { Channel } from "@fanfare/contract";
import { describe, expect, test } from "vitest";
import { channelTree } from "../../data/channel-order.ts";
import { moveChannel, moveSection, type Place, stepChannel, stepSection } from "./reorder.ts";

const channel = (id: string, position: number, sectionId: string | null = null, kind = "text"): Channel =>
  ({ id, position, sectionId, kind }) as Channel;

const channels = [
  channel("a", 0),
  channel("b", 1),
  channel("S", 0, null, "section"),
  channel("c", 0, "S"),
  channel("d", 1, "S"),
  channel("T", 1, null, "section"),
];

/** As the list is shown: "a b S(c d) T()". */
function shown(places: readonly Place[] | null): string {
  const moved = channels.map((held) => ({
    ...held,
    ...places?.find(({ channelId }) => channelId === held.id),
  }));
  const { top, sections } = channelTree(moved);
  const ids = (list: Channel[]) => list.map(({ id }) => id).join(" ");
  return [ids(top), ...sections.map(({ section, channels: inside }) => `${section.id}(${ids(inside)})`)].join(
    " ",
  );
}

describe("reordering channels", () => {
  test("moves within a section and between sections", () => {
    expect(shown(moveChannel(channels, "d", { sectionId: "S", index: 0 }))).toBe("a b S(d c) T()");
    expect(shown(moveChannel(channels, "a", { sectionId: "S", index: 1 }))).toBe("b S(c a d) T()");
    expect(shown(moveChannel(channels, "c", { sectionId: null, index: 2 }))).toBe("a b c S(d) T()");
    expect(shown(moveSection(channels, "T", 0))).toBe("a b T() S(c d)");
  });

  test("steps through the whole list, and stops at its ends", () => {
    expect(stepChannel(channels, "a", -1)).toBeNull();
    expect(shown(stepChannel(channels, "a", 1))).toBe("b a S(c d) T()");
    expect(shown(stepChannel(channels, "b", 1))).toBe("a S(b c d) T()");
    expect(shown(stepChannel(channels, "c", -1))).toBe("a b c S(d) T()");
    expect(shown(stepChannel(channels, "d", 1))).toBe("a b S(c) T(d)");
    expect(shown(stepSection(channels, "S", 1))).toBe("a b T() S(c d)");
    expect(stepSection(channels, "S", -1)).toBeNull();
  });

  test("tells the server only what changes", () => {
    expect(moveChannel(channels, "a", { sectionId: null, index: 0 })).toEqual([]);
    expect(moveChannel(channels, "a", { sectionId: "T", index: 0 })).toEqual([
      { channelId: "a", sectionId: "T", position: 0 },
    ]);
  });
});

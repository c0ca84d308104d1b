import type { Channel } from "@fanfare/contract";
import { describe, expect, test } from "vitest";
import { channelTree } from "../../data/groups.ts";
import { TEST_CHANNELS as channels } from "../../../test/test-channels.ts";
import { type Edge, type Place, placesAfterDrop, stepChannel, stepSection } from "./reorder.tsx";

/** The list in short form: "a b S(c d) T()". */
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

/** The list after a drop. */
function dropped(id: string, targetId: string, edge: Edge): string {
  return shown(places(id, targetId, edge));
}

function places(id: string, targetId: string, edge: Edge): Place[] {
  const find = (wanted: string) => channels.find((held) => held.id === wanted)!;
  const target = find(targetId);
  return placesAfterDrop(channels, find(id), target, target.sectionId, edge);
}

describe("reordering channels", () => {
  test("drops before or after a channel or into a section", () => {
    expect(dropped("d", "c", "before")).toBe("a b S(d c) T()");
    expect(dropped("a", "c", "after")).toBe("b S(c a d) T()");
    expect(dropped("c", "b", "after")).toBe("a b c S(d) T()");
    expect(dropped("a", "b", "after")).toBe("b a S(c d) T()");
    expect(dropped("d", "T", "after")).toBe("a b S(c) T(d)");
  });

  test("drops sections among sections", () => {
    expect(dropped("T", "S", "before")).toBe("a b T() S(c d)");
    expect(dropped("S", "T", "after")).toBe("a b T() S(c d)");
  });

  test("moves step by step through the list and stops at its ends", () => {
    expect(stepChannel(channels, "a", -1)).toBeNull();
    expect(shown(stepChannel(channels, "a", 1))).toBe("b a S(c d) T()");
    expect(shown(stepChannel(channels, "b", 1))).toBe("a S(b c d) T()");
    expect(shown(stepChannel(channels, "c", -1))).toBe("a b c S(d) T()");
    expect(shown(stepChannel(channels, "d", 1))).toBe("a b S(c) T(d)");
    expect(shown(stepSection(channels, "S", 1))).toBe("a b T() S(c d)");
    expect(stepSection(channels, "S", -1)).toBeNull();
  });

  test("only includes changed places", () => {
    expect(places("a", "b", "before")).toEqual([]);
    expect(places("a", "T", "after")).toEqual([{ channelId: "a", sectionId: "T", position: 0 }]);
  });
});

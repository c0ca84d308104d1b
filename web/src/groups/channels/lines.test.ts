import type { ChannelState } from "@fanfare/contract";
import { expect, test } from "vitest";
import { linesOf } from "./lines.ts";

const channel = (id: string, position: number, sectionId: string | null = null, kind = "text") =>
  ({ id, position, sectionId, kind }) as ChannelState;

const channels = [
  channel("a", 0),
  channel("b", 1),
  channel("S", 0, null, "section"),
  channel("c", 0, "S"),
  channel("d", 1, "S"),
  channel("T", 1, null, "section"),
];

test("sections are followed by their channels", () => {
  expect(linesOf(channels, [], []).map(({ key }) => key)).toEqual(["a", "b", "S", "c", "d", "T"]);
});

test("a collapsed section has only the channels that are to be shown", () => {
  const lines = linesOf(channels, ["S"], ["d"]);
  expect(lines.map(({ key }) => key)).toEqual(["a", "b", "S", "d", "T"]);
  expect(lines.filter((line) => line.kind === "section" && line.isCollapsed)).toHaveLength(1);
});

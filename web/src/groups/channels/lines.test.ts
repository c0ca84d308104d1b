import { expect, test } from "vitest";
import { TEST_CHANNELS as channels } from "../../../test/test-channels.ts";
import { linesOf } from "./lines.ts";

test("sections are followed by their channels", () => {
  expect(linesOf(channels, [], []).map(({ key }) => key)).toEqual(["a", "b", "S", "c", "d", "T"]);
});

test("a collapsed section has only the channels that are to be shown", () => {
  const lines = linesOf(channels, ["S"], ["d"]);
  expect(lines.map(({ key }) => key)).toEqual(["a", "b", "S", "d", "T"]);
  expect(lines.filter((line) => line.kind === "section" && line.isCollapsed)).toHaveLength(1);
});

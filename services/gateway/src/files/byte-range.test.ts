import { expect, test } from "vitest";
import { parseRange } from "./byte-range.ts";

test.each([
  [undefined, null],
  ["bytes=0-0", { start: 0, end: 0 }],
  ["bytes=2-", { start: 2, end: 9 }],
  ["bytes=2-400", { start: 2, end: 9 }],
  ["bytes=-3", { start: 7, end: 9 }],
  ["bytes=-40", { start: 0, end: 9 }],
  ["bytes=-0", "unsatisfiable"],
  ["bytes=10-", "unsatisfiable"],
  ["bytes=5-4", null],
  ["bytes=-", null],
  ["bytes=0-1,4-5", null],
  ["lines=1-2", null],
  ["bytes=1e3-", null],
])("%j of ten bytes", (header, range) => {
  expect(parseRange(header, 10)).toEqual(range);
});

test("of nothing there is no part", () => {
  expect(parseRange("bytes=0-", 0)).toBe("unsatisfiable");
  expect(parseRange("bytes=-5", 0)).toBe("unsatisfiable");
});

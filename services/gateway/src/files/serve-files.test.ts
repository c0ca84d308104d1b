import { expect, test } from "vitest";
import { dispositionOf, parseRange } from "./serve-files.ts";

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

test("an empty file has no satisfiable range", () => {
  expect(parseRange("bytes=0-", 0)).toBe("unsatisfiable");
  expect(parseRange("bytes=-5", 0)).toBe("unsatisfiable");
});

test.each([
  ["a b.txt", `attachment; filename="a b.txt"; filename*=UTF-8''a%20b.txt`],
  [
    '"; filename="x.exe',
    `attachment; filename="_; filename=_x.exe"; filename*=UTF-8''%22%3B%20filename%3D%22x.exe`,
  ],
  ["图'(1)*.png", `attachment; filename="_'(1)*.png"; filename*=UTF-8''%E5%9B%BE%27%281%29%2A.png`],
  [
    "a\r\nSet-Cookie: x",
    `attachment; filename="a__Set-Cookie: x"; filename*=UTF-8''a%0D%0ASet-Cookie%3A%20x`,
  ],
])("%j", (name, header) => {
  expect(dispositionOf("attachment", name)).toBe(header);
});

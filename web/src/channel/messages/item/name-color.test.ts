import fc from "fast-check";
import { expect, test } from "vitest";
import { contrast, readableColor } from "./use-author.ts";

const parse = (css: string) => css.match(/\d+/g)!.map(Number) as unknown as [number, number, number];

test("every role color is readable in both themes", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xffffff }), (color) => {
      expect(contrast(parse(readableColor(color, "light")), [0xeb, 0xea, 0xe6])).toBeGreaterThanOrEqual(4.5);
      expect(contrast(parse(readableColor(color, "dark")), [0x3b, 0x37, 0x33])).toBeGreaterThanOrEqual(4.5);
    }),
  );
});

test("readable colors are unchanged", () => {
  expect(readableColor(0x0000aa, "light")).toBe("rgb(0 0 170)");
  expect(readableColor(0xffee00, "dark")).toBe("rgb(255 238 0)");
});

import { expect, test } from "vitest";
import { linePath } from "./line-chart.tsx";

test("a line has a gap where nothing was measured", () => {
  const points = [{ x: 0, y: 1 }, { x: 1, y: 2.04 }, null, { x: 3, y: 4 }];
  expect(linePath(points)).toBe("M0 1L0 1L1 2M3 4L3 4");
  expect(linePath([null])).toBe("");
});

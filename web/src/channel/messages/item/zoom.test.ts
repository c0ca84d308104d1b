import { expect, test } from "vitest";
import { FITTING, moved, zoomed } from "./use-zoom.ts";

const picture = { width: 400, height: 200 };
const around = { width: 500, height: 500 };

test("zooming keeps the point under the pointer, and ends at the size of the window", () => {
  const near = zoomed(FITTING, 4, { x: 100, y: 0 }, picture, around);
  expect(near).toEqual({ scale: 4, x: -300, y: 0 });
  expect(zoomed(near, 0.25, { x: 100, y: 0 }, picture, around)).toEqual(FITTING);
  expect(zoomed(FITTING, 0.5, { x: 50, y: 50 }, picture, around)).toEqual(FITTING);
  expect(zoomed(near, 100, { x: 0, y: 0 }, picture, around).scale).toBe(8);
});

test("a picture only moves as far as it is larger than the window", () => {
  expect(moved(FITTING, { x: 50, y: 50 }, picture, around)).toEqual(FITTING);
  const near = { scale: 2, x: 0, y: 0 };
  expect(moved(near, { x: 1000, y: 1000 }, picture, around)).toEqual({ scale: 2, x: 150, y: 0 });
  expect(moved(near, { x: -20, y: 0 }, picture, around)).toEqual({ scale: 2, x: -20, y: 0 });
});

import { LIMITS } from "@fanfare/contract/limits";
import { expect, test } from "vitest";
import { peaksOf } from "./recording.ts";

test("the peaks of a recording are the loudest moments of its parts, up to the loudest of all", () => {
  expect(peaksOf([0, 0.25, 0.5])).toBe("0gv");
  const long = Array.from({ length: 6000 }, (_, index) => (index === 3000 ? 0.8 : 0.2));
  expect(peaksOf(long)).toHaveLength(LIMITS.recordingPeaks);
  expect(peaksOf(long).replaceAll("8", "")).toBe("v");
});

test("noise isn't shown as if it were loud, and the shortest recording has peaks", () => {
  expect(peaksOf([0.01, 0.01])).toBe("66");
  expect(peaksOf([])).toBe("0");
});

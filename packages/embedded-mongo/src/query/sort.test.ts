import fc from "fast-check";
import { expect, test } from "vitest";
import { firstByKey, sortByKey } from "./sort.ts";

test("returns the same items as sorting everything, with ties in order", () => {
  const keys = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 5000, size: "max" });
  fc.assert(
    fc.property(keys, fc.integer({ min: 1, max: 2000 }), (drawn, count) => {
      const items = drawn.map((key, at) => ({ key, at }));
      expect(firstByKey(items, count)).toEqual(sortByKey([...items]).slice(0, count));
    }),
    { numRuns: 30 },
  );
});

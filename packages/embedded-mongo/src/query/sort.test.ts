import fc from "fast-check";
import { expect, test } from "vitest";
import { runToEnd } from "../command-scope.ts";
import { orderBy, sortAll, sortFirst } from "./sort.ts";

const { compare } = orderBy([], undefined);

test("returns the same items as sorting everything, with ties in order", () => {
  const keys = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 10_000, size: "max" });
  fc.assert(
    fc.property(keys, fc.integer({ min: 1, max: 2000 }), (drawn, count) => {
      const items = drawn.map((key, at) => ({ key, at }));
      const expected = items.toSorted(compare);
      expect(runToEnd(sortAll(items, compare))).toEqual(expected);
      expect(runToEnd(sortFirst(items, count, compare))).toEqual(expected.slice(0, count));
    }),
    { numRuns: 30 },
  );
});

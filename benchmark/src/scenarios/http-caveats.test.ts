import { expect, test } from "vitest";
import { httpCaveats } from "./http.ts";

const rejected = (refused: number) => ({ figures: { counts: { sent: 1000, refused } } });
const errors = [
  { phase: "rejected", code: "OVERLOADED", count: 9 },
  { phase: "rejected", code: "HTTP_418", count: 1 },
  { phase: "send", code: "ECONNRESET", count: 4 },
];

test("rejections: how many, and what to do", () => {
  const text = httpCaveats({ load: rejected(10), behind: 0, errors }).join("\n");
  expect(text).toMatch("10 of 1,000 requests were rejected (1.00 %)");
  expect(text).toMatch(/OVERLOADED: .*fewer --connections/);
  expect(text).not.toMatch("ECONNRESET");
  expect(text).not.toMatch("don't compare");
});

test("warns if many were rejected", () => {
  expect(httpCaveats({ load: rejected(700), behind: 0, errors }).join("\n")).toMatch("don't compare them");
});

test("nothing without rejections", () => {
  expect(httpCaveats({ load: rejected(0), behind: 0, errors: [] })).toEqual([]);
});

import { expect, test } from "vitest";
import { httpCaveats } from "./http.ts";

const counts = { sent: 1000, acknowledged: 990, refused: 10, unanswered: 0, stored: 990, behind: 0 };
const errors = [
  { phase: "rejected", code: "OVERLOADED", count: 9 },
  { phase: "rejected", code: "HTTP_418", count: 1 },
  { phase: "send", code: "ECONNRESET", count: 4 },
];

test("rejections: how many, and what to do", () => {
  const text = httpCaveats({ counts, errors, testerBusy: 0.1 }).join("\n");
  expect(text).toMatch("10 of 1,000 requests were rejected (1.00 %)");
  expect(text).toMatch(/OVERLOADED: .*fewer --connections/);
  expect(text).not.toMatch("ECONNRESET");
  expect(text).not.toMatch("don't compare");
});

test("warns if many were rejected", () => {
  const mostly = { ...counts, acknowledged: 300, refused: 700 };
  expect(httpCaveats({ counts: mostly, errors, testerBusy: 0.1 }).join("\n")).toMatch("don't compare them");
});

test("nothing without rejections, unless the tester was the bottleneck", () => {
  const good = { counts: { ...counts, acknowledged: 1000, refused: 0 }, errors: [] };
  expect(httpCaveats({ ...good, testerBusy: 0.1 })).toEqual([]);
  expect(httpCaveats({ ...good, testerBusy: 1 }).join("\n")).toMatch(
    "The tester's thread was the bottleneck",
  );
});

import { expect, test } from "vitest";
import { REFUSED, refusedLines } from "./refused-lines.ts";

const counts = { sent: 1000, acknowledged: 990, refused: 10, unanswered: 0, stored: 990, behind: 0 };
const errors = [
  { phase: REFUSED, code: "OVERLOADED", count: 9 },
  { phase: REFUSED, code: "HTTP_418", count: 1 },
  { phase: "send", code: "ECONNRESET", count: 4 },
];

test("shows the count, the code, and what to do", () => {
  const text = refusedLines({ counts, errors }).join("\n");
  expect(text).toMatch("10 of 1,000 requests (1.00 %)");
  expect(text).toMatch(/OVERLOADED 9: .*lower --concurrency/);
  expect(text).toMatch("HTTP_418 1");
  expect(text).not.toMatch("ECONNRESET");
  expect(text).not.toMatch("don't compare");
});

test("warns if many were rejected", () => {
  const mostly = { ...counts, acknowledged: 300, refused: 700 };
  expect(refusedLines({ counts: mostly, errors }).join("\n")).toMatch(
    "only describe the other 300: don't compare",
  );
});

test("shows nothing without rejections", () => {
  expect(refusedLines({ counts: { ...counts, refused: 0 }, errors: [] })).toEqual([]);
});

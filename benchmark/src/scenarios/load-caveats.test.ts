import { expect, test } from "vitest";
import { loadCaveats } from "./load.ts";

const load = (counts: { refused?: number; unanswered?: number }, answeredMs = 20_000) => ({
  figures: { counts: { sent: 1000, refused: 0, unanswered: 0, ...counts }, answeredMs },
  verdicts: [],
});
const errors = [
  { phase: "rejected", code: "OVERLOADED", count: 9 },
  { phase: "rejected", code: "HTTP_418", count: 1 },
  { phase: "send", code: "ECONNRESET", count: 4 },
];

test("rejections: how many, and what to do", () => {
  const text = loadCaveats(load({ refused: 10 }), errors).join("\n");
  expect(text).toMatch("10 of 1,000 requests (1.00 %) were rejected");
  expect(text).toMatch(/OVERLOADED: .*fewer --connections/);
  expect(text).not.toMatch("ECONNRESET");
  expect(text).not.toMatch("don't compare");
});

test("warns if many were rejected", () => {
  expect(loadCaveats(load({ refused: 700 }), errors).join("\n")).toMatch("don't compare them");
});

test("requests without an answer, and rates of a short time", () => {
  expect(loadCaveats(load({ unanswered: 5 }, 400), [])).toEqual([
    "5 of 1,000 requests (0.50 %) were not answered. They count as the slowest.",
    "The rates are averages over only 400 ms. Measure for 10 s or longer to compare them.",
  ]);
});

test("nothing without any of these", () => {
  expect(loadCaveats(load({}), [])).toEqual([]);
});

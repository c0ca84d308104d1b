import { expect, test } from "vitest";
import { createLogger } from "../logger.ts";
import { EqualLines } from "./equal-lines.ts";

test("of warnings and errors that say the same some are written in a period, and the next one tells how many were not", () => {
  let nowMs = 0;
  const lines = new EqualLines(() => nowMs);
  const fail = (error: Error) =>
    lines.take(50, [{ err: error, userId: String(Math.random()) }, "a call failed"]);
  const first = Array.from({ length: 50 }, () => fail(new Error("no answer")));
  expect(first.filter(({ isWritten }) => isWritten).length).toBe(20);
  expect(fail(new Error("another reason")).isWritten).toBe(true);
  nowMs = 10_000;
  expect(fail(new Error("no answer"))).toEqual({
    isWritten: true,
    leftOut: new Map([["a call failed: Error: no answer", 30]]),
  });
  expect(
    Array.from({ length: 50 }, () => lines.take(30, ["a call"])).every(({ isWritten }) => isWritten),
  ).toBe(true);
});

test("a logger writes no more than that, also those made from it", () => {
  let written = 0;
  const logger = createLogger("info", { stream: { write: () => void (written += 1) } });
  for (let i = 0; i < 50; i += 1) logger.child({ i }).error({ err: new Error("no answer") }, "a call failed");
  expect(written).toBe(20);
});

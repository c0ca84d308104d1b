import { expect, test } from "vitest";
import { judge } from "./generator-load.ts";

const idle = {
  receiverBusy: 0.3,
  receiverWaiting: 0.02,
  longestDelayMs: 1,
  disturbed: 0,
  areLeftOut: false,
  otherProgramsCores: 0.1,
};

test("a tester with time to spare has no verdict", () => {
  expect(judge(idle, 20)).toEqual([]);
  expect(judge({ ...idle, receiverBusy: null, receiverWaiting: null, otherProgramsCores: null }, 0)).toEqual(
    [],
  );
});

test("says what was too slow, and what to do", () => {
  expect(judge({ ...idle, receiverBusy: 0.97 }, 20)[0]).toMatch(
    /busiest receiving thread was busy 97 % .* fewer users/,
  );
  expect(judge({ ...idle, receiverWaiting: 0.5 }, 20)[0]).toMatch(/waited for one 50 %/);
  expect(judge({ ...idle, otherProgramsCores: 1000 }, 20)[0]).toMatch(/Other programs used 1000.0 of the/);
});

test("names the messages that it disturbed itself, and whether they count", () => {
  const some = { ...idle, disturbed: 3, longestDelayMs: 312 };
  expect(judge({ ...some, areLeftOut: true }, 20)).toEqual([
    "The tester itself stood still during 3 of 20 messages, for up to 312.0 ms: not counted in the times.",
  ]);
  expect(judge(some, 5)[0]).toMatch("3 of 5 messages, for up to 312.0 ms: too many to leave them out");
});

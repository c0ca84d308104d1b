import { expect, test } from "vitest";
import { judge } from "./generator-load.ts";

const idle = {
  receiverBusy: 0.3,
  receiverWaiting: 0.02,
  senderDelayMs: 1,
  otherProgramsCores: 0.1,
  cpuSeconds: 1,
  rssBytes: 1,
};

test("a tester with time to spare has no verdict", () => {
  expect(judge(idle, 50, 20)).toEqual([]);
  expect(
    judge({ ...idle, receiverBusy: null, receiverWaiting: null, otherProgramsCores: null }, null, 20),
  ).toEqual([]);
});

test("says what was too slow, and what to do", () => {
  expect(judge({ ...idle, receiverBusy: 0.97 }, 50, 20)[0]).toMatch(/busy 97 % .* Use --client light/);
  expect(judge({ ...idle, receiverWaiting: 0.5 }, 50, 20)[0]).toMatch(/waited for one 50 %/);
  expect(judge({ ...idle, otherProgramsCores: 1000 }, 50, 20)[0]).toMatch(
    /Other programs used 1000.0 of the/,
  );
  expect(judge({ ...idle, senderDelayMs: 30 }, 50, 20)[0]).toMatch(/late by 30.0 ms/);
});

test("a late sender only affects the probes", () => {
  expect(judge({ ...idle, senderDelayMs: 30 }, 50, 0)).toEqual([]);
});

import { expect, test, vi } from "vitest";
import { createMemberCountCheck } from "./member-count-check.ts";

function check(readings: ({ stored: number; counted: number } | null | Error)[]) {
  const correct = vi.fn<() => Promise<void>>(async () => undefined);
  const onError = vi.fn<(error: unknown) => void>();
  const read = vi.fn<() => Promise<{ stored: number; counted: number } | null>>(async () => {
    const reading = readings.shift();
    if (reading instanceof Error) throw reading;
    return reading ?? null;
  });
  return { correct, onError, read, counts: createMemberCountCheck({ read, correct, onError, settleMs: 1 }) };
}

const off = { stored: 7, counted: 5 };

test("corrects a stable difference", async () => {
  const { counts, correct } = check([off, off]);
  counts.checkOnce("g");
  await vi.waitFor(() => expect(correct).toHaveBeenCalledWith("g", 7, 5));
});

test.each([
  ["a correct count", [{ stored: 5, counted: 5 }]],
  ["a join in progress", [off, { stored: 5, counted: 5 }]],
  ["a changing group", [off, { stored: 8, counted: 6 }]],
  ["a deleted group", [off, null]],
])("doesn't correct %s", async (_case, readings) => {
  const reads = readings.length;
  const { counts, correct, read } = check([...readings]);
  counts.checkOnce("g");
  await vi.waitFor(() => expect(read).toHaveBeenCalledTimes(reads));
  await counts.stop();
  expect(correct).not.toHaveBeenCalled();
});

test("checks a group once, and again after a failure or on request", async () => {
  const { counts, read, onError, correct } = check([new Error("down"), off, off, off, off]);
  counts.checkOnce("g");
  await vi.waitFor(() => expect(onError).toHaveBeenCalledTimes(1));
  counts.checkOnce("g");
  await vi.waitFor(() => expect(correct).toHaveBeenCalledTimes(1));
  counts.checkOnce("g");
  expect(read).toHaveBeenCalledTimes(3);
  counts.checkAgain("g");
  await vi.waitFor(() => expect(correct).toHaveBeenCalledTimes(2));
  await counts.stop();
});

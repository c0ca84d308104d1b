import { expect, test } from "vitest";
import { ErrorTable } from "../../kernels/broadcast/error-table.ts";
import { connectError, usageError } from "../../cli/exit.ts";
import { judgeAttempt, tryAttempt } from "./attempt.ts";

const UNKNOWN = () => ({ name: "unknown", why: "" }) as const;
const SEEN = { worstMs: 10, medianMs: 5, acknowledged: 100 };

test("everything was delivered in time", () => {
  expect(judgeAttempt(100, SEEN, 20, UNKNOWN)).toMatchObject({ held: true, reasons: [], resource: null });
});

test.each([
  ["lost", "2 deliveries lost"],
  ["duplicates", "2 duplicates"],
  ["outOfOrder", "2 deliveries out of order"],
  ["corrupted", "2 deliveries corrupted"],
  ["unstored", "2 acknowledged messages not persisted"],
  ["storedTwice", "2 messages stored twice"],
  ["refused", "2 messages rejected or not answered"],
  ["missed", "2 messages not sent in time"],
  ["dropped", "2 connections dropped"],
])("a load with %s messages does not hold", (fault, reason) => {
  const attempt = judgeAttempt(100, { ...SEEN, [fault]: 2 }, 20, UNKNOWN);
  expect(attempt).toMatchObject({ held: false, reasons: [reason], resource: { name: "unknown" } });
});

const context = () => ({
  plan: { limitMs: 200 },
  errors: new ErrorTable(),
  signal: new AbortController().signal,
});

test("members that can't be registered or connected are the limit, and don't end the search", async () => {
  const run = context();
  run.errors.add("api", "EMFILE");
  const attempt = await tryAttempt(run, 100, () => {
    run.errors.add("api", "RATE_LIMITED");
    return Promise.reject(connectError("registering failed"));
  });
  expect(attempt).toMatchObject({ held: false, isFinal: false, reasons: ["registering failed"] });
  expect(attempt.resource!.name).toBe("limit");
});

test("wrong usage and interruptions do end the search", async () => {
  await expect(tryAttempt(context(), 100, () => Promise.reject(usageError("wrong")))).rejects.toThrow(
    "wrong",
  );
  const run = { ...context(), signal: AbortSignal.abort(new Error("interrupted")) };
  await expect(tryAttempt(run, 100, () => Promise.reject(connectError("closed")))).rejects.toThrow(
    "interrupted",
  );
});

import { FanfareError } from "@fanfare/client";
import type { Call } from "@fanfare/contract";
import { expect, test } from "vitest";
import { type ExportedItem, readExport } from "./export-data.tsx";

const error = (type: "RATE_LIMITED" | "INTERNAL", retryAfterMs = 1) =>
  new FanfareError({ type, message: type, data: { retryAfterMs }, retryable: true, requestId: "" });

/** Returns or throws the given answers in order, and records the calls. */
function answering(...answers: (FanfareError | { items: ExportedItem[]; nextCursor: string | null })[]) {
  const asked: unknown[] = [];
  const call = (async (_: string, params: unknown) => {
    asked.push(params);
    const answer = answers.shift();
    if (answer instanceof FanfareError || answer === undefined) throw answer;
    return answer;
  }) as Call;
  return { asked, call };
}

async function readAll(call: Call, signal = new AbortController().signal): Promise<ExportedItem[]> {
  const items: ExportedItem[] = [];
  for await (const page of readExport(call, signal)) items.push(...page);
  return items;
}

test("reads all pages, including empty ones, and waits when rate limited", async () => {
  const [profile, message] = [{ kind: "profile" }, { kind: "message" }];
  const { call, asked } = answering(
    { items: [profile], nextCursor: "a" },
    { items: [], nextCursor: "b" },
    error("RATE_LIMITED"),
    { items: [message], nextCursor: null },
  );
  expect(await readAll(call)).toEqual([profile, message]);
  expect(asked).toEqual([{}, { cursor: "a" }, { cursor: "b" }, { cursor: "b" }]);
});

test("stops on other errors and when aborted", async () => {
  await expect(readAll(answering(error("INTERNAL")).call)).rejects.toMatchObject({ type: "INTERNAL" });
  await expect(readAll(answering().call, AbortSignal.abort())).rejects.toThrow("aborted");
});

test("stops at once when aborted during the wait for the rate limit", async () => {
  const canceling = new AbortController();
  const { call, asked } = answering(error("RATE_LIMITED", 3_600_000));
  const reading = readAll(call, canceling.signal);
  await expect.poll(() => asked.length).toBe(1);
  canceling.abort();
  await expect(reading).rejects.toThrow("aborted");
});

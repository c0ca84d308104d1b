import { expect, test } from "vitest";
import { PENDING_MAX_AGE_MS } from "../limits.ts";
import { missingRevs, type MissingRevsOptions } from "./missing-revs.ts";

const nowMs = 1_000_000;
const at = new Date(nowMs - 100);

/** Batches whose name begins with "own" are of this process; "own open" is still being written. */
function ask(options: Partial<MissingRevsOptions>, seqs: number[] = [], revs: number[] = []) {
  return missingRevs({
    pending: undefined,
    afterRev: 0,
    ledger: {
      state: (batchId) =>
        batchId === "own open" ? "open" : batchId.startsWith("own") ? "closed" : "of another worker",
    },
    storedSeqs: (asked) => Promise.resolve(new Set(seqs.filter((seq) => asked.includes(seq)))),
    storedRevs: (asked) => Promise.resolve(new Set(revs.filter((rev) => asked.includes(rev)))),
    nowMs,
    ...options,
  });
}

test("a head without pending batches misses nothing", async () => {
  expect(await ask({})).toEqual([]);
});

test("of this process, exactly the batches that are being written are missing", async () => {
  const pending = {
    "own open": { rev: 5, count: 2, seq: 3, messages: 2, at },
    "own done": { rev: 3, count: 2, seq: 1, messages: 2, at },
  };
  expect(await ask({ pending })).toEqual([5, 6]);
});

test("of another worker, what is stored is not missing, even where it has been changed since", async () => {
  const pending = { other: { rev: 10, count: 5, seq: 7, messages: 3, at } };
  expect(await ask({ pending }, [7, 9], [13])).toEqual([11, 14]);
  expect(await ask({ pending, afterRev: 11 }, [7, 9], [13])).toEqual([14]);
});

test("what is older than any write can be is a hole", async () => {
  const batch = { rev: 1, count: 1, seq: 1, messages: 1 };
  const old = { other: { ...batch, at: new Date(nowMs - PENDING_MAX_AGE_MS - 1) } };
  expect(await ask({ pending: old })).toEqual([]);
  const young = { other: { ...batch, at: new Date(nowMs - PENDING_MAX_AGE_MS) } };
  expect(await ask({ pending: young })).toEqual([1]);
});

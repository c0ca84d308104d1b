import type { NodeContext } from "@fanfare/kernel";
import { expect, test } from "vitest";
import { whenDue } from "./due.ts";

test("one that fails is tried again later, so that the others don't wait for it", async () => {
  const failing = { _id: "failing", dueAt: new Date(0) };
  let waiting = [failing, { _id: "next", dueAt: new Date(1) }];
  const queries = {
    listDue: async (now: Date) => waiting.filter(({ dueAt }) => dueAt <= now),
    nextDueAfter: async () => null,
    postpone: async (document: typeof failing, to: Date) => {
      document.dueAt = to;
    },
  };
  let run: (job: { signal: AbortSignal }) => Promise<unknown> = async () => undefined;
  const define = (_name: string, job: { run: typeof run }) => void ({ run } = job);
  const node = { jobs: { define }, logger: { warn: () => undefined } } as unknown as NodeContext;
  const tried: string[] = [];
  whenDue(node, "test", queries, async ({ _id }) => {
    tried.push(_id);
    if (_id === "failing") throw new Error("it fails");
    waiting = waiting.filter((one) => one._id !== _id);
  });
  for (const _ of [1, 2]) await run({ signal: AbortSignal.timeout(1000) });
  expect(tried).toEqual(["failing", "next"]);
  expect(waiting).toEqual([failing]);
  expect(failing.dueAt.getTime()).toBeGreaterThan(Date.now());
});

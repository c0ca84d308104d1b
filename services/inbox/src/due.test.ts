import type { Call } from "@fanfare/contract";
import { createServices, type NodeContext } from "@fanfare/kernel";
import { expect, test } from "vitest";
import { DUE_AT_ONCE } from "./constants.ts";
import { whenDue } from "./due.ts";
import { createReminders } from "./saved.ts";
import type { SavedDocument, SavedRepository } from "./saved.repository.ts";

type Work = Parameters<typeof whenDue<{ _id: string; dueAt: Date }>>;

/** @returns runs the job once */
function jobOf(queries: Work[2], workOn: Work[3]): () => Promise<unknown> {
  let run: (job: { signal: AbortSignal }) => Promise<unknown> = async () => undefined;
  const define = (_name: string, job: { run: typeof run }) => void ({ run } = job);
  const node = { jobs: { define }, logger: { warn: () => undefined } } as unknown as NodeContext;
  whenDue(node, "test", queries, workOn);
  return () => run({ signal: new AbortController().signal });
}

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
  const tried: string[] = [];
  const work = async ({ _id }: typeof failing) => {
    tried.push(_id);
    if (_id === "failing") throw new Error("it fails");
    waiting = waiting.filter((one) => one._id !== _id);
  };
  const run = jobOf(queries, () => work);
  for (const _ of [1, 2]) await run();
  expect(tried).toEqual(["failing", "next"]);
  expect(waiting).toEqual([failing]);
  expect(failing.dueAt.getTime()).toBeGreaterThan(Date.now());
});

test("a failure of what some have in common postpones only those", async () => {
  const due = Array.from({ length: DUE_AT_ONCE + 1 }, (_, i) => ({ _id: String(i), dueAt: new Date(0) }));
  const postponed: string[] = [];
  const queries = {
    listDue: async () => due,
    nextDueAfter: async () => null,
    postpone: async ({ _id }: { _id: string }) => postponed.push(_id),
  };
  const run = jobOf(queries, (some) => async () => {
    if (some.includes(due[0]!)) throw new Error("it fails");
  });
  await run();
  expect(postponed).toEqual(due.slice(0, DUE_AT_ONCE).map(({ _id }) => _id));
});

test("reminders that are due at the same time read their messages with one call", async () => {
  const calls: unknown[] = [];
  const call = async (name: string, params: object) => {
    calls.push([name, params]);
    return { messages: [], stoppedAt: null };
  };
  const services = createServices(call as unknown as Call);
  const node = { services, access: { get: async () => ({}) } } as unknown as NodeContext;
  const done: string[] = [];
  const saved = {
    reminded: async ({ messageId }: SavedDocument) => done.push(messageId),
  } as unknown as SavedRepository;
  const due = ["one", "two"].map((messageId) => ({ messageId }) as SavedDocument);
  const remind = createReminders({ node, saved, push: async () => undefined })(due);
  for (const document of due) await remind(document);
  expect(calls).toEqual([["message.getMany", { messageIds: ["one", "two"] }]]);
  expect(done).toEqual(["one", "two"]);
});

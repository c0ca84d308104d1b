import type { DomainEvents } from "@fanfare/kernel";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Activity, createActivity } from "./activity.ts";

const FLUSH_MS = 1000;

let looked: string[][];
let noted: Map<string, number>[];
let errors: unknown[];
let fails: boolean;
let activity: Activity;

beforeEach(() => {
  vi.useFakeTimers();
  [looked, noted, errors, fails] = [[], [], [], false];
  activity = createActivity({
    repository: {
      async listedByActivity(channelIds) {
        looked.push([...channelIds]);
        if (fails) throw new Error("the database is unavailable");
        return new Set(channelIds.filter((id) => id.startsWith("thread")));
      },
      async note(times) {
        noted.push(new Map([...times].map(([id, time]) => [id, time.getTime()])));
      },
    },
    onError: (error) => errors.push(error),
    flushMs: FLUSH_MS,
  });
});
afterEach(() => void vi.useRealTimers());

const stored = (channelId: string, ms: number): DomainEvents["message.stored"] => ({
  channelId,
  groupId: null,
  messages: [{ createdAt: new Date(ms).toISOString() }] as DomainEvents["message.stored"]["messages"],
});

test("several messages within a second cause one update with the last time", async () => {
  for (const ms of [1, 2, 3]) activity.stored(stored("thread", ms));
  activity.stored(stored("thread of others", 2));
  expect(looked).toEqual([]);
  await vi.advanceTimersByTimeAsync(FLUSH_MS);
  expect(noted).toEqual([
    new Map([
      ["thread", 3],
      ["thread of others", 2],
    ]),
  ]);
});

test("channels not listed by activity are looked up only once", async () => {
  for (let round = 0; round < 3; round += 1) {
    activity.stored(stored("ordinary", round));
    await vi.advanceTimersByTimeAsync(FLUSH_MS);
  }
  expect(looked).toEqual([["ordinary"]]);
  expect(noted).toEqual([]);
});

test("a failure is reported, and the next message is recorded", async () => {
  fails = true;
  activity.stored(stored("thread", 1));
  await vi.advanceTimersByTimeAsync(FLUSH_MS);
  expect(errors).toHaveLength(1);
  fails = false;
  activity.stored(stored("thread", 2));
  await vi.advanceTimersByTimeAsync(FLUSH_MS);
  expect(noted).toEqual([new Map([["thread", 2]])]);
});

test("pending updates are written on stop", async () => {
  activity.stored(stored("thread", 1));
  await activity.stop();
  expect(noted).toEqual([new Map([["thread", 1]])]);
});

import { MEMBER_PERMISSIONS } from "@fanfare/contract";
import { expect, test } from "vitest";
import { type Access, AccessCache } from "./access.ts";

const member: Access = { permissions: MEMBER_PERMISSIONS, groupId: "g", mutedUntilMs: 0, rooms: ["group:g"] };
const stranger: Access = { ...member, permissions: 0 };
const place = { channelId: "c" };

function countingCache(answers: Access[]) {
  let lookUps = 0;
  const cache = new AccessCache(async () => answers[Math.min(lookUps++, answers.length - 1)]!);
  return { cache, lookUps: () => lookUps };
}

test("looks up a member once", async () => {
  const { cache, lookUps } = countingCache([member]);
  expect(cache.peek("u", place)).toBeUndefined();
  await cache.get("u", place);
  await cache.get("u", place);
  expect(cache.peek("u", place)).toEqual(member);
  expect(lookUps()).toBe(1);
});

test("does not cache non-members, who can be granted access at any time", async () => {
  const { cache } = countingCache([stranger, member]);
  expect(await cache.get("u", place)).toEqual(stranger);
  expect(await cache.get("u", place)).toEqual(member);
});

test.each([
  ["the member", "u"],
  ["the whole group", null],
])("evicts entries when %s is invalidated", async (_what, userId) => {
  const { cache } = countingCache([member, stranger]);
  await cache.get("u", place);
  cache.invalidate("g", userId);
  expect(cache.peek("u", place)).toBeUndefined();
  expect(await cache.get("u", place)).toEqual(stranger);
});

test("a channel's entry is not used for a group with the same id", async () => {
  const { cache } = countingCache([member, stranger]);
  await cache.get("u", { channelId: "x" });
  expect(await cache.get("u", { groupId: "x" })).toEqual(stranger);
});

test("evicts a direct channel by its id", async () => {
  const friend: Access = { ...member, groupId: null };
  const { cache } = countingCache([friend, stranger]);
  await cache.get("u", place);
  cache.invalidate("another channel", null);
  expect(cache.peek("u", place)).toEqual(friend);
  cache.invalidate("c", null);
  expect(await cache.get("u", place)).toEqual(stranger);
});

test("keeps other members when one is invalidated", async () => {
  const { cache } = countingCache([member]);
  await cache.get("u", place);
  cache.invalidate("g", "another user");
  cache.invalidate("another group", null);
  expect(cache.peek("u", place)).toEqual(member);
});

test("shares a lookup, so that no call overtakes an earlier one", async () => {
  const answers: ((access: Access) => void)[] = [];
  const cache = new AccessCache(() => new Promise((resolve) => answers.push(resolve)));
  const order: number[] = [];
  const calls = [1, 2, 3].map((call) => cache.get("u", place).then(() => order.push(call)));
  answers[0]!(member);
  await calls[0];
  calls.push(cache.get("u", place).then(() => order.push(4)));
  for (const answer of answers.slice(1)) answer(member);
  await Promise.all(calls);
  expect(order).toEqual([1, 2, 3, 4]);
  expect(answers).toHaveLength(1);
});

test("a failed lookup is not shared with later calls", async () => {
  let lookUps = 0;
  const cache = new AccessCache(async () => {
    if (lookUps++ === 0) throw new Error("no response");
    return member;
  });
  await expect(cache.get("u", place)).rejects.toThrow("no response");
  expect(await cache.get("u", place)).toEqual(member);
});

test("does not share a lookup that started before an invalidation", async () => {
  const answers: ((access: Access) => void)[] = [];
  const cache = new AccessCache(() => new Promise((resolve) => answers.push(resolve)));
  const before = cache.get("u", place);
  cache.invalidate("g", "u");
  const after = cache.get("u", place);
  answers[1]!(stranger);
  answers[0]!(member);
  expect(await before).toEqual(member);
  expect(await after).toEqual(stranger);
  expect(cache.peek("u", place)).toBeUndefined();
});

test("does not cache a result fetched during an invalidation", async () => {
  let answer: (access: Access) => void = () => {};
  const cache = new AccessCache(() => new Promise((resolve) => (answer = resolve)));
  const pending = cache.get("u", place);
  cache.invalidate("g", "u");
  answer(member);
  await pending;
  expect(cache.peek("u", place)).toBeUndefined();
});

test("clears the cache when there are too many invalidations to track", async () => {
  const cache = new AccessCache(async () => member, { maxEntries: 10 });
  await cache.get("u", place);
  cache.invalidate("g", "u");
  for (let i = 0; i < 20; i++) cache.invalidate(`group ${i}`, null);
  expect(cache.peek("u", place)).toBeUndefined();
});

test("does not cache a result fetched while there are too many invalidations to track", async () => {
  let answer: (access: Access) => void = () => {};
  const cache = new AccessCache(() => new Promise((resolve) => (answer = resolve)), { maxEntries: 10 });
  const pending = cache.get("u", place);
  cache.invalidate("g", "u");
  for (let i = 0; i < 20; i++) cache.invalidate(`group ${i}`, null);
  answer(member);
  await pending;
  expect(cache.peek("u", place)).toBeUndefined();
});

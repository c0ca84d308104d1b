import type { Member } from "@fanfare/contract";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createMemberAnnouncer } from "./member-announcer.ts";

const member = (userId: string, groupId = "g"): Member => ({
  groupId,
  userId,
  mutedUntil: null,
  joinedAt: "2026-01-01T00:00:00.000Z",
});

let published: { room: unknown; name: string; userIds: string[] }[];
let memberCount: number | undefined;
let announcer: ReturnType<typeof createMemberAnnouncer>;

beforeEach(() => {
  vi.useFakeTimers();
  published = [];
  memberCount = 1;
  announcer = createMemberAnnouncer({
    publish(room, name, payload) {
      const { members, userIds } = payload as { members?: Member[]; userIds?: string[] };
      published.push({ room, name, userIds: userIds ?? members?.map(({ userId }) => userId) ?? [] });
    },
    readMemberCount: async () => memberCount,
    onError(error) {
      throw error;
    },
  });
});
afterEach(() => {
  announcer.stop();
  vi.useRealTimers();
});

const settle = (ms = 0) => vi.advanceTimersByTimeAsync(ms);

test("the first change is told at once, those after it together", async () => {
  announcer.joined(member("a"));
  await settle();
  expect(published).toEqual([{ room: "group:g", name: "member.joined", userIds: ["a"] }]);
  for (const userId of ["b", "c"]) announcer.joined(member(userId));
  announcer.left("g", "x");
  await settle(200);
  expect(published.length).toBe(1);
  await settle(100);
  expect(published.slice(1)).toEqual([
    { room: "group:g", name: "member.left", userIds: ["x"] },
    { room: "group:g", name: "member.joined", userIds: ["b", "c"] },
  ]);
});

test("of several changes of one user the last is told", async () => {
  announcer.joined(member("first"));
  announcer.joined(member("a"));
  announcer.left("g", "a");
  announcer.left("g", "b");
  announcer.joined(member("b"));
  await settle(1000);
  expect(published.slice(1)).toEqual([
    { room: "group:g", name: "member.left", userIds: ["a"] },
    { room: "group:g", name: "member.joined", userIds: ["b"] },
  ]);
});

test("of a crowd a part is listed, and groups do not wait for each other", async () => {
  for (let index = 0; index < 1000; index += 1) announcer.joined(member(`u${index}`));
  announcer.joined(member("z", "other"));
  await settle(1000);
  expect(published.map(({ room, userIds }) => [room, userIds.length])).toEqual([
    ["group:g", 1],
    ["group:other", 1],
    ["group:g", 50],
  ]);
});

test("a group that is gone hears nothing", async () => {
  memberCount = undefined;
  announcer.left("g", "a");
  await settle(1000);
  expect(published).toEqual([]);
});

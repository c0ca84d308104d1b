import type { Group, Member } from "@fanfare/contract";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createMemberAnnouncer, type StoredMembers } from "./member-announcer.ts";

interface Publication {
  room: unknown;
  name: string;
  userIds: string[];
  memberCount: number;
}

/** Stored user ids by group. */
let stored: Map<string, Set<string>>;
let published: Publication[];
let reads: number;
let announcers: ReturnType<typeof createMemberAnnouncer>[];

beforeEach(() => {
  vi.useFakeTimers();
  stored = new Map([["g", new Set(["owner"])]]);
  published = [];
  reads = 0;
  announcers = [];
});
afterEach(async () => {
  stored.clear();
  await Promise.all(announcers.map((announcer) => announcer.stop()));
  vi.useRealTimers();
});

/** @param slow called with the result of a read before the announcer receives it */
function create(slow: (found: StoredMembers | undefined) => Promise<void> = async () => undefined) {
  const announcer = createMemberAnnouncer({
    publish(room, name, payload) {
      const { members, userIds, memberCount } = payload as {
        members?: Member[];
        userIds?: string[];
        memberCount: number;
      };
      published.push({
        room,
        name,
        userIds: userIds ?? members?.map(({ userId }) => userId) ?? [],
        memberCount,
      });
    },
    async read(groupId, userIds) {
      reads += 1;
      const group = stored.get(groupId);
      const found =
        group === undefined
          ? undefined
          : {
              memberCount: group.size,
              departures: [],
              members: userIds
                .filter((userId) => group.has(userId))
                .map((userId) => ({
                  groupId,
                  userId,
                  mutedUntil: null,
                  roleIds: [],
                  joinedAt: "2026-01-01T00:00:00.000Z",
                })),
            };
      await slow(found);
      return found;
    },
    onError(error) {
      throw error;
    },
  });
  announcers.push(announcer);
  return {
    ...announcer,
    join(userId: string, groupId = "g"): void {
      stored.get(groupId)!.add(userId);
      announcer.changed(groupId, userId);
    },
    leave(userId: string): void {
      stored.get("g")!.delete(userId);
      announcer.changed("g", userId);
    },
  };
}

const settle = (ms = 0) => vi.advanceTimersByTimeAsync(ms);
const names = () => published.map(({ name, userIds }) => [name, userIds]);

test("publishes the first change immediately and later ones together", async () => {
  stored.get("g")!.add("x");
  const announcer = create();
  announcer.join("a");
  await settle();
  expect(published).toEqual([{ room: "group:g", name: "member.joined", userIds: ["a"], memberCount: 3 }]);
  for (const userId of ["b", "c"]) announcer.join(userId);
  announcer.leave("x");
  await settle(200);
  expect(published.length).toBe(1);
  await settle(100);
  expect(names().slice(1)).toEqual([
    ["member.left", ["x"]],
    ["member.joined", ["b", "c"]],
  ]);
  await settle(1000);
  expect(published.length).toBe(3);
  reads = 0;
  await settle(60_000);
  expect(reads).toBe(0);
});

test("publishes only the last of several changes of a user", async () => {
  const announcer = create();
  announcer.join("first");
  await settle();
  announcer.join("a");
  announcer.leave("a");
  announcer.leave("b");
  announcer.join("b");
  await settle(1000);
  expect(names().slice(1)).toEqual([
    ["member.left", ["a"]],
    ["member.joined", ["b"]],
  ]);
});

test("lists only part of a crowd, and groups don't wait for each other", async () => {
  stored.set("other", new Set());
  const announcer = create();
  announcer.join("u0");
  await settle();
  for (let index = 1; index < 1000; index += 1) announcer.join(`u${index}`);
  announcer.join("z", "other");
  await settle(1000);
  expect(published.map(({ room, userIds, memberCount }) => [room, userIds.length, memberCount])).toEqual([
    ["group:g", 1, 2],
    ["group:other", 1, 1],
    ["group:g", 50, 1001],
  ]);
});

test("nothing is published to a deleted group", async () => {
  stored.clear();
  create().changed("g", "a");
  await settle(1000);
  expect(published).toEqual([]);
});

test("publishes again when another process has changed the state in the meantime", async () => {
  const gate = Promise.withResolvers<void>();
  let isFirst = true;
  const slow = create(async () => {
    if (isFirst) {
      isFirst = false;
      await gate.promise;
    }
  });
  const other = create();
  slow.join("a");
  await settle();
  other.join("b");
  other.leave("a");
  await settle(1000);
  gate.resolve();
  await settle(2000);
  const late = published.findIndex(({ userIds, name }) => name === "member.joined" && userIds.includes("a"));
  expect(published.slice(late).map(({ name, userIds, memberCount }) => [name, userIds, memberCount])).toEqual(
    [
      ["member.joined", ["a"], 2],
      ["member.left", ["a"], 2],
    ],
  );
  expect(published.at(-1)!.memberCount).toBe(2);
});

test("publishes a count again if it changed after another event or a correction", async () => {
  const announcer = create();
  const group = { id: "g", memberCount: 1 } as Group;
  const update = { room: "group:g", name: "group.updated" };
  expect(announcer.updated(group)).toEqual({ group });
  await settle(1000);
  expect(published).toMatchObject([update]);
  announcer.updated(group);
  stored.get("g")!.add("a");
  await settle(1000);
  const correction = { room: "group:g", name: "member.joined", userIds: [], memberCount: 2 };
  expect(published).toMatchObject([update, update, correction]);
  announcer.recounted("g");
  await settle(1000);
  expect(published).toMatchObject([update, update, correction, correction]);
});

test("leaves changes of other processes to them, so events don't multiply with the number of processes", async () => {
  const busy = create();
  const others = Array.from({ length: 9 }, () => create());
  for (const [index, other] of others.entries()) other.join(`first${index}`);
  for (let index = 0; index < 10_000; index += 1) {
    busy.join(`u${index}`);
    if (index % 10 === 0) await settle(10);
  }
  await settle(2000);
  // 4 per second for 10 s, plus one per process at the start and the end.
  expect(published.length).toBeLessThan(80);
  expect(published.at(-1)!.memberCount).toBe(10_010);
});

test("pending changes are published when the process stops", async () => {
  const announcer = create();
  announcer.join("a");
  await settle();
  announcer.join("b");
  const stopping = announcer.stop();
  await settle();
  await stopping;
  expect(published.at(-1)).toMatchObject({ userIds: ["b"], memberCount: 3 });
});

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedMongoProcess, type SupervisedMongo } from "@fanfare/embedded-mongo";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createRoom, startGroupNode, type GroupNode, type Room } from "./group-node.ts";

// Two processes with one database; events of the second one reach clients late.

const LATE_MS = 100;

let dir: string;
let database: SupervisedMongo;
let workers: [GroupNode, GroupNode];
const out: GroupNode["out"] = [];

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "fanfare-groups-"));
  database = await startEmbeddedMongoProcess({ dir: join(dir, "db"), listen: { port: 0 } });
  workers = [await startGroupNode(dir, database.uri), await startGroupNode(dir, database.uri)];
  workers[0].out.push = (...items) => out.push(...items);
  workers[1].out.push = (...items) => {
    setTimeout(() => out.push(...items), LATE_MS);
    return 0;
  };
});
afterAll(async () => {
  for (const worker of workers ?? []) await worker.stop();
  await database?.close();
  await rm(dir, { recursive: true, force: true });
});

/** The members and the count that a client derives from the events. */
function replay(groupId: string): { members: Set<string>; memberCount: number } {
  const members = new Set<string>();
  let memberCount = 1;
  for (const item of out) {
    if (!("name" in item)) continue;
    const payload = item.payload as {
      groupId: string;
      memberCount: number;
      members?: { userId: string }[];
      userIds?: string[];
    };
    if (!item.name.startsWith("member.") || payload.groupId !== groupId) continue;
    for (const { userId } of payload.members ?? []) members.add(userId);
    for (const userId of payload.userIds ?? []) members.delete(userId);
    memberCount = payload.memberCount;
  }
  return { members, memberCount };
}

test("joins and kicks by two processes: clients end up with the stored members and count", async () => {
  const room = await createRoom(workers[0]);
  const { id: groupId } = room.group;
  const users = await Promise.all(Array.from({ length: 20 }, () => workers[0].guest()));
  for (let round = 0; round < 15; round += 1) {
    await Promise.allSettled(
      users.map((user, index) => {
        const worker = workers[(round + index) % 2]!;
        return (round * 7 + index) % 3 === 0
          ? worker.call("group.kick", { groupId, userId: user.userId }, room.owner)
          : worker.call("invite.accept", { code: room.code }, user);
      }),
    );
  }
  await expectReceived(room);
  expect(replay(groupId).memberCount).toBeGreaterThan(1);
});

test("a member kicked by one process right after the other added them is gone for all clients", async () => {
  const room = await createRoom(workers[0]);
  const user = await workers[0].guest();
  await workers[1].call("invite.accept", { code: room.code }, user);
  await workers[0].call("group.kick", { groupId: room.group.id, userId: user.userId }, room.owner);
  const isHere = (item: (typeof out)[number]) =>
    "name" in item && item.name === "member.joined" && JSON.stringify(item.payload).includes(user.userId);
  await vi.waitFor(() => expect(out.some(isHere)).toBe(true), 5000);
  await expectReceived(room);
});

async function expectReceived({ group: { id: groupId }, owner }: Room): Promise<void> {
  const { members } = await workers[1].call("group.listMembers", { groupId, limit: 100 }, owner);
  const stored = members.map(({ userId }) => userId).filter((userId) => userId !== owner.userId);
  await vi.waitFor(
    () => {
      const seen = replay(groupId);
      expect([...seen.members].sort()).toEqual([...stored].sort());
      expect(seen.memberCount).toBe(stored.length + 1);
    },
    { timeout: 10_000, interval: 50 },
  );
}

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { groupRoom, userRoom } from "@fanfare/contract";
import mongoose, { type Connection, Types } from "mongoose";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startOwnDatabase } from "../../../test/support/database.ts";
import { createRoom, startGroupNode, type GroupNode } from "./group-node.ts";

// The first process leaves the database as if it had crashed in several places; the second one repairs all of it.

const prepared: ((first: GroupNode) => Promise<void>)[] = [];
/** Written after the first process ended, so that it can't repair them itself. */
const marks: ((database: Connection) => Promise<unknown>)[] = [];
let dataDir: string;
let node: GroupNode;

/** Leaves the state of a crash before the restart. @returns what the test needs to know about it */
function leave<T>(make: (first: GroupNode) => Promise<T>): () => T {
  let left: T;
  prepared.push(async (first) => void (left = await make(first)));
  return () => left;
}

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "fanfare-group-"));
  const first = await startGroupNode(dataDir);
  try {
    for (const prepare of prepared) await prepare(first);
  } finally {
    await first.stop();
  }
  const database = await startOwnDatabase(dataDir);
  const connection = await mongoose.createConnection(database.url, { dbName: "fanfare" }).asPromise();
  for (const mark of marks) await mark(connection);
  await connection.close();
  await database.close();
  node = await startGroupNode(dataDir);
});
afterAll(async () => {
  await node?.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const idOf = (hex: string) => new Types.ObjectId(hex);
const collection = (name: string, { node: { database } } = node) => database.collection(name);
const untilNone = (name: string, filter: object) =>
  vi.waitFor(async () => expect(await collection(name).countDocuments(filter)).toBe(0), { interval: 200 });
const markDeleted = (name: string, id: string) =>
  marks.push((database) =>
    database.collection(name).updateOne({ _id: idOf(id) }, { $set: { deletedAt: new Date() } }),
  );

const wrongCount = leave(async (first) => {
  const room = await createRoom(first);
  await room.join();
  const groupId = room.group.id;
  let before: number | undefined;
  marks.push(async (database) => {
    const counted = await database
      .collection("groups")
      .findOneAndUpdate({ _id: idOf(groupId) }, { $inc: { memberCount: 3 } }, { returnDocument: "after" });
    before = counted?.["memberCount"];
  });
  return { groupId, owner: room.owner, before: () => before };
});

test("corrects a member count that a crash left wrong", async () => {
  const { groupId, owner, before } = wrongCount();
  expect(before()).toBe(5);
  const get = () => node.call("group.get", { groupId }, owner);
  await vi.waitFor(async () => expect((await get()).group.memberCount).toBe(2));
});

const deletedPlaces = leave(async (first) => {
  const room = await createRoom(first);
  await room.join();
  const kept = await createRoom(first);
  const second = { groupId: kept.group.id, name: "second" };
  const { channel } = await first.call("channel.create", second, kept.owner);
  markDeleted("groups", room.group.id);
  markDeleted("channels", channel.id);
  return { room, kept, channel };
});

test("removes the rest of deleted groups and channels after a crash", async () => {
  const { room, kept, channel } = deletedPlaces();
  const groupId = idOf(room.group.id);
  await untilNone("groups", { _id: groupId });
  await untilNone("channels", { _id: idOf(channel.id) });
  expect(node.channelsRemoved).toEqual(expect.arrayContaining([room.channel.id, channel.id]));
  const [deleted, own] = [groupRoom(room.group.id), groupRoom(kept.group.id)];
  expect(node.out).toEqual(
    expect.arrayContaining([
      { rooms: [deleted], name: "group.deleted", payload: { groupId: room.group.id } },
      { room: deleted, leave: [deleted] },
      {
        rooms: [own],
        name: "channel.deleted",
        payload: { groupId: kept.group.id, channelId: channel.id },
      },
    ]),
  );
  for (const name of ["members", "invites"]) {
    expect(await collection(name).countDocuments({ groupId })).toBe(0);
    expect(await collection(name).countDocuments({ groupId: idOf(kept.group.id) })).toBe(1);
  }
  expect((await node.call("group.listMine", {}, kept.owner)).groups).toEqual([kept.group]);
});

const brokenChannel = leave(async () => {
  const broken = { _id: new Types.ObjectId(), kind: "direct", name: "", position: 0, memberIds: "broken" };
  // The oldest one, so that it is the first.
  const times = { createdAt: new Date(0), deletedAt: new Date(1) };
  marks.push((database) => database.collection("channels").insertOne({ ...broken, ...times }));
  return broken._id;
});

test("a removal that fails is left for later and doesn't hold up others", async () => {
  const { room, channel } = deletedPlaces();
  await untilNone("channels", { _id: idOf(channel.id) });
  await untilNone("groups", { _id: idOf(room.group.id) });
  expect(await collection("channels").countDocuments({ _id: brokenChannel() })).toBe(1);
});

const deletedThread = leave(async (first) => {
  const { group, channel, owner } = await createRoom(first);
  const other = await first.guest();
  const direct = await first.call("channel.createGroupDirect", { userIds: [other.userId] }, owner);
  const thread = {
    _id: new Types.ObjectId(),
    kind: "thread",
    name: "",
    position: 0,
    parentId: idOf(channel.id),
    parentGroupId: idOf(group.id),
    createdAt: new Date(),
    deletedAt: new Date(),
  };
  marks.push((database) => database.collection("channels").insertOne(thread));
  markDeleted("channels", direct.channel.id);
  return {
    group,
    threadId: thread._id.toHexString(),
    directId: direct.channel.id,
    members: [owner.userId, other.userId],
  };
});

test("publishes and removes the rest of deleted threads and direct channels after a crash", async () => {
  const { group, threadId, directId, members } = deletedThread();
  await untilNone("channels", { _id: { $in: [idOf(threadId), idOf(directId)] } });
  expect(node.channelsRemoved).toEqual(expect.arrayContaining([threadId, directId]));
  expect(node.out).toEqual(
    expect.arrayContaining([
      {
        name: "channel.deleted",
        rooms: [groupRoom(group.id)],
        payload: { groupId: group.id, channelId: threadId },
      },
      {
        name: "channel.deleted",
        rooms: members.map(userRoom),
        payload: { groupId: null, channelId: directId },
      },
    ]),
  );
});

const halfGroups = leave(async (first) => {
  const kept = await createRoom(first);
  const owners: Types.ObjectId[] = [];
  const seen: unknown[] = [];
  const steps = [
    vi.spyOn(collection("members", first), "insertOne"),
    vi.spyOn(collection("groups", first), "findOneAndUpdate"),
  ];
  for (const step of steps) {
    const owner = await first.account();
    owners.push(idOf(owner.userId));
    step.mockRejectedValueOnce(new Error("the process dies here"));
    const create = first.call("group.create", { name: "half" }, owner);
    const { type } = await create.then(() => ({ type: "made" })).catch((error: { type: string }) => error);
    step.mockRestore();
    const { groups } = await first.call("group.listMine", {}, owner);
    const { groupIds } = await first.call("group.listOwned", { userId: owner.userId });
    seen.push({ type, groups, groupIds });
  }
  const importingSince = new Date(Date.now() - 2 * 3_600_000);
  const half = { name: "half" };
  const groups = await collection("groups", first).find(half).toArray();
  marks.push((database) => database.collection("groups").updateMany(half, { $set: { importingSince } }));
  return { kept, owners, seen, ids: groups.map(({ _id }) => _id) };
});

test("hides and removes a group whose creation was interrupted", async () => {
  const { kept, owners, seen, ids } = halfGroups();
  const nothing = { type: "INTERNAL", groups: [], groupIds: [] };
  expect(seen).toEqual([nothing, nothing]);
  expect(ids).toHaveLength(2);
  const groupId = { $in: ids };
  await untilNone("groups", { _id: groupId });
  await untilNone("channels", { groupId });
  await untilNone("members", { userId: { $in: owners } });
  expect((await node.call("group.listMine", {}, kept.owner)).groups).toEqual([kept.group]);
});

const departures = leave(async (first) => {
  const room = await createRoom(first);
  const [gone, back] = [await room.join(), await room.join()];
  const ids = ({ userId }: { userId: string }) => ({
    groupId: idOf(room.group.id),
    userId: idOf(userId),
  });
  const begunAt = new Date(Date.now() - 60_000);
  marks.push((database) =>
    database.collection("departures").insertMany([
      { ...ids(gone), reason: "kicked", begunAt },
      { ...ids(back), reason: "left", begunAt },
    ]),
  );
  marks.push((database) => database.collection("members").deleteOne(ids(gone)));
  return { groupId: room.group.id, gone, back };
});

test("completes a kick interrupted by a crash, unless the member has rejoined", async () => {
  const { groupId, gone, back } = departures();
  await untilNone("departures", {});
  const here = <T extends { groupId: string }>(payloads: readonly T[]): T[] =>
    payloads.filter((payload) => payload.groupId === groupId);
  expect(here(node.published("group.left"))).toEqual([{ groupId, reason: "kicked" }]);
  expect(node.out).toContainEqual({ room: userRoom(gone.userId), leave: [groupRoom(groupId)] });
  expect(node.out).not.toContainEqual({ room: userRoom(back.userId), leave: [groupRoom(groupId)] });
  const left = () => here(node.published("member.left")).flatMap(({ userIds }) => userIds);
  await vi.waitFor(() => expect(left()).toEqual([gone.userId]));
  await vi.waitFor(() => expect(here(node.published("member.joined")).at(-1)?.memberCount).toBe(2));
});

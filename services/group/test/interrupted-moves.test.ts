import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedMongo } from "@fanfare/embedded-mongo";
import { groupRoom, type EventName } from "@fanfare/contract";
import { Types } from "mongoose";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { createRoom, startGroupNode, type GroupNode, type Room } from "./group-node.ts";

// A process died while it moved sockets: the next one to start resumes.

let dir: string;
let database: Awaited<ReturnType<typeof startEmbeddedMongo>>;
let node: GroupNode;
let room: Room;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "fanfare-moves-"));
  database = await startEmbeddedMongo({ dir: join(dir, "db") });
  node = await startGroupNode(join(dir, "first"), database.uri);
});
beforeEach(async () => {
  room = await createRoom(node);
});
afterAll(async () => {
  await node?.stop();
  await database?.close();
  await rm(dir, { recursive: true, force: true });
});

/** Published by either of the two nodes. */
const published = (another: GroupNode, name: EventName): unknown[] => [
  ...node.published(name),
  ...another.published(name),
];
const collection = (name: string) => node.node.database.collection(name);
const id = (hex: string) => new Types.ObjectId(hex);

test("resumes after a process died while moving sockets to the room of a channel", async () => {
  const member = await room.join();
  const { id: groupId } = room.group;
  const given = { groupId, name: "hidden", private: true, memberIds: [member.userId] };
  const { channel } = await node.call("channel.create", given, room.owner);
  const channels = collection("channels");
  const overrides = { "overrides.0.deny": 0 };
  const viewKeys = [`o:${groupId}`, `g:${groupId}`];
  await channels.updateOne(
    { _id: id(channel.id) },
    {
      $set: { ...overrides, viewKeys, movingSince: new Date(Date.now() - 60_000) },
      $inc: { overridesRev: 1 },
    },
  );
  const another = await startGroupNode(join(dir, "second"), database.uri);
  try {
    await vi.waitFor(
      async () => {
        const stored = await channels.findOne({ _id: id(channel.id) });
        expect(stored).not.toHaveProperty("movingSince");
        expect(stored).not.toHaveProperty("roomRev");
        expect(published(another, "channel.created")).toContainEqual({
          channel: expect.objectContaining({ id: channel.id, private: false }),
        });
      },
      { timeout: 15_000, interval: 100 },
    );
    const { rooms } = await node.call("group.access", { userId: member.userId, channelId: channel.id });
    expect(rooms).toEqual([groupRoom(groupId)]);
  } finally {
    await another.stop();
  }
});

test("resumes after a process died while deleting a role", { tags: "long" }, async () => {
  const member = await room.join();
  const { id: groupId } = room.group;
  const { role } = await node.call("role.create", { groupId, name: "Doomed" }, room.owner);
  await node.call("role.assign", { groupId, userId: member.userId, roleId: role.id }, room.owner);
  const given = { groupId, name: "hidden", private: true, roleIds: [role.id] };
  const { channel } = await node.call("channel.create", given, room.owner);
  await collection("roles").updateOne({ _id: id(role.id) }, { $set: { deletedAt: new Date() } });
  const { rooms } = await node.call("group.access", { userId: member.userId, channelId: channel.id });
  expect(rooms).toEqual([]);
  const another = await startGroupNode(join(dir, "second"), database.uri);
  try {
    await vi.waitFor(
      async () => {
        expect(await collection("roles").countDocuments({ _id: id(role.id) })).toBe(0);
        expect(await collection("members").countDocuments({ roleIds: id(role.id) })).toBe(0);
        const { overrides } = await node.call("channel.listOverrides", { channelId: channel.id }, room.owner);
        expect(overrides.map(({ target }) => target.type)).toEqual(["everyone", "member"]);
        expect(published(another, "role.deleted")).toContainEqual({ groupId, roleId: role.id });
      },
      { timeout: 15_000, interval: 100 },
    );
  } finally {
    await another.stop();
  }
});

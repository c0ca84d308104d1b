import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { groupRoom, userRoom } from "@fanfare/contract";
import { Types } from "mongoose";
import { expect, test, vi } from "vitest";
import { createRoom, startGroupNode, type GroupNode } from "./group-node.ts";

/** Leaves the database as a process would that died, and looks at what the next one makes of it. */
async function afterCrash<T>(
  before: (node: GroupNode) => Promise<T>,
  after: (node: GroupNode, left: T) => Promise<void>,
): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), "fanfare-group-"));
  try {
    const first = await startGroupNode(dataDir);
    const left = await before(first);
    await first.stop();
    const second = await startGroupNode(dataDir);
    await after(second, left);
    await second.stop();
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

test("a member count that a crash left wrong is corrected", () =>
  afterCrash(
    async (node) => {
      const room = await createRoom(node);
      await room.join();
      await node.node.database
        .collection("groups")
        .updateOne({ _id: new Types.ObjectId(room.group.id) }, { $inc: { memberCount: 3 } });
      return room;
    },
    async (node, { group, owner }) => {
      const get = () => node.call("group.get", { groupId: group.id }, owner);
      expect((await get()).group.memberCount).toBe(5);
      await vi.waitFor(async () => expect((await get()).group.memberCount).toBe(2), 10_000);
    },
  ));

test("what a crash left of deleted groups and channels is removed", () =>
  afterCrash(
    async (node) => {
      const room = await createRoom(node);
      await room.join();
      const kept = await createRoom(node);
      const { channel } = await node.call(
        "channel.create",
        { groupId: kept.group.id, name: "second" },
        kept.owner,
      );
      const mark = (name: string, id: string) =>
        node.node.database
          .collection(name)
          .updateOne({ _id: new Types.ObjectId(id) }, { $set: { deletedAt: new Date() } });
      await mark("groups", room.group.id);
      await mark("channels", channel.id);
      return { room, kept, channel };
    },
    async (node, { room, kept, channel }) => {
      const { database } = node.node;
      await vi.waitFor(async () => expect(await database.collection("groups").countDocuments({})).toBe(1), {
        timeout: 20_000,
        interval: 200,
      });
      expect([...node.channelsRemoved].sort()).toEqual([room.channel.id, channel.id].sort());
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
      expect(await database.collection("members").countDocuments({})).toBe(1);
      expect(await database.collection("invites").countDocuments({})).toBe(1);
      expect((await node.call("group.listMine", {}, kept.owner)).groups).toEqual([kept.group]);
    },
  ));

test("a group whose making was broken off is nobody's, and is removed", () =>
  afterCrash(
    async (node) => {
      const kept = await createRoom(node);
      const { database } = node.node;
      const steps = [
        vi.spyOn(database.collection("members"), "insertOne"),
        vi.spyOn(database.collection("groups"), "findOneAndUpdate"),
      ];
      for (const step of steps) {
        const owner = await node.account();
        step.mockRejectedValueOnce(new Error("the process dies here"));
        await expect(node.call("group.create", { name: "half" }, owner)).rejects.toMatchObject({
          type: "INTERNAL",
        });
        step.mockRestore();
        expect((await node.call("group.listMine", {}, owner)).groups).toEqual([]);
        expect((await node.call("group.listOwned", { userId: owner.userId })).groupIds).toEqual([]);
      }
      await database
        .collection("groups")
        .updateMany({ name: "half" }, { $set: { importingSince: new Date(Date.now() - 2 * 3_600_000) } });
      return kept;
    },
    async (node, kept) => {
      const counts = (...names: string[]) =>
        Promise.all(names.map((name) => node.node.database.collection(name).countDocuments({})));
      await vi.waitFor(async () => expect(await counts("groups", "channels", "members")).toEqual([1, 1, 1]), {
        timeout: 20_000,
        interval: 200,
      });
      expect((await node.call("group.listMine", {}, kept.owner)).groups).toEqual([kept.group]);
    },
  ));

test("who was being put out when the process died is out for everybody, unless they have come again", () =>
  afterCrash(
    async (node) => {
      const room = await createRoom(node);
      const [gone, back] = [await room.join(), await room.join()];
      const ids = ({ userId }: { userId: string }) => ({
        groupId: new Types.ObjectId(room.group.id),
        userId: new Types.ObjectId(userId),
      });
      const { database } = node.node;
      const begunAt = new Date(Date.now() - 60_000);
      await database.collection("departures").insertMany([
        { ...ids(gone), reason: "kicked", begunAt },
        { ...ids(back), reason: "left", begunAt },
      ]);
      await database.collection("members").deleteOne(ids(gone));
      return { room, gone, back };
    },
    async (node, { room, gone, back }) => {
      const { id: groupId } = room.group;
      const departures = node.node.database.collection("departures");
      await vi.waitFor(async () => expect(await departures.countDocuments({})).toBe(0), {
        timeout: 20_000,
        interval: 200,
      });
      expect(node.published("group.left")).toEqual([{ groupId, reason: "kicked" }]);
      expect(node.out).toContainEqual({ room: userRoom(gone.userId), leave: [groupRoom(groupId)] });
      expect(node.out).not.toContainEqual({ room: userRoom(back.userId), leave: [groupRoom(groupId)] });
      await vi.waitFor(() =>
        expect(node.published("member.left").flatMap(({ userIds }) => userIds)).toEqual([gone.userId]),
      );
      await vi.waitFor(() => expect(node.published("member.joined").at(-1)?.memberCount).toBe(2), 5000);
    },
  ));

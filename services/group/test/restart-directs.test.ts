import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { groupRoom, userRoom } from "@fanfare/contract";
import { Types } from "mongoose";
import { expect, test, vi } from "vitest";
import { createRoom, startGroupNode } from "./group-node.ts";

test("what a crash left of deleted threads and direct channels is told again and removed", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "fanfare-group-"));
  try {
    const first = await startGroupNode(dataDir);
    const { group, channel, owner } = await createRoom(first);
    const other = await first.guest();
    const direct = await first.call("channel.createGroupDirect", { userIds: [other.userId] }, owner);
    const thread = {
      _id: new Types.ObjectId(),
      kind: "thread",
      name: "",
      position: 0,
      parentId: new Types.ObjectId(channel.id),
      parentGroupId: new Types.ObjectId(group.id),
      createdAt: new Date(),
      deletedAt: new Date(),
    };
    const channels = first.node.database.collection("channels");
    await channels.insertOne(thread);
    const directId = direct.channel.id;
    await channels.updateOne({ _id: new Types.ObjectId(directId) }, { $set: { deletedAt: new Date() } });
    await first.stop();

    const second = await startGroupNode(dataDir);
    const threadId = thread._id.toHexString();
    await vi.waitFor(() => {
      expect(second.channelsRemoved).toEqual(expect.arrayContaining([threadId, directId]));
    }, 15_000);
    const told = { name: "channel.deleted" };
    expect(second.out).toContainEqual({
      ...told,
      rooms: [groupRoom(group.id)],
      payload: { groupId: group.id, channelId: threadId },
    });
    expect(second.out).toContainEqual({
      ...told,
      rooms: [owner.userId, other.userId].map(userRoom),
      payload: { groupId: null, channelId: directId },
    });
    await vi.waitFor(async () => {
      const ids = [thread._id, new Types.ObjectId(directId)];
      expect(await second.node.database.collection("channels").countDocuments({ _id: { $in: ids } })).toBe(0);
    });
    await second.stop();
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});

import { groupRoom, userRoom } from "@fanfare/contract";
import { Types } from "mongoose";
import { describe, expect, test, vi } from "vitest";
import { node, room, useRoom } from "./group-node.ts";

// A process died during a removal: its changes are stored but not published.

useRoom();

const collection = (name: string) => node.node.database.collection(name);
const id = (hex: string) => new Types.ObjectId(hex);

/** Leaves the state of a process that died after removing the member, before updating the count and rooms and publishing. */
async function interruptRemoval(userId: string, reason: string, begunAt = new Date()): Promise<void> {
  const ids = { groupId: id(room.group.id), userId: id(userId) };
  await collection("departures").insertOne({ ...ids, reason, begunAt });
  await collection("members").deleteOne(ids);
  node.out.length = 0;
}

async function expectRemoved(userId: string, reason: string): Promise<void> {
  const { id: groupId } = room.group;
  await vi.waitFor(
    async () => {
      expect(node.out).toContainEqual({ room: userRoom(userId), leave: [groupRoom(groupId)] });
      const event = { rooms: [userRoom(userId)], name: "group.left", payload: { groupId, reason } };
      expect(node.out).toContainEqual(event);
      expect(node.published("member.left").flatMap(({ userIds }) => userIds)).toContain(userId);
      expect(node.published("member.joined").at(-1)?.memberCount ?? 1).toBe(1);
      const { group } = await node.call("group.get", { groupId }, room.owner);
      expect(group.memberCount).toBe(1);
      expect(await collection("departures").countDocuments({})).toBe(0);
    },
    { timeout: 10_000, interval: 50 },
  );
}

describe("repeating the call", () => {
  test.each([
    ["group.kick", "kicked"],
    ["group.ban", "banned"],
  ] as const)("completes %s", async (action, reason) => {
    const { userId } = await room.join();
    const target = { groupId: room.group.id, userId };
    await node.node.access.get(userId, target);
    await interruptRemoval(userId, reason);
    await node.call(action, target, room.owner);
    expect(node.node.access.peek(userId, target)).toBeUndefined();
    await expectRemoved(userId, reason);
  });

  test("completes group.leave while the process still has the user cached as a member", async () => {
    const member = await room.join();
    const { id: groupId } = room.group;
    await node.node.access.get(member.userId, { groupId });
    await interruptRemoval(member.userId, "left");
    await node.call("group.leave", { groupId }, member);
    expect(node.node.access.peek(member.userId, { groupId })).toBeUndefined();
    await expectRemoved(member.userId, "left");
  });

  test("ends the access to private channels", async () => {
    const { userId } = await room.join();
    const { id: groupId } = room.group;
    const given = { groupId, name: "board", private: true, memberIds: [userId] };
    const { channel } = await node.call("channel.create", given, room.owner);
    await interruptRemoval(userId, "kicked");
    await node.call("group.kick", { groupId, userId }, room.owner);
    const { overrides } = await node.call("channel.listOverrides", { channelId: channel.id }, room.owner);
    expect(overrides.map(({ target }) => target)).not.toContainEqual({ type: "member", id: userId });
  });

  test.each([
    ["a former member", { leftAt: new Date() }],
    ["one who left in an early version", {}],
  ])("isn't needed to keep %s who rejoins out of private channels", async (_, left) => {
    const member = await room.join();
    const { userId } = member;
    const { id: groupId } = room.group;
    const given = { groupId, name: "board", private: true, memberIds: [userId] };
    await node.call("channel.create", given, room.owner);
    await collection("formerMembers").insertOne({
      groupId: id(groupId),
      userId: id(userId),
      ...left,
    });
    await interruptRemoval(userId, "kicked");
    const joined = await node.call("invite.accept", { code: room.code }, member);
    for (const { channels } of [joined, await node.call("channel.list", { groupId }, member)])
      expect(channels.map((channel) => channel.id)).toEqual([room.channel.id]);
    await node.call("group.kick", { groupId, userId }, room.owner);
  });

  test("rejects a kick of a former member, or of a user who never was one", async () => {
    const member = await room.join();
    for (const userId of [member.userId, (await node.guest()).userId]) {
      const target = { groupId: room.group.id, userId };
      if (userId === member.userId) await node.call("group.kick", target, room.owner);
      node.out.length = 0;
      await expect(node.call("group.kick", target, room.owner)).rejects.toMatchObject({
        type: "MEMBER_NOT_FOUND",
      });
      expect(node.published("group.left")).toEqual([]);
    }
    expect(await collection("departures").countDocuments({})).toBe(0);
  });
});

import { groupRoom, LIMITS, MEMBER_PERMISSIONS, OWNER_PERMISSIONS, userRoom } from "@fanfare/contract";
import { Types } from "mongoose";
import { describe, expect, test, vi } from "vitest";
import { createRoom, UNKNOWN_ID, node, room, useRoom } from "./group-node.ts";

useRoom();

const refused = (type: string) => expect.objectContaining({ type });

describe("group.create", () => {
  test("creates a group with a channel and adds its owner", async () => {
    const { group, channel, owner } = room;
    expect(group).toMatchObject({ name: "A group", ownerId: owner.userId, memberCount: 1 });
    expect(channel).toMatchObject({ groupId: group.id, kind: "text", name: "general", memberIds: [] });
    expect((await node.call("group.listMine", {}, owner)).groups).toEqual([group]);
    expect(await node.call("group.get", { groupId: group.id }, owner)).toEqual({ group });
    expect(node.published("group.joined")).toContainEqual({ group, channels: [channel] });
    expect(node.out).toContainEqual({ room: userRoom(owner.userId), join: [groupRoom(group.id)] });
  });

  test("rejects groups beyond the limit, and so does joining", async () => {
    const busy = await node.guest();
    const rows = Array.from({ length: LIMITS.groupsPerUser }, () => ({
      groupId: new Types.ObjectId(),
      userId: new Types.ObjectId(busy.userId),
      mutedUntil: null,
      joinedAt: new Date(),
    }));
    await node.node.database.collection("members").insertMany(rows);
    const error = { type: "LIMIT_REACHED", data: { limit: "groupsPerUser", max: LIMITS.groupsPerUser } };
    await expect(node.call("group.create", { name: "More" }, busy)).rejects.toMatchObject(error);
    await expect(node.call("invite.accept", { code: room.code }, busy)).rejects.toMatchObject(error);
  });
});

describe("permissions", () => {
  test("group.access returns the permissions of the owner, a member and a non-member, and the rooms", async () => {
    const { group, channel, owner } = room;
    const member = await room.join();
    const stranger = await node.guest();
    for (const place of [{ groupId: group.id }, { channelId: channel.id }]) {
      const found = { groupId: group.id, mutedUntil: null, rooms: [groupRoom(group.id)] };
      const of = ({ userId }: { userId: string }) => node.call("group.access", { userId, ...place });
      expect(await of(owner)).toEqual({ ...found, permissions: OWNER_PERMISSIONS });
      expect(await of(member)).toEqual({ ...found, permissions: MEMBER_PERMISSIONS });
      expect(await of(stranger)).toEqual({ permissions: 0, groupId: null, mutedUntil: null, rooms: [] });
    }
    const nowhere = await node.call("group.access", { userId: owner.userId, channelId: UNKNOWN_ID });
    expect(nowhere.permissions).toBe(0);
    expect((await node.call("group.access", { userId: owner.userId })).permissions).toBe(0);
  });

  test("the rooms of a user are their own and one per group", async () => {
    const { group, owner } = room;
    const second = await node.call("group.create", { name: "Another" }, owner);
    const stranger = await node.guest();
    const userIds = [owner.userId, stranger.userId];
    const [rooms, ofStranger] = (await node.call("group.listRooms", { userIds })).rooms;
    expect(ofStranger).toEqual([userRoom(stranger.userId)]);
    expect([...rooms!].sort()).toEqual(
      [userRoom(owner.userId), groupRoom(group.id), groupRoom(second.group.id)].sort(),
    );
  });

  test("groups and channels don't exist for non-members", async () => {
    const stranger = await node.guest();
    const { id: groupId } = room.group;
    const { userId } = room.owner;
    const inGroup = [
      node.call("group.get", { groupId }, stranger),
      node.call("group.update", { groupId, name: "x" }, stranger),
      node.call("group.delete", { groupId }, stranger),
      node.call("group.transfer", { groupId, userId }, stranger),
      node.call("group.listMembers", { groupId }, stranger),
      node.call("group.getMember", { groupId, userId }, stranger),
      node.call("group.getMembers", { groupId, userIds: [userId] }, stranger),
      node.call("group.leave", { groupId }, stranger),
      node.call("group.kick", { groupId, userId }, stranger),
      node.call("group.ban", { groupId, userId }, stranger),
      node.call("group.unban", { groupId, userId }, stranger),
      node.call("group.mute", { groupId, userId, durationMs: 1000 }, stranger),
      node.call("group.unmute", { groupId, userId }, stranger),
      node.call("channel.create", { groupId, name: "x" }, stranger),
      node.call("channel.list", { groupId }, stranger),
      node.call("invite.create", { groupId }, stranger),
      node.call("invite.list", { groupId }, stranger),
      node.call("invite.revoke", { groupId, code: room.code }, stranger),
    ];
    for (const result of await Promise.allSettled(inGroup)) {
      expect(result).toEqual({ status: "rejected", reason: refused("GROUP_NOT_FOUND") });
    }
    const { id: channelId } = room.channel;
    const inChannel = [
      node.call("channel.update", { channelId, name: "x" }, stranger),
      node.call("channel.delete", { channelId }, stranger),
    ];
    for (const result of await Promise.allSettled(inChannel)) {
      expect(result).toEqual({ status: "rejected", reason: refused("CHANNEL_NOT_FOUND") });
    }
  });

  test("members can't manage the group", async () => {
    const member = await room.join();
    const { id: groupId } = room.group;
    const { userId } = await room.join();
    const attempts = [
      node.call("group.update", { groupId, name: "x" }, member),
      node.call("group.delete", { groupId }, member),
      node.call("group.transfer", { groupId, userId }, member),
      node.call("group.kick", { groupId, userId }, member),
      node.call("group.ban", { groupId, userId }, member),
      node.call("group.unban", { groupId, userId }, member),
      node.call("group.mute", { groupId, userId, durationMs: 1000 }, member),
      node.call("group.unmute", { groupId, userId }, member),
      node.call("channel.create", { groupId, name: "x" }, member),
      node.call("channel.update", { channelId: room.channel.id, name: "x" }, member),
      node.call("channel.delete", { channelId: room.channel.id }, member),
    ];
    for (const result of await Promise.allSettled(attempts)) {
      expect(result).toEqual({ status: "rejected", reason: refused("FORBIDDEN") });
    }
  });
});

describe("group.update and group.transfer", () => {
  test("a new name is published to the group", async () => {
    const { group } = await node.call("group.update", { groupId: room.group.id, name: " New " }, room.owner);
    expect(group.name).toBe("New");
    expect(node.out.at(-1)).toEqual({
      rooms: [groupRoom(group.id)],
      name: "group.updated",
      payload: { group },
    });
  });

  test("a transfer changes permissions immediately", async () => {
    const heir = await node.account();
    await node.call("invite.accept", { code: room.code }, heir);
    const { id: groupId } = room.group;
    // Fills the permission cache of both before the transfer.
    await node.call("group.get", { groupId }, heir);
    const { group } = await node.call("group.transfer", { groupId, userId: heir.userId }, room.owner);
    expect(group.ownerId).toBe(heir.userId);
    await expect(node.call("group.update", { groupId, name: "x" }, room.owner)).rejects.toMatchObject({
      type: "FORBIDDEN",
    });
    await expect(node.call("group.update", { groupId, name: "Mine" }, heir)).resolves.toBeDefined();
    await expect(node.call("group.leave", { groupId }, room.owner)).resolves.toEqual({});
  });

  test("rejects a transfer to a guest or a non-member", async () => {
    const guest = await room.join();
    const outsider = await node.account();
    const { id: groupId } = room.group;
    await expect(
      node.call("group.transfer", { groupId, userId: guest.userId }, room.owner),
    ).rejects.toMatchObject({ type: "GUEST_NOT_ALLOWED" });
    await expect(
      node.call("group.transfer", { groupId, userId: outsider.userId }, room.owner),
    ).rejects.toMatchObject({ type: "MEMBER_NOT_FOUND" });
  });

  test("when the new owner leaves during the transfer, the owner is still a member", async () => {
    for (let round = 0; round < 5; round += 1) {
      const own = await createRoom(node);
      const heir = await node.account();
      await node.call("invite.accept", { code: own.code }, heir);
      const { id: groupId } = own.group;
      await Promise.allSettled([
        node.call("group.transfer", { groupId, userId: heir.userId }, own.owner),
        node.call("group.leave", { groupId }, heir),
      ]);
      const { group } = await node.call("group.get", { groupId }, own.owner);
      const access = await node.call("group.access", { groupId, userId: group.ownerId });
      expect(access.permissions).toBe(OWNER_PERMISSIONS);
      const { members } = await node.call("group.listMembers", { groupId }, own.owner);
      expect(group.memberCount).toBe(members.length);
    }
  });
});

describe("group.delete", () => {
  test("hides the group from all members immediately and purges it in the background", async () => {
    const member = await room.join();
    const { id: groupId } = room.group;
    await node.call("channel.create", { groupId, name: "second" }, room.owner);
    await node.call("group.ban", { groupId, userId: (await node.guest()).userId }, room.owner);
    node.out.length = 0;
    await node.call("group.delete", { groupId }, room.owner);
    const own = groupRoom(groupId);
    expect(node.out).toEqual(
      expect.arrayContaining([
        { rooms: [own], name: "group.deleted", payload: { groupId } },
        { room: own, leave: [own] },
      ]),
    );
    for (const actor of [room.owner, member]) {
      await expect(node.call("group.get", { groupId }, actor)).rejects.toMatchObject({
        type: "GROUP_NOT_FOUND",
      });
      expect((await node.call("group.listMine", {}, actor)).groups).toEqual([]);
    }
    await expect(node.call("invite.preview", { code: room.code })).rejects.toMatchObject({
      type: "INVITE_NOT_FOUND",
    });
    await expect(node.call("invite.accept", { code: room.code }, await node.guest())).rejects.toMatchObject({
      type: "INVITE_NOT_FOUND",
    });

    const { database } = node.node;
    const _id = new Types.ObjectId(groupId);
    await vi.waitFor(async () => {
      expect(await database.collection("groups").countDocuments({ _id })).toBe(0);
    });
    for (const name of ["channels", "members", "invites", "bans"]) {
      expect(await database.collection(name).countDocuments({ groupId: _id })).toBe(0);
    }
    expect(node.channelsRemoved).toContain(room.channel.id);
  });

  test("only one of two concurrent calls succeeds", async () => {
    const attempts = [1, 2].map(() => node.call("group.delete", { groupId: room.group.id }, room.owner));
    const results = await Promise.allSettled(attempts);
    expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  });
});

test("a new profile is published to the user's groups", async () => {
  const member = await room.join();
  const { user } = await node.call("user.updateProfile", { nickname: "New" }, member);
  const { id, username, nickname, avatarUrl, bio, kind, createdAt } = user;
  const profile = { id, username, nickname, avatarUrl, bio, kind, createdAt };
  await vi.waitFor(() =>
    expect(node.out).toContainEqual({
      rooms: [groupRoom(room.group.id)],
      name: "user.updated",
      payload: { user: profile },
    }),
  );
});

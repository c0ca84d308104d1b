import { groupRoom, PERMISSIONS, userRoom, type Result } from "@fanfare/contract";
import { Types } from "mongoose";
import { describe, expect, test, vi } from "vitest";
import { createRoom, UNKNOWN_ID, node, room, useRoom } from "./group-node.ts";

useRoom();

const memberCount = async () =>
  (await node.call("group.get", { groupId: room.group.id }, room.owner)).group.memberCount;

describe("joins and departures", () => {
  const listChanges = async () => {
    const { id: groupId } = room.group;
    const { changes } = await node.call("group.listMemberChanges", { groupId }, room.owner);
    return changes.map(({ change, userId }) => `${change} ${userId}`);
  };

  test("are listed newest first, the latest of each user", async () => {
    const { id: groupId } = room.group;
    const [ada, bob] = [await room.join(), await room.join()];
    await node.call("group.leave", { groupId }, ada);
    await node.call("group.kick", { groupId, userId: bob.userId }, room.owner);
    await node.call("invite.accept", { code: room.code }, ada);
    expect(await listChanges()).toEqual([
      `joined ${ada.userId}`,
      `left ${bob.userId}`,
      `left ${ada.userId}`,
      `joined ${bob.userId}`,
      `joined ${room.owner.userId}`,
    ]);
    await vi.waitFor(() =>
      expect(node.published("member.left").flatMap(({ departures }) => departures)).toContainEqual({
        userId: bob.userId,
        change: "left",
        at: expect.any(String) as string,
      }),
    );
  });

  test("are shown in a channel of the group's choice, or nowhere", async () => {
    const { id: groupId } = room.group;
    const set = (systemChannelId: string | null) =>
      node.call("group.update", { groupId, systemChannelId }, room.owner);
    expect(room.group.systemChannelId).toBeNull();
    expect((await set(room.channel.id)).group.systemChannelId).toBe(room.channel.id);
    expect((await set(null)).group.systemChannelId).toBeNull();
    await expect(set(UNKNOWN_ID)).rejects.toMatchObject({ type: "CHANNEL_NOT_FOUND" });
    const { channel } = await node.call("channel.create", { groupId, name: "lobby" }, room.owner);
    await set(channel.id);
    await node.call("channel.delete", { channelId: channel.id }, room.owner);
    const { group } = await node.call("group.get", { groupId }, room.owner);
    expect(group).toMatchObject({ systemChannelId: null, defaultChannelId: null });
    expect(node.published("group.updated").at(-1)).toEqual({ group });
  });
});

describe("nicknames", () => {
  const nicknames = async () => {
    const { id: groupId } = room.group;
    return (await node.call("group.listNicknames", { groupId }, room.owner)).nicknames;
  };

  test("are chosen by members themselves, listed, published and removed", async () => {
    const { id: groupId } = room.group;
    const ada = await room.join();
    const { member } = await node.call("group.setOwnNickname", { groupId, nickname: " Captain " }, ada);
    expect(member).toMatchObject({ userId: ada.userId, nickname: "Captain" });
    expect(node.published("member.updated").at(-1)).toEqual({ member });
    expect(await nicknames()).toEqual([{ userId: ada.userId, nickname: "Captain" }]);
    await node.call("group.setOwnNickname", { groupId, nickname: null }, ada);
    expect(await nicknames()).toEqual([]);
    await expect(
      node.call("group.setOwnNickname", { groupId, nickname: "@everyone" }, ada),
    ).rejects.toMatchObject({ type: "VALIDATION_FAILED" });
  });

  test("of members with a lower role are changed by moderators, which the audit log says", async () => {
    const { id: groupId } = room.group;
    const [ada, bob] = [await room.join(), await room.join()];
    await node.call("group.setOwnNickname", { groupId, nickname: "Captain" }, ada);
    const change = { groupId, userId: ada.userId, nickname: "Ada L." };
    await expect(node.call("group.setNickname", change, bob)).rejects.toMatchObject({ type: "FORBIDDEN" });
    await node.call("group.setNickname", { ...change, reason: "not a captain" }, room.owner);
    const { entries } = await node.call(
      "group.auditLog",
      { groupId, action: "group.setNickname" },
      room.owner,
    );
    expect(entries).toMatchObject([
      {
        targetId: ada.userId,
        reason: "not a captain",
        before: { nickname: "Captain" },
        after: { nickname: "Ada L." },
      },
    ]);
    await node.call("group.leave", { groupId }, ada);
    expect(await nicknames()).toEqual([]);
  });

  test("come with a picture, each removed alone", async () => {
    const { id: groupId } = room.group;
    const ada = await room.join();
    const { userId } = ada;
    const setOwn = (change: { nickname?: string | null; avatarFileId?: string | null }) =>
      node.call("group.setOwnNickname", { groupId, ...change }, ada);
    const { member } = await setOwn({ nickname: "Captain", avatarFileId: UNKNOWN_ID });
    const avatarUrl = `/pictures/${UNKNOWN_ID}.webp`;
    expect(member).toMatchObject({ nickname: "Captain", avatarUrl });
    await setOwn({ nickname: null });
    expect(await nicknames()).toEqual([{ userId, avatarUrl }]);
    expect(node.published("member.updated").at(-1)!.member).toMatchObject({ userId, avatarUrl });
    await setOwn({ nickname: "Captain" });
    await setOwn({ avatarFileId: null });
    expect(await nicknames()).toEqual([{ userId, nickname: "Captain" }]);
    expect(node.picturesDropped).toContain(`${groupId} ${userId}`);
    await setOwn({ nickname: null });
    expect(await nicknames()).toEqual([]);
  });

  test("come with a picture that moderators remove, which the audit log says", async () => {
    const { id: groupId } = room.group;
    const ada = await room.join();
    await node.call("group.setOwnNickname", { groupId, avatarFileId: UNKNOWN_ID }, ada);
    const { userId } = ada;
    const { items } = await node.call("group.exportUser", { userId, cursor: null });
    const avatarUrl = `/pictures/${UNKNOWN_ID}.webp`;
    expect(items).toMatchObject([{ kind: "membership", data: { avatarUrl } }]);
    await node.call("group.setNickname", { groupId, userId, avatarFileId: null }, room.owner);
    expect(await nicknames()).toEqual([]);
    const { entries } = await node.call("group.auditLog", { groupId }, room.owner);
    expect(entries[0]).toMatchObject({ targetId: userId, before: { avatarUrl }, after: { avatarUrl: null } });
  });

  test("come with a picture that is removed with the membership, later if that fails", async () => {
    const { id: groupId } = room.group;
    const ada = await room.join();
    const dropped = `${groupId} ${ada.userId}`;
    await node.call("group.setOwnNickname", { groupId, avatarFileId: UNKNOWN_ID }, ada);
    node.failPictures.on = true;
    await node.call("group.leave", { groupId }, ada);
    node.failPictures.on = false;
    expect(node.picturesDropped).not.toContain(dropped);
    await node.call("group.kick", { groupId, userId: ada.userId }, room.owner);
    expect(node.picturesDropped).toContain(dropped);
  });
});

describe("reading members", () => {
  test("lists each once, paginated and sorted by user id", async () => {
    const joined = await Promise.all(Array.from({ length: 7 }, () => room.join()));
    const { id: groupId } = room.group;
    const seen: string[] = [];
    let afterUserId: string | undefined;
    do {
      const page = await node.call("group.listMembers", { groupId, afterUserId, limit: 3 }, room.owner);
      seen.push(...page.members.map(({ userId }) => userId));
      afterUserId = page.nextUserId ?? undefined;
    } while (afterUserId !== undefined);
    expect(seen).toEqual([room.owner, ...joined].map(({ userId }) => userId).sort());
  });

  test("finds one, or throws MEMBER_NOT_FOUND", async () => {
    const { userId } = await room.join();
    const { id: groupId } = room.group;
    const { member } = await node.call("group.getMember", { groupId, userId }, room.owner);
    expect(member).toMatchObject({ groupId, userId, mutedUntil: null });
    await expect(
      node.call("group.getMember", { groupId, userId: UNKNOWN_ID }, room.owner),
    ).rejects.toMatchObject({ type: "MEMBER_NOT_FOUND" });
  });

  test("finds several, each once, without non-members", async () => {
    const [first, second] = [await room.join(), await room.join()];
    const otherRoom = await createRoom(node);
    const userIds = [first.userId, UNKNOWN_ID, second.userId, otherRoom.owner.userId, first.userId];
    const params = { groupId: room.group.id, userIds };
    const { members } = await node.call("group.getMembers", params, room.owner);
    expect(members.map(({ userId }) => userId).sort()).toEqual([first.userId, second.userId].sort());
    expect(members[0]).toMatchObject({ groupId: room.group.id, mutedUntil: null, roleIds: [] });
  });
});

test("lists the ids of members page by page, of all or of those with one of the roles", async () => {
  const joined = await Promise.all(Array.from({ length: 4 }, () => room.join()));
  const { id: groupId } = room.group;
  const { role } = await node.call("role.create", { groupId, name: "crew" }, room.owner);
  const { userId } = joined[0]!;
  await node.call("role.assign", { groupId, roleId: role.id, userId }, room.owner);
  const idsOf = async (roleIds: string[] | null): Promise<string[]> => {
    const ids: string[] = [];
    let afterUserId: string | null = null;
    do {
      const asked = { groupId, roleIds, afterUserId, limit: 2 };
      const page: Result<"group.listMemberIds"> = await node.node.services.group.listMemberIds(asked);
      ids.push(...page.userIds);
      afterUserId = page.nextUserId;
    } while (afterUserId !== null);
    return ids;
  };
  expect(await idsOf(null)).toEqual([room.owner, ...joined].map((one) => one.userId).sort());
  expect(await idsOf([role.id])).toEqual([userId]);
});

describe("leaving", () => {
  test("a member can leave, the owner can't", async () => {
    const member = await room.join();
    const { id: groupId } = room.group;
    await expect(node.call("group.leave", { groupId }, room.owner)).rejects.toMatchObject({
      type: "OWNER_CANNOT_LEAVE",
    });
    await node.call("group.leave", { groupId }, member);
    await expect(node.call("group.get", { groupId }, member)).rejects.toMatchObject({
      type: "GROUP_NOT_FOUND",
    });
    expect(await memberCount()).toBe(1);
    expect(node.published("group.left")).toContainEqual({ groupId, reason: "left" });
  });

  test.each(["group.kick", "group.ban"] as const)(
    "%s removes the user before it returns and before anything else is published",
    async (action) => {
      const member = await room.join();
      const { id: groupId } = room.group;
      const { userId } = member;
      // Fills the access cache.
      await node.call("group.get", { groupId }, member);
      node.out.length = 0;
      await node.call(action, { groupId, userId }, room.owner);
      const place = { channelId: room.channel.id };
      expect(node.node.access.peek(userId, place)).toBeUndefined();
      await expect(node.call("channel.list", { groupId }, member)).rejects.toMatchObject({
        type: "GROUP_NOT_FOUND",
      });
      const own = node.out.filter((item) => !("name" in item && item.name.startsWith("member.")));
      expect(own).toEqual([
        { room: userRoom(userId), leave: [groupRoom(groupId)] },
        {
          rooms: [userRoom(userId)],
          name: "group.left",
          payload: { groupId, reason: action === "group.kick" ? "kicked" : "banned" },
        },
      ]);
      await vi.waitFor(() =>
        expect(node.published("member.left").flatMap(({ userIds }) => userIds)).toContain(userId),
      );
      expect(await memberCount()).toBe(1);
    },
  );

  test("a kicked user can rejoin; a banned one can't until unbanned", async () => {
    const member = await room.join();
    const { id: groupId } = room.group;
    const target = { groupId, userId: member.userId };
    const accept = () => node.call("invite.accept", { code: room.code }, member);
    await node.call("group.kick", target, room.owner);
    await accept();
    await node.call("group.ban", target, room.owner);
    await node.call("group.ban", target, room.owner);
    await expect(accept()).rejects.toMatchObject({ type: "BANNED" });
    await node.call("group.unban", target, room.owner);
    await node.call("group.unban", target, room.owner);
    expect((await accept()).group.memberCount).toBe(2);
  });

  test("ends the access to private channels for good, but what is denied to a member stays", async () => {
    const { id: groupId } = room.group;
    const [ada, bob] = [await room.join(), await room.join()];
    const { channel } = await node.call(
      "channel.create",
      { groupId, name: "board", private: true, memberIds: [ada.userId, bob.userId] },
      room.owner,
    );
    const denied = {
      channelId: room.channel.id,
      target: { type: "member" as const, id: ada.userId },
      allow: PERMISSIONS.addReactions,
      deny: PERMISSIONS.sendMessages,
    };
    await node.call("channel.setOverride", denied, room.owner);
    const leaveAndRejoin = async (leave: () => Promise<unknown>): Promise<string[]> => {
      await leave();
      const joined = await node.call("invite.accept", { code: room.code }, ada);
      const { channels } = await node.call("channel.list", { groupId }, ada);
      expect(joined.channels.map(({ id }) => id)).toEqual(channels.map(({ id }) => id));
      return channels.map(({ id }) => id);
    };
    const target = { groupId, userId: ada.userId };
    expect(await leaveAndRejoin(() => node.call("group.kick", target, room.owner))).toEqual([
      room.channel.id,
    ]);
    const overridesIn = async (channelId: string) =>
      (await node.call("channel.listOverrides", { channelId }, room.owner)).overrides;
    expect(await overridesIn(room.channel.id)).toEqual([
      { target: denied.target, allow: 0, deny: denied.deny },
    ]);
    const allowed = { ...denied, channelId: channel.id, allow: PERMISSIONS.view, deny: 0 };
    const others = (await overridesIn(channel.id)).map(({ target }) => target);
    expect(others).not.toContainEqual(denied.target);
    expect(others).toContainEqual({ type: "member", id: bob.userId });
    await node.call("channel.setOverride", allowed, room.owner);
    expect(await leaveAndRejoin(() => node.call("group.leave", { groupId }, ada))).toEqual([room.channel.id]);
  });

  test("can ban users who never were members, but not unknown ones", async () => {
    const outsider = await node.guest();
    const { id: groupId } = room.group;
    await node.call("group.ban", { groupId, userId: outsider.userId }, room.owner);
    await expect(node.call("invite.accept", { code: room.code }, outsider)).rejects.toMatchObject({
      type: "BANNED",
    });
    await expect(node.call("group.ban", { groupId, userId: UNKNOWN_ID }, room.owner)).rejects.toMatchObject({
      type: "USER_NOT_FOUND",
    });
    await expect(node.call("group.kick", { groupId, userId: UNKNOWN_ID }, room.owner)).rejects.toMatchObject({
      type: "MEMBER_NOT_FOUND",
    });
    expect(await memberCount()).toBe(1);
  });

  test("the owner can't be kicked, banned or muted", async () => {
    const target = { groupId: room.group.id, userId: room.owner.userId };
    for (const attempt of [
      node.call("group.kick", target, room.owner),
      node.call("group.ban", target, room.owner),
      node.call("group.mute", { ...target, durationMs: 1000 }, room.owner),
    ]) {
      await expect(attempt).rejects.toMatchObject({ type: "FORBIDDEN" });
    }
  });
});

describe("muting", () => {
  test("takes effect immediately in all processes, and expires", async () => {
    const member = await room.join();
    const { id: groupId } = room.group;
    const target = { groupId, userId: member.userId };
    await node.call("group.get", { groupId }, member);
    const muted = await node.call("group.mute", { ...target, durationMs: 60_000 }, room.owner);
    expect(Date.parse(muted.member.mutedUntil!)).toBeGreaterThan(Date.now() + 50_000);
    expect(node.published("member.updated")).toContainEqual(muted);
    const access = await node.call("group.access", target);
    expect(access.mutedUntil).toBe(muted.member.mutedUntil);
    expect((await node.node.access.get(member.userId, { groupId })).mutedUntilMs).toBeGreaterThan(0);

    const unmuted = await node.call("group.unmute", target, room.owner);
    expect(unmuted.member.mutedUntil).toBeNull();
    expect((await node.node.access.get(member.userId, { groupId })).mutedUntilMs).toBe(0);
    await expect(
      node.call("group.mute", { groupId, userId: UNKNOWN_ID, durationMs: 1000 }, room.owner),
    ).rejects.toMatchObject({ type: "MEMBER_NOT_FOUND" });
    await expect(
      node.call("group.unmute", { groupId, userId: UNKNOWN_ID }, room.owner),
    ).rejects.toMatchObject({
      type: "MEMBER_NOT_FOUND",
    });
  });

  test.each(["left", "kicked"])(
    "a muted member who has %s and rejoins stays muted until unmuted",
    async (way) => {
      const member = await room.join();
      const { id: groupId } = room.group;
      const target = { groupId, userId: member.userId };
      const { member: muted } = await node.call("group.mute", { ...target, durationMs: 60_000 }, room.owner);
      if (way === "left") await node.call("group.leave", { groupId }, member);
      else await node.call("group.kick", target, room.owner);
      await node.call("invite.accept", { code: room.code }, member);
      const { mutedUntil } = await node.call("group.access", target);
      expect(mutedUntil).toBe(muted.mutedUntil);

      await node.call("group.unmute", target, room.owner);
      await node.call("group.leave", { groupId }, member);
      await node.call("invite.accept", { code: room.code }, member);
      expect((await node.call("group.access", target)).mutedUntil).toBeNull();
    },
  );
});

describe("concurrency", () => {
  test("concurrent joins and kicks of a user: sockets, access and count match the stored state", async () => {
    const { id: groupId } = room.group;
    for (let round = 0; round < 10; round += 1) {
      const member = await room.join();
      const target = { groupId, userId: member.userId };
      await Promise.allSettled([
        node.call("group.kick", target, room.owner),
        node.call("invite.accept", { code: room.code }, member),
        node.call("group.kick", target, room.owner),
        node.call("invite.accept", { code: room.code }, member),
      ]);
      const stored = (await node.call("group.access", target)).permissions !== 0;
      const moves = node.out.filter((item) => "room" in item && item.room === userRoom(member.userId));
      expect("join" in moves.at(-1)!).toBe(stored);
    }
    const count = await node.node.database
      .collection("members")
      .countDocuments({ groupId: new Types.ObjectId(groupId) });
    expect(await memberCount()).toBe(count);
  });

  test("a concurrent ban and join: the banned user ends up removed", async () => {
    const { id: groupId } = room.group;
    for (let round = 0; round < 10; round += 1) {
      const user = await node.guest();
      const target = { groupId, userId: user.userId };
      await Promise.allSettled([
        node.call("invite.accept", { code: room.code }, user),
        node.call("group.ban", target, room.owner),
      ]);
      expect((await node.call("group.access", target)).permissions).toBe(0);
      const moves = node.out.filter((item) => "room" in item && item.room === userRoom(user.userId));
      // No move: the ban was stored before the join.
      expect("join" in (moves.at(-1) ?? {})).toBe(false);
    }
    expect(await memberCount()).toBe(1);
  });

  test("many joins are published in few events, with the correct final count", async () => {
    const before = node.published("member.joined").length;
    await Promise.all(Array.from({ length: 200 }, () => room.join()));
    await vi.waitFor(() => expect(node.published("member.joined").at(-1)?.memberCount).toBe(201), 5000);
    const events = node.published("member.joined").slice(before);
    expect(events.length).toBeLessThan(30);
    expect(Math.max(...events.map(({ members }) => members.length))).toBeLessThanOrEqual(50);
  });
});

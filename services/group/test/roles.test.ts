import { LIMITS, MEMBER_PERMISSIONS, OWNER_PERMISSIONS, PERMISSIONS } from "@fanfare/contract";
import type { Actor } from "@fanfare/kernel";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { createRoom, UNKNOWN_ID, node, room, useRoom } from "./group-node.ts";

const { view, sendMessages, manageRoles, kickMembers, banMembers, muteMembers, manageMessages } = PERMISSIONS;

useRoom();
let groupId: string;
beforeEach(() => {
  groupId = room.group.id;
});

const createRole = async (permissions: number, by = room.owner): Promise<string> =>
  (await node.call("role.create", { groupId, name: "A role", permissions }, by)).role.id;
const assign = (roleId: string, to: Actor, by = room.owner) =>
  node.call("role.assign", { groupId, userId: to.userId, roleId }, by);
const permissionsOf = async ({ userId }: Actor, place: object = { groupId }): Promise<number> =>
  (await node.call("group.access", { userId, ...place })).permissions;
const expectRefused = (call: Promise<unknown>, type = "FORBIDDEN") =>
  expect(call).rejects.toMatchObject({ type });

/** Creates a member with a role that has these permissions; each new role is below the previous ones. */
async function withRole(permissions: number): Promise<{ actor: Actor; roleId: string }> {
  const actor = await room.join();
  const roleId = await createRole(permissions);
  await assign(roleId, actor);
  return { actor, roleId };
}

describe("roles", () => {
  test("add up, and their permissions take effect immediately", async () => {
    const member = await room.join();
    expect(await permissionsOf(member)).toBe(MEMBER_PERMISSIONS);
    const [first, second] = [await createRole(kickMembers), await createRole(manageMessages)];
    const { member: assigned } = await assign(first, member);
    expect(assigned.roleIds).toEqual([first]);
    await assign(second, member);
    expect(await permissionsOf(member)).toBe(MEMBER_PERMISSIONS | kickMembers | manageMessages);
    await node.call("role.update", { groupId, roleId: first, permissions: banMembers }, room.owner);
    expect(await permissionsOf(member)).toBe(MEMBER_PERMISSIONS | banMembers | manageMessages);
    await node.call("role.unassign", { groupId, userId: member.userId, roleId: second }, room.owner);
    expect(await permissionsOf(member)).toBe(MEMBER_PERMISSIONS | banMembers);
    await node.call("role.delete", { groupId, roleId: first }, room.owner);
    expect(await permissionsOf(member)).toBe(MEMBER_PERMISSIONS);
  });

  test("the default role has the permissions of all members, except viewing the group", async () => {
    const member = await room.join();
    await node.call("role.setDefault", { groupId, permissions: 0 }, room.owner);
    expect(await permissionsOf(member)).toBe(view);
    expect(await permissionsOf(room.owner)).toBe(OWNER_PERMISSIONS);
    await node.call("role.setDefault", { groupId, permissions: sendMessages }, room.owner);
    expect(await permissionsOf(member)).toBe(view | sendMessages);
    expect(node.published("group.updated").at(-1)?.group.defaultPermissions).toBe(view | sendMessages);
  });

  test("assigning twice changes nothing; members who leave lose their roles and don't get them back", async () => {
    const { actor, roleId } = await withRole(kickMembers);
    expect((await assign(roleId, actor)).member.roleIds).toEqual([roleId]);
    await node.call("group.leave", { groupId }, actor);
    await expectRefused(assign(roleId, actor), "MEMBER_NOT_FOUND");
    await node.call("invite.accept", { code: room.code }, actor);
    expect(await permissionsOf(actor)).toBe(MEMBER_PERMISSIONS);
  });

  test("deleting a role removes it from all members; roles of other groups are not found", async () => {
    const { actor, roleId } = await withRole(kickMembers);
    await node.call("role.delete", { groupId, roleId }, room.owner);
    await vi.waitFor(async () => {
      const { member } = await node.call("group.getMember", { groupId, userId: actor.userId }, room.owner);
      expect(member.roleIds).toEqual([]);
    });
    await expectRefused(assign(roleId, actor), "ROLE_NOT_FOUND");
    const otherRoom = await createRoom(node);
    const params = { groupId: otherRoom.group.id, name: "Foreign" };
    const { role } = await node.call("role.create", params, otherRoom.owner);
    await expectRefused(assign(role.id, actor), "ROLE_NOT_FOUND");
    await expectRefused(node.call("role.delete", { groupId, roleId: role.id }, room.owner), "ROLE_NOT_FOUND");
  });

  test("and members are found by a mention only in their group, while they are there", async () => {
    const [actor, stranger] = [await room.join(), await node.guest()];
    const [open, closed, gone] = [await createRole(0), await createRole(0), await createRole(0)];
    await node.call("role.update", { groupId, roleId: open, mentionable: true }, room.owner);
    await node.call("role.delete", { groupId, roleId: gone }, room.owner);
    const named = { userIds: [stranger.userId, actor.userId], roleIds: [open, closed, gone] };
    const found = await node.call("group.findMentioned", { groupId, ...named });
    expect(found.userIds).toEqual([actor.userId]);
    expect(found.roles).toHaveLength(2);
    expect(found.roles).toContainEqual({ id: open, mentionable: true });
    expect(found.roles).toContainEqual({ id: closed, mentionable: false });
    const { group } = await node.call("group.create", { name: "Another" }, stranger);
    expect(await node.call("group.findMentioned", { groupId: group.id, ...named })).toEqual({
      userIds: [stranger.userId],
      roles: [],
    });
    const nothing = await node.call("group.findMentioned", { groupId, userIds: [], roleIds: [] });
    expect(nothing).toEqual({ userIds: [], roles: [] });
  });

  test("are limited per group and per member", async () => {
    const roles: string[] = [];
    for (let count = 0; count < LIMITS.rolesPerGroup; count += 1) roles.push(await createRole(0));
    await expectRefused(createRole(0), "LIMIT_REACHED");
    const member = await room.join();
    for (const roleId of roles.slice(0, LIMITS.rolesPerMember)) await assign(roleId, member);
    await expectRefused(assign(roles.at(-1)!, member), "LIMIT_REACHED");
    expect((await node.call("role.list", { groupId }, room.owner)).roles).toHaveLength(LIMITS.rolesPerGroup);
  });

  test("reject unknown permissions and ownership of the group", async () => {
    for (const permissions of [PERMISSIONS.ownGroup, 1 << 29, -1, 0.5]) {
      await expectRefused(createRole(permissions), "VALIDATION_FAILED");
    }
    expect((await node.call("role.list", { groupId }, room.owner)).roles).toEqual([]);
  });
});

describe("a member with manageRoles", () => {
  test("can't grant or revoke permissions they lack", async () => {
    const { actor } = await withRole(manageRoles | kickMembers);
    const below = await createRole(banMembers);
    const harmless = await createRole(kickMembers);
    const member = await room.join();
    await expectRefused(createRole(banMembers, actor));
    await expectRefused(
      node.call("role.update", { groupId, roleId: harmless, permissions: banMembers }, actor),
    );
    await expectRefused(node.call("role.update", { groupId, roleId: below, permissions: 0 }, actor));
    await expectRefused(node.call("role.delete", { groupId, roleId: below }, actor));
    await expectRefused(assign(below, member, actor));
    const defaults = { groupId, permissions: MEMBER_PERMISSIONS | banMembers };
    await expectRefused(node.call("role.setDefault", defaults, actor));
    await node.call("role.update", { groupId, roleId: harmless, permissions: 0, name: "Other" }, actor);
    await assign(harmless, member, actor);
    expect(await permissionsOf(member)).toBe(MEMBER_PERMISSIONS);
  });

  test("can't change roles at or above their highest, or assign them to themselves", async () => {
    const above = await createRole(0);
    const { actor, roleId } = await withRole(manageRoles);
    const { actor: equal } = await withRole(0);
    await assign(roleId, equal);
    for (const untouchable of [above, roleId]) {
      await expectRefused(node.call("role.update", { groupId, roleId: untouchable, name: "Mine" }, actor));
      await expectRefused(node.call("role.delete", { groupId, roleId: untouchable }, actor));
      await expectRefused(assign(untouchable, actor, actor));
    }
    const below = await createRole(0, actor);
    await expectRefused(assign(below, equal, actor));
    await assign(below, actor, actor);
    expect(await permissionsOf(actor)).toBe(MEMBER_PERMISSIONS | manageRoles);
  });

  test("can't move their role up or a higher one down, but can reorder lower ones", async () => {
    const above = await createRole(0);
    const { actor, roleId: own } = await withRole(manageRoles);
    const [second, third] = [await createRole(0), await createRole(0)];
    const reorder = (roleIds: string[], by: Actor) => node.call("role.reorder", { groupId, roleIds }, by);
    await expectRefused(reorder([third, second, above, own], actor));
    await expectRefused(reorder([third, own, second, above], actor));
    await expectRefused(reorder([third, second, own], actor), "ROLE_NOT_FOUND");
    await expectRefused(reorder([third, third, own, above], actor), "ROLE_NOT_FOUND");
    const { roles } = await reorder([second, third, own, above], actor);
    expect(roles.map(({ id }) => id)).toEqual([second, third, own, above]);
    await reorder([own, above, second, third], room.owner);
    await expectRefused(node.call("role.update", { groupId, roleId: third, name: "Higher now" }, actor));
  });

  test("can't set overrides beyond their permissions or rank", async () => {
    const { actor, roleId } = await withRole(manageRoles);
    const { actor: higher, roleId: higherRole } = await withRole(kickMembers);
    await node.call("role.reorder", { groupId, roleIds: [roleId, higherRole] }, room.owner);
    const channelId = room.channel.id;
    const set = (target: object, allow: number, deny: number) =>
      node.call("channel.setOverride", { channelId, target: target as never, allow, deny }, actor);
    await expectRefused(set({ type: "everyone" }, manageMessages, 0));
    await expectRefused(set({ type: "role", id: higherRole }, 0, sendMessages));
    await expectRefused(set({ type: "role", id: roleId }, 0, sendMessages));
    await expectRefused(set({ type: "member", id: higher.userId }, 0, view));
    await expectRefused(set({ type: "member", id: room.owner.userId }, 0, view));
    await expectRefused(set({ type: "role", id: UNKNOWN_ID }, 0, sendMessages), "ROLE_NOT_FOUND");
    await expectRefused(set({ type: "member", id: UNKNOWN_ID }, 0, sendMessages), "MEMBER_NOT_FOUND");
    await expectRefused(set({ type: "everyone" }, sendMessages, sendMessages), "VALIDATION_FAILED");
    await expectRefused(set({ type: "everyone" }, kickMembers, 0), "VALIDATION_FAILED");
    await set({ type: "everyone" }, 0, sendMessages);
    expect(await permissionsOf(higher, { channelId })).toBe(
      (MEMBER_PERMISSIONS & ~sendMessages) | kickMembers,
    );
  });
});

describe("a moderator", () => {
  const MODERATION = kickMembers | banMembers | muteMembers;

  test("can kick and mute plain members and lower ones, but not equals, the owner or themselves", async () => {
    const { actor, roleId } = await withRole(MODERATION);
    const { actor: lower } = await withRole(MODERATION);
    const equal = await room.join();
    await assign(roleId, equal);
    for (const { userId } of [equal, room.owner, actor]) {
      await expectRefused(node.call("group.kick", { groupId, userId }, actor));
      await expectRefused(node.call("group.ban", { groupId, userId }, actor));
      await expectRefused(node.call("group.mute", { groupId, userId, durationMs: 1000 }, actor));
      await expectRefused(node.call("group.unmute", { groupId, userId }, actor));
    }
    await expectRefused(node.call("group.kick", { groupId, userId: actor.userId }, lower));
    await node.call("group.mute", { groupId, userId: lower.userId, durationMs: 1000 }, actor);
    await node.call("group.kick", { groupId, userId: lower.userId }, actor);
    await node.call("group.ban", { groupId, userId: (await room.join()).userId }, actor);
    await expectRefused(node.call("group.delete", { groupId }, actor));
    const { members } = await node.call("group.listMembers", { groupId }, room.owner);
    const left = [equal, room.owner, actor].map(({ userId }) => userId);
    expect(members.map(({ userId }) => userId)).toEqual(left.toSorted());
  });

  test("has only the permissions of the role", async () => {
    const { actor } = await withRole(muteMembers);
    const { userId } = await room.join();
    await expectRefused(node.call("group.kick", { groupId, userId }, actor));
    await expectRefused(node.call("group.ban", { groupId, userId }, actor));
    await expectRefused(node.call("group.listBans", { groupId }, actor));
    await expectRefused(node.call("group.auditLog", { groupId }, actor));
    await node.call("group.mute", { groupId, userId, durationMs: 1000 }, actor);
    expect((await node.call("group.getMember", { groupId, userId }, actor)).member.mutedUntil).not.toBeNull();
  });

  test("can list bans with their author and reason, paginated", async () => {
    const { actor } = await withRole(MODERATION);
    const banned = await Promise.all([1, 2, 3].map(() => room.join()));
    for (const { userId } of banned) {
      await node.call("group.ban", { groupId, userId, reason: "spam" }, actor);
    }
    const first = await node.call("group.listBans", { groupId, limit: 2 }, actor);
    const afterUserId = first.nextUserId!;
    const second = await node.call("group.listBans", { groupId, limit: 2, afterUserId }, actor);
    const bans = [...first.bans, ...second.bans];
    expect(bans.map(({ userId }) => userId)).toEqual(banned.map(({ userId }) => userId).sort());
    expect(bans[0]).toMatchObject({ bannedBy: actor.userId, reason: "spam" });
    expect(second.nextUserId).toBeNull();
  });
});

describe("the audit log", () => {
  test("lists who changed what and the state before, filtered by actor and action, paginated", async () => {
    const { actor, roleId } = await withRole(kickMembers);
    const { userId } = await room.join();
    await node.call("group.update", { groupId, name: "Renamed", description: "About us" }, room.owner);
    await node.call("group.kick", { groupId, userId, reason: "spam" }, actor);
    await node.call("channel.update", { channelId: room.channel.id, topic: "Topic" }, room.owner);
    const { entries } = await node.call("group.auditLog", { groupId }, room.owner);
    expect(entries.map(({ action }) => action)).toEqual([
      "channel.update",
      "group.kick",
      "group.update",
      "role.assign",
      "role.create",
      "invite.create",
    ]);
    expect(entries[0]).toMatchObject({ before: { topic: "" }, after: { topic: "Topic" } });
    expect(entries[1]).toMatchObject({ actorId: actor.userId, targetId: userId, reason: "spam" });
    expect(entries[2]).toMatchObject({
      before: { name: "A group", description: "" },
      after: { name: "Renamed", description: "About us" },
    });
    expect(entries[3]).toMatchObject({ targetId: actor.userId, after: { roleId } });
    const log = async (params: object) =>
      (await node.call("group.auditLog", { groupId, ...params }, room.owner)).entries;
    expect(await log({ actorId: actor.userId })).toEqual([entries[1]]);
    expect(await log({ action: "group.update" })).toEqual([entries[2]]);
    expect(await log({ limit: 2, beforeId: entries[1]!.id })).toEqual(entries.slice(2, 4));
  });

  test("hides private channels and others' invite codes from readers without permission", async () => {
    const { actor } = await withRole(PERMISSIONS.viewAuditLog);
    const hidden = await createChannel("secret", true);
    const shown = await createChannel("open", false);
    for (const channelId of [hidden, shown])
      await node.call("channel.update", { channelId, topic: "About it" }, room.owner);
    const read = async (by: Actor, action: string) => {
      const { entries } = await node.call("group.auditLog", { groupId, action }, by);
      return Object.fromEntries(entries.map(({ targetId, before, after }) => [targetId, before ?? after]));
    };
    expect(await read(actor, "channel.create")).toEqual({
      [hidden]: null,
      [shown]: { name: "open", kind: "text", private: false },
    });
    expect(await read(actor, "channel.update")).toEqual({ [hidden]: null, [shown]: { topic: "" } });
    expect(await read(actor, "invite.create")).toEqual({ null: null });
    expect(await read(room.owner, "channel.create")).toMatchObject({ [hidden]: { name: "secret" } });
    expect(await read(room.owner, "invite.create")).toEqual({ null: { code: expect.any(String) } });

    for (const channelId of [hidden, shown]) await node.call("channel.delete", { channelId }, room.owner);
    expect(await read(actor, "channel.delete")).toEqual({
      [hidden]: null,
      [shown]: { name: "open", kind: "text", private: false },
    });
    expect(await read(room.owner, "channel.delete")).toMatchObject({ [hidden]: { name: "secret" } });
    expect(await read(actor, "channel.create")).toMatchObject({ [hidden]: null });
  });

  test("omits calls that changed nothing, and accepts entries from other services", async () => {
    await node.call("group.update", { groupId, name: "A group" }, room.owner);
    await node.call("group.unban", { groupId, userId: UNKNOWN_ID }, room.owner);
    const record = { groupId, actorId: room.owner.userId, action: "message.delete", reason: "rude" };
    await node.call("group.recordAudit", record);
    const { entries } = await node.call("group.auditLog", { groupId }, room.owner);
    expect(entries.map(({ action }) => action)).toEqual(["message.delete", "invite.create"]);
    expect(entries[0]).toMatchObject({ reason: "rude", targetId: null, before: null });
  });
});

test("slow mode applies to members without moderation permissions", async () => {
  const { actor: moderator } = await withRole(manageMessages);
  const member = await room.join();
  const channelId = room.channel.id;
  await node.call("channel.update", { channelId, slowModeSeconds: 30 }, room.owner);
  const slowModeOf = async ({ userId }: Actor) =>
    (await node.call("group.access", { userId, channelId })).slowModeMs;
  expect(await slowModeOf(member)).toBe(30_000);
  expect(await slowModeOf(moderator)).toBeUndefined();
  expect(await slowModeOf(room.owner)).toBeUndefined();
});

test("group.myPermissions returns the permissions in the group and in each visible channel", async () => {
  const member = await room.join();
  await node.call("channel.create", { groupId, name: "hidden", private: true }, room.owner);
  const target = { type: "everyone" as const };
  const override = { channelId: room.channel.id, target, allow: 0, deny: sendMessages };
  await node.call("channel.setOverride", override, room.owner);
  expect(await node.call("group.myPermissions", { groupId }, member)).toEqual({
    permissions: MEMBER_PERMISSIONS,
    channels: [{ channelId: room.channel.id, permissions: MEMBER_PERMISSIONS & ~sendMessages }],
  });
});

test("the default channel must be a text channel of the group that the caller can see", async () => {
  const set = (defaultChannelId: string | null) =>
    node.call("group.update", { groupId, defaultChannelId }, room.owner);
  expect((await set(room.channel.id)).group.defaultChannelId).toBe(room.channel.id);
  expect((await set(null)).group.defaultChannelId).toBeNull();
  await expectRefused(set(UNKNOWN_ID), "CHANNEL_NOT_FOUND");
  await expectRefused(set((await createRoom(node)).channel.id), "CHANNEL_NOT_FOUND");
});

test("channel.reorder moves several channels and is idempotent", async () => {
  const call = (name: string, kind: "text" | "section") =>
    node.call("channel.create", { groupId, name, kind }, room.owner);
  const [{ channel: section }, { channel }] = [await call("s", "section"), await call("c", "text")];
  const places = [
    { channelId: section.id, sectionId: null, position: 0 },
    { channelId: channel.id, sectionId: section.id, position: 1 },
    { channelId: room.channel.id, sectionId: section.id, position: 2 },
  ];
  for (const _round of [1, 2]) await node.call("channel.reorder", { groupId, places }, room.owner);
  const { channels } = await node.call("channel.list", { groupId }, room.owner);
  expect(channels.map(({ id, sectionId }) => [id, sectionId])).toEqual([
    [section.id, null],
    [channel.id, section.id],
    [room.channel.id, section.id],
  ]);
  expect(node.published("channel.reordered").filter((event) => event.groupId === groupId)).toHaveLength(1);
  const reorder = (place: (typeof places)[number]) =>
    node.call("channel.reorder", { groupId, places: [place] }, room.owner);
  await expectRefused(reorder({ channelId: UNKNOWN_ID, sectionId: null, position: 0 }), "CHANNEL_NOT_FOUND");
  await expectRefused(
    reorder({ channelId: section.id, sectionId: section.id, position: 0 }),
    "CHANNEL_NOT_FOUND",
  );
});

describe("a role that gives access to a private channel", () => {
  test("can be assigned, unassigned and deleted only by members with its permissions there", async () => {
    const low = await createRole(0);
    const { actor: moderator } = await withRole(manageRoles);
    await node.call("role.reorder", { groupId, roleIds: await rolesWithLowest(low) }, room.owner);
    const { channel } = await node.call(
      "channel.create",
      { groupId, name: "secret", private: true },
      room.owner,
    );
    const target = { type: "role" as const, id: low };
    const override = { channelId: channel.id, target, allow: view | sendMessages, deny: 0 };
    await node.call("channel.setOverride", override, room.owner);
    const member = await room.join();
    for (const to of [moderator, member]) await expectRefused(assign(low, to, moderator));
    await expectRefused(node.call("role.delete", { groupId, roleId: low }, moderator));
    expect(await permissionsOf(moderator, { channelId: channel.id })).toBe(0);

    const forModerator = { ...override, target: { type: "member" as const, id: moderator.userId } };
    await node.call("channel.setOverride", forModerator, room.owner);
    await assign(low, member, moderator);
    expect(await permissionsOf(member, { channelId: channel.id })).not.toBe(0);
  });
});

async function createChannel(name: string, isPrivate: boolean): Promise<string> {
  const { channel } = await node.call("channel.create", { groupId, name, private: isPrivate }, room.owner);
  return channel.id;
}

async function rolesWithLowest(roleId: string): Promise<string[]> {
  const { roles } = await node.call("role.list", { groupId }, room.owner);
  return [roleId, ...roles.map(({ id }) => id).filter((id) => id !== roleId)];
}

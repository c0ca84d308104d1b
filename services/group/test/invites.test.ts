import { LIMITS, groupRoom, userRoom } from "@fanfare/contract";
import type { Actor } from "@fanfare/kernel";
import { Types } from "mongoose";
import { describe, expect, test, vi } from "vitest";
import { createRoom, node, room, useRoom } from "./group-node.ts";

useRoom();

const invite = async (limits: { maxUses?: number; maxAgeMs?: number } = {}) =>
  (await node.call("invite.create", { groupId: room.group.id, ...limits }, room.owner)).invite;
const listed = async () => (await node.call("invite.list", { groupId: room.group.id }, room.owner)).invites;
const expire = (code: string) =>
  node.node.database.collection("invites").updateOne({ code }, { $set: { expiresAt: new Date() } });
const NOT_FOUND = { type: "INVITE_NOT_FOUND" };
/** The errors of accepting and previewing an invite. */
const typesOfUse = async (code: string): Promise<string[]> => {
  const calls = [
    node.call("invite.accept", { code }, await node.guest()),
    node.call("invite.preview", { code }),
  ];
  return (await Promise.allSettled(calls)).map((result) =>
    result.status === "fulfilled" ? "usable" : result.reason.type,
  );
};

describe("invite.accept", () => {
  test("adds the user, moves the sockets and notifies both sides", async () => {
    const user = await node.guest();
    const result = await node.call("invite.accept", { code: room.code }, user);
    expect(result.group).toEqual({ ...room.group, memberCount: 2 });
    expect(result.channels).toEqual([room.channel]);
    expect(node.published("group.joined")).toContainEqual(result);
    expect(node.out).toContainEqual({ room: userRoom(user.userId), join: [groupRoom(room.group.id)] });
    await vi.waitFor(() => {
      const joined = node.published("member.joined").filter(({ groupId }) => groupId === room.group.id);
      expect(joined).toMatchObject([{ memberCount: 2, members: [{ userId: user.userId }] }]);
    });
  });

  test("accepting twice changes nothing and takes no second use", async () => {
    const { code } = await invite({ maxUses: 1 });
    const user = await node.guest();
    const first = await node.call("invite.accept", { code }, user);
    const results = await Promise.all([1, 2, 3].map(() => node.call("invite.accept", { code }, user)));
    for (const result of results) expect(result).toEqual(first);
    await expect(node.call("invite.accept", { code }, await node.guest())).rejects.toMatchObject(NOT_FOUND);
  });

  test("concurrent calls of one user take one use", async () => {
    const { code } = await invite({ maxUses: 5 });
    const user = await node.guest();
    await Promise.all(Array.from({ length: 5 }, () => node.call("invite.accept", { code }, user)));
    expect((await listed()).find((other) => other.code === code)?.uses).toBe(1);
    expect((await node.call("group.get", { groupId: room.group.id }, user)).group.memberCount).toBe(2);
  });

  test("50 concurrent calls with 10 uses: exactly 10 users join", async () => {
    const { code } = await invite({ maxUses: 10 });
    const users = await Promise.all(Array.from({ length: 50 }, () => node.guest()));
    const results = await Promise.allSettled(users.map((user) => node.call("invite.accept", { code }, user)));
    expect(results.filter(({ status }) => status === "fulfilled").length).toBe(10);
    const refused = results.filter((result) => result.status === "rejected");
    expect(refused.map(({ reason }) => reason.type)).toEqual(
      Array.from({ length: 40 }, () => NOT_FOUND.type),
    );
    const groupId = room.group.id;
    const { members } = await node.call("group.listMembers", { groupId, limit: 100 }, room.owner);
    expect(members.length).toBe(11);
    expect((await node.call("group.get", { groupId }, room.owner)).group.memberCount).toBe(11);
  });

  test("rejects expired and unknown invites", async () => {
    const { code } = await invite({ maxAgeMs: 60_000 });
    await expire(code);
    for (const unusable of [code, "nosuchcode"]) {
      await expect(node.call("invite.accept", { code: unusable }, await node.guest())).rejects.toMatchObject(
        NOT_FOUND,
      );
      await expect(node.call("invite.preview", { code: unusable })).rejects.toMatchObject(NOT_FOUND);
    }
  });
});

describe("invites", () => {
  test("are rejected for a full group, whose members stay", async () => {
    const member = await room.join();
    const groups = node.node.database.collection("groups");
    const _id = new Types.ObjectId(room.group.id);
    await groups.updateOne({ _id }, { $set: { memberCount: LIMITS.membersPerGroup } });
    const join = async () => node.call("invite.accept", { code: room.code }, await node.guest());
    await expect(join()).rejects.toMatchObject({
      type: "LIMIT_REACHED",
      data: { limit: "membersPerGroup", max: LIMITS.membersPerGroup },
    });
    await node.call("invite.accept", { code: room.code }, member);
    await groups.updateOne({ _id }, { $inc: { memberCount: -1 } });
    await join();
  });

  test("can be previewed without a login, with few details", async () => {
    const { id, name } = room.group;
    expect(await node.call("invite.preview", { code: room.code })).toEqual({
      group: { id, name, iconUrl: null, memberCount: 1, needsApproval: false },
    });
  });

  test("members can list and revoke their own invites, the owner all", async () => {
    const member = await room.join();
    const groupId = room.group.id;
    const own = (await node.call("invite.create", { groupId }, member)).invite;
    expect((await node.call("invite.list", { groupId }, member)).invites).toEqual([own]);
    expect((await listed()).map(({ code }) => code)).toEqual([room.code, own.code]);
    await expect(node.call("invite.revoke", { groupId, code: room.code }, member)).rejects.toMatchObject({
      type: "FORBIDDEN",
    });
    await node.call("invite.revoke", { groupId, code: own.code }, room.owner);
    await expect(node.call("invite.revoke", { groupId, code: own.code }, member)).rejects.toMatchObject(
      NOT_FOUND,
    );
    await expect(node.call("invite.accept", { code: own.code }, await node.guest())).rejects.toMatchObject(
      NOT_FOUND,
    );
  });

  test.each<[string, (member: Actor) => Promise<unknown>]>([
    ["is kicked", ({ userId }) => node.call("group.kick", { groupId: room.group.id, userId }, room.owner)],
    ["is banned", ({ userId }) => node.call("group.ban", { groupId: room.group.id, userId }, room.owner)],
    ["leaves", (member) => node.call("group.leave", { groupId: room.group.id }, member)],
    ["deletes the account", (member) => node.call("user.deleteMe", {}, member)],
  ])("end when their creator %s", async (_how, end) => {
    const member = await room.join();
    const { code } = (await node.call("invite.create", { groupId: room.group.id }, member)).invite;
    await end(member);
    await expect.poll(async () => (await listed()).map((one) => one.code)).toEqual([room.code]);
    expect(await typesOfUse(code)).toEqual([NOT_FOUND.type, NOT_FOUND.type]);
  });

  test("stay unusable when their creator rejoins", async () => {
    const groupId = room.group.id;
    const member = await room.join();
    const { code } = (await node.call("invite.create", { groupId }, member)).invite;
    await node.call("group.kick", { groupId, userId: member.userId }, room.owner);
    await node.call("invite.accept", { code: room.code }, member);
    expect(await typesOfUse(code)).toEqual([NOT_FOUND.type, NOT_FOUND.type]);
  });

  test("admit no one while their creator is disabled or no member", async () => {
    const groupId = room.group.id;
    const member = await room.join();
    const { code } = (await node.call("invite.create", { groupId }, member)).invite;
    const { database } = node.node;
    const userId = new Types.ObjectId(member.userId);
    await database.collection("users").updateOne({ _id: userId }, { $set: { disabledAt: new Date() } });
    expect(await typesOfUse(code)).toEqual([NOT_FOUND.type, NOT_FOUND.type]);
    await database.collection("users").updateOne({ _id: userId }, { $unset: { disabledAt: 1 } });
    expect(await typesOfUse(code)).toEqual(["usable", "usable"]);
    // As when the removal of the member was not completed.
    await database.collection("members").deleteOne({ groupId: new Types.ObjectId(groupId), userId });
    expect(await typesOfUse(code)).toEqual([NOT_FOUND.type, NOT_FOUND.type]);
  });

  test("an invite of another group is not found", async () => {
    const other = await createRoom(node);
    const params = { groupId: room.group.id, code: other.code };
    await expect(node.call("invite.revoke", params, room.owner)).rejects.toMatchObject(NOT_FOUND);
  });

  test("are limited in number, and unusable ones don't count", async () => {
    const template = { groupId: new Types.ObjectId(room.group.id), createdBy: new Types.ObjectId() };
    const fill = Array.from({ length: LIMITS.invitesPerGroup - 1 }, (_, index) => ({
      ...template,
      code: `${room.group.id}${index}`,
      uses: 0,
      maxUses: null,
      expiresAt: null,
      createdAt: new Date(),
    }));
    await node.node.database.collection("invites").insertMany(fill);
    await expect(invite()).rejects.toMatchObject({
      type: "LIMIT_REACHED",
      data: { limit: "invitesPerGroup", max: LIMITS.invitesPerGroup },
    });
    await expire(fill[0]!.code);
    await expect(invite()).resolves.toBeDefined();
  });
});

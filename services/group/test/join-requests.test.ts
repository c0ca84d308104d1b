import { LIMITS } from "@fanfare/contract";
import type { Actor } from "@fanfare/kernel";
import { Types } from "mongoose";
import { beforeEach, describe, expect, test } from "vitest";
import { createRepositories } from "../src/group.dependencies.ts";
import { createAudit } from "../src/group/audit.ts";
import { countJoin } from "../src/group/moderation.ts";
import { createMemberAnnouncer } from "../src/group/member-announcer.ts";
import { node, room, useRoom } from "./group-node.ts";

useRoom();

const HOUR_MS = 60 * 60 * 1000;
const APPROVAL_REQUIRED = { type: "APPROVAL_REQUIRED" };
let groupId: string;

const update = (changes: { needsApproval?: boolean; raidLimit?: number | null; listed?: boolean }) =>
  node.call("group.update", { groupId, ...changes }, room.owner);
const accept = (user: Actor, code = room.code) => node.call("invite.accept", { code }, user);
const ask = (user: Actor, message = "", code = room.code) =>
  node.call("join.request", { code, message }, user);
const approve = (...users: Actor[]) =>
  node.call("join.approve", { groupId, userIds: users.map(({ userId }) => userId) }, room.owner);
const reject = (...users: Actor[]) =>
  node.call("join.reject", { groupId, userIds: users.map(({ userId }) => userId) }, room.owner);
const waiting = async () => {
  const { requests } = await node.call("join.list", { groupId }, room.owner);
  const { open } = await node.call("join.getOpenCount", { groupId }, room.owner);
  expect(open).toBe(requests.length);
  return requests;
};
const own = async (user: Actor) => (await node.call("join.listMine", {}, user)).requests;
const isMember = async ({ userId }: Actor) =>
  (await node.call("group.getMembers", { groupId, userIds: [userId] }, room.owner)).members.length === 1;
const audited = async (action: string) =>
  (await node.call("group.auditLog", { groupId, action }, room.owner)).entries;
const eventsFor = ({ userId }: Actor, from = 0) =>
  node.out
    .slice(from)
    .flatMap((item) => ("name" in item && item.rooms.includes(`user:${userId}`) ? [item.name] : []));
const requests = () => node.node.database.collection("joinRequests");
const idOf = ({ userId }: Actor) => new Types.ObjectId(userId);
const asker = async () => {
  const user = await node.guest();
  await ask(user);
  return user;
};

beforeEach(() => {
  groupId = room.group.id;
});

describe("a group where new members need approval", () => {
  beforeEach(async () => void (await update({ needsApproval: true })));

  test("gets requests instead of members, and approves them", async () => {
    const [ada, ben] = [await node.guest(), await node.guest()];
    await expect(accept(ada)).rejects.toMatchObject({ ...APPROVAL_REQUIRED, data: { groupId } });
    expect(await isMember(ada)).toBe(false);

    const { request } = await ask(ada, " Hello ");
    expect(request).toMatchObject({
      groupId,
      groupName: room.group.name,
      message: "Hello",
      askAgainAt: null,
    });
    // Repeatable.
    expect(await ask(ada, "Again")).toEqual({ request });
    expect(await own(ada)).toEqual([request]);
    await ask(ben);
    expect(await waiting()).toMatchObject([
      { userId: ada.userId, message: "Hello" },
      { userId: ben.userId, message: "" },
    ]);

    const already = node.out.length;
    expect(await approve(ada, ben)).toEqual({ failures: [] });
    for (const user of [ada, ben]) {
      expect(await isMember(user)).toBe(true);
      expect(await own(user)).toEqual([]);
      expect(eventsFor(user, already)).toEqual(
        expect.arrayContaining(["group.joined", "joinRequest.removed"]),
      );
    }
    expect(await waiting()).toEqual([]);
    const targets = (await audited("join.approve")).map(({ targetId }) => targetId);
    expect(new Set(targets)).toEqual(new Set([ada.userId, ben.userId]));
    // Members join again without a request.
    expect(await ask(ada)).toEqual({ request: null });
  });

  test("of the directory", async () => {
    await update({ listed: true });
    const ada = await node.guest();
    await expect(node.call("group.joinListed", { groupId }, ada)).rejects.toMatchObject(APPROVAL_REQUIRED);
    await node.call("join.request", { groupId }, ada);
    expect(await waiting()).toMatchObject([{ userId: ada.userId }]);
    await update({ listed: false });
    await expect(node.call("join.request", { groupId }, await node.guest())).rejects.toMatchObject({
      type: "GROUP_NOT_FOUND",
    });
  });

  test("a user who signs up with an invite asks too", async () => {
    const ada = await node.account();
    await node.call("invite.acceptFor", { code: room.code, userId: ada.userId });
    expect(await waiting()).toMatchObject([{ userId: ada.userId }]);
  });

  test("a request takes one use of the invite", async () => {
    const { invite } = await node.call("invite.create", { groupId, maxUses: 1 }, room.owner);
    const ada = await node.guest();
    for (let times = 0; times < 2; times += 1) await ask(ada, "", invite.code);
    await expect(ask(await node.guest(), "", invite.code)).rejects.toMatchObject({
      type: "INVITE_NOT_FOUND",
    });
    await approve(ada);
    expect(await isMember(ada)).toBe(true);
  });

  test("an open request lets its user join with a used-up invite once no approval is needed", async () => {
    const { invite } = await node.call("invite.create", { groupId, maxUses: 1 }, room.owner);
    const ada = await node.guest();
    await ask(ada, "", invite.code);
    await update({ needsApproval: false });
    await expect(accept(await node.guest(), invite.code)).rejects.toMatchObject({ type: "INVITE_NOT_FOUND" });
    await accept(ada, invite.code);
    expect(await isMember(ada)).toBe(true);
    expect(await own(ada)).toEqual([]);
  });

  test("a request that is being approved can't be withdrawn, rejected or approved by others", async () => {
    const { joinRequests } = createRepositories(node.node.database);
    const ada = await asker();
    const request = await joinRequests.startApproval(groupId, ada.userId);
    const withdraw = () => node.call("join.withdraw", { groupId }, ada);
    const notFound = { failures: [{ userId: ada.userId, error: "JOIN_REQUEST_NOT_FOUND" }] };
    await expect(withdraw()).rejects.toMatchObject({ type: "UNAVAILABLE" });
    expect(await reject(ada)).toEqual(notFound);
    expect(await approve(ada)).toEqual(notFound);
    expect(await isMember(ada)).toBe(false);
    // The approval failed.
    await joinRequests.endApproval(request!);
    await withdraw();
    expect(await own(ada)).toEqual([]);
    // The process that approved it has ended.
    await ask(ada);
    await joinRequests.startApproval(groupId, ada.userId);
    await requests().updateOne({ userId: idOf(ada) }, { $set: { approvingUntil: new Date(Date.now() - 1) } });
    expect(await approve(ada)).toEqual({ failures: [] });
    expect(await isMember(ada)).toBe(true);
    expect(await own(ada)).toEqual([]);
  });

  test("an approval that fails doesn't restore a request that was removed meanwhile", async () => {
    const { joinRequests } = createRepositories(node.node.database);
    const ada = await asker();
    const request = await joinRequests.startApproval(groupId, ada.userId);
    await node.call("group.forgetUser", { userId: ada.userId });
    await joinRequests.endApproval(request!);
    expect(await requests().countDocuments({ userId: idOf(ada) })).toBe(0);
  });

  test("users withdraw their requests", async () => {
    const ada = await asker();
    await node.call("join.withdraw", { groupId }, ada);
    await node.call("join.withdraw", { groupId }, ada);
    expect(await waiting()).toEqual([]);
    expect(await own(ada)).toEqual([]);
    expect(await approve(ada)).toEqual({
      failures: [{ userId: ada.userId, error: "JOIN_REQUEST_NOT_FOUND" }],
    });
    expect(await isMember(ada)).toBe(false);
  });

  test("rejected users can ask again after a day", async () => {
    const ada = await node.guest();
    await ask(ada, "Let me in");
    await reject(ada);
    expect(await waiting()).toEqual([]);
    const [request] = await own(ada);
    const inMs = Date.parse(request!.askAgainAt!) - Date.now();
    expect(inMs).toBeGreaterThan(LIMITS.joinRequestRejectedMs - HOUR_MS);
    expect(inMs).toBeLessThanOrEqual(LIMITS.joinRequestRejectedMs);
    expect(request).toMatchObject({ message: "" });
    await expect(ask(ada)).rejects.toMatchObject({
      type: "JOIN_REQUEST_REJECTED",
      data: { askAgainAt: request!.askAgainAt },
    });
    // Withdrawing doesn't shorten the time.
    await node.call("join.withdraw", { groupId }, ada);
    await expect(ask(ada)).rejects.toMatchObject({ type: "JOIN_REQUEST_REJECTED" });
    expect(await audited("join.reject")).toMatchObject([{ targetId: ada.userId }]);

    await requests().updateOne({ userId: idOf(ada) }, { $set: { expiresAt: new Date(Date.now() - 1) } });
    expect(await own(ada)).toEqual([]);
    expect((await ask(ada)).request).toMatchObject({ askAgainAt: null });
  });

  test("requests expire", async () => {
    const ada = await asker();
    await requests().updateOne({ userId: idOf(ada) }, { $set: { expiresAt: new Date(Date.now() - 1) } });
    expect(await waiting()).toEqual([]);
    expect((await approve(ada)).failures).toMatchObject([{ error: "JOIN_REQUEST_NOT_FOUND" }]);
    expect((await requests().indexes()).find(({ key }) => "expiresAt" in key)).toMatchObject({
      expireAfterSeconds: 0,
    });
  });

  test("of two moderators at once, one approves or rejects", async () => {
    const users = await Promise.all(Array.from({ length: 8 }, () => asker()));
    const answers = await Promise.all([approve(...users), reject(...users), approve(...users)]);
    const failed = answers.flatMap(({ failures }) => failures);
    expect(failed).toHaveLength(2 * users.length);
    const [approved, rejected] = [await audited("join.approve"), await audited("join.reject")];
    expect(approved.length + rejected.length).toBe(users.length);
    for (const user of users)
      expect(await isMember(user)).toBe(approved.some(({ targetId }) => targetId === user.userId));
  });

  test("banned users can't ask, and a ban removes the request", async () => {
    const ada = await asker();
    await node.call("group.ban", { groupId, userId: ada.userId }, room.owner);
    expect(await waiting()).toEqual([]);
    expect(await own(ada)).toEqual([]);
    await expect(ask(ada)).rejects.toMatchObject({ type: "BANNED" });
    // A ban that a process has stored, but not the removal of the request.
    const ben = await asker();
    const ban = { groupId: new Types.ObjectId(groupId), userId: idOf(ben), bannedBy: idOf(room.owner) };
    await node.node.database.collection("bans").insertOne({ ...ban, createdAt: new Date() });
    expect(await approve(ben)).toEqual({ failures: [{ userId: ben.userId, error: "BANNED" }] });
    expect(await isMember(ben)).toBe(false);
    expect(await waiting()).toEqual([]);
  });

  test("a full group keeps the request", async () => {
    const [ada, ben] = [await asker(), await asker()];
    const setMembers = (memberCount: number) =>
      node.node.database
        .collection("groups")
        .updateOne({ _id: new Types.ObjectId(groupId) }, { $set: { memberCount } });
    await setMembers(LIMITS.membersPerGroup);
    expect((await approve(ada, ben)).failures).toMatchObject([
      { userId: ada.userId, error: "LIMIT_REACHED" },
      { userId: ben.userId, error: "LIMIT_REACHED" },
    ]);
    expect(await waiting()).toHaveLength(2);
    await setMembers(1);
    expect(await approve(ada)).toEqual({ failures: [] });
    expect(await waiting()).toMatchObject([{ userId: ben.userId }]);
  });

  test("a deleted user's request is removed and exported before", async () => {
    const ada = await node.guest();
    await ask(ada, "Hello");
    const exported = await node.call("group.exportUser", { userId: ada.userId, cursor: null });
    expect(exported.items).toEqual([
      { kind: "joinRequest", data: expect.objectContaining({ groupId, message: "Hello" }) },
    ]);
    await node.call("group.forgetUser", { userId: ada.userId });
    expect(await waiting()).toEqual([]);
    expect(await requests().countDocuments({ userId: idOf(ada) })).toBe(0);
    // The request of a user whose deletion hasn't come this far.
    const ben = await asker();
    await node.node.database
      .collection("users")
      .updateOne({ _id: idOf(ben) }, { $set: { deletedAt: new Date() } });
    expect((await approve(ben)).failures).toMatchObject([{ error: "JOIN_REQUEST_NOT_FOUND" }]);
    expect(await isMember(ben)).toBe(false);
    expect(await waiting()).toEqual([]);
  });

  test("requests are limited per group and per user", async () => {
    const waitingIn = (id: Types.ObjectId, userId: Types.ObjectId) => ({
      groupId: id,
      userId,
      message: "",
      isOpen: true,
      createdAt: new Date(),
      expiresAt: new Date(Date.now() + HOUR_MS),
    });
    const inGroup = new Types.ObjectId(groupId);
    const some = <T>(count: number, make: () => T) => Array.from({ length: count }, make);
    await requests().insertMany(
      some(LIMITS.joinRequestsPerGroup, () => waitingIn(inGroup, new Types.ObjectId())),
    );
    await expect(ask(await node.guest())).rejects.toMatchObject({
      type: "LIMIT_REACHED",
      data: { limit: "joinRequestsPerGroup" },
    });
    await requests().deleteMany({ groupId: inGroup });
    const ada = await node.guest();
    await requests().insertMany(
      some(LIMITS.joinRequestsPerUser, () => waitingIn(new Types.ObjectId(), idOf(ada))),
    );
    await expect(ask(ada)).rejects.toMatchObject({
      type: "LIMIT_REACHED",
      data: { limit: "joinRequestsPerUser" },
    });
  });

  test("who joins without approval later is no longer waiting", async () => {
    const ada = await asker();
    await update({ listed: true });
    const seen = async () => {
      const { group } = await node.call("invite.preview", { code: room.code });
      const { groups } = await node.call("group.listDirectory", { query: room.group.name }, ada);
      return [group.needsApproval, groups.find(({ id }) => id === groupId)?.needsApproval];
    };
    expect(await seen()).toEqual([true, true]);
    await update({ needsApproval: false });
    expect(await seen()).toEqual([false, false]);
    await node.call("group.startLockdown", { groupId }, room.owner);
    expect(await seen()).toEqual([true, true]);
    await node.call("group.endLockdown", { groupId }, room.owner);
    await update({ listed: false });
    await accept(ada);
    expect(await own(ada)).toEqual([]);
    expect(await waiting()).toEqual([]);
  });

  test("a deleted group has no requests, and tells the users who wait", async () => {
    const ada = await asker();
    await node.call("group.delete", { groupId }, room.owner);
    await expect
      .poll(() => requests().countDocuments({ groupId: new Types.ObjectId(groupId) }), { timeout: 60_000 })
      .toBe(0);
    expect(eventsFor(ada)).toContain("joinRequest.removed");
  });
});

describe("raid protection", () => {
  const group = async () => (await node.call("group.get", { groupId }, room.owner)).group;
  const joinSome = (count: number) =>
    Promise.all(
      Array.from({ length: count }, async () => {
        const user = await node.guest();
        return accept(user).then(
          () => "joined",
          (error: { type: string }) => error.type,
        );
      }),
    );

  test("starts a lockdown with the first join beyond the limit, also of concurrent ones", async () => {
    await update({ raidLimit: 3 });
    const results = await joinSome(8);
    expect(results.filter((result) => result === "joined")).toHaveLength(3);
    expect(new Set(results)).toEqual(new Set(["joined", "APPROVAL_REQUIRED"]));
    const { lockdownUntil, needsApproval } = await group();
    expect(needsApproval).toBe(false);
    const lastsMs = Date.parse(lockdownUntil!) - Date.now();
    expect(lastsMs).toBeGreaterThan(LIMITS.lockdownMs / 2);
    expect(lastsMs).toBeLessThanOrEqual(LIMITS.lockdownMs);
    expect(node.published("group.updated").at(-1)!.group).toMatchObject({ id: groupId, lockdownUntil });
    expect(await audited("group.startLockdown")).toMatchObject([
      { after: { lockdownUntil, automatic: true } },
    ]);

    const ada = await asker();
    expect(await waiting()).toHaveLength(1);
    expect((await node.call("group.endLockdown", { groupId }, room.owner)).group.lockdownUntil).toBeNull();
    await node.call("group.endLockdown", { groupId }, room.owner);
    expect(await audited("group.endLockdown")).toHaveLength(1);
    // Those who wait can still be approved; others join, and the count begins again.
    expect(await approve(ada)).toEqual({ failures: [] });
    expect(await joinSome(3)).toEqual(["joined", "joined", "joined"]);
    expect(await joinSome(1)).toEqual(["APPROVAL_REQUIRED"]);
  });

  test("shows the limit only to members who can change it", async () => {
    const ada = await node.guest();
    await accept(ada);
    await update({ raidLimit: 5 });
    const limits = async (user: Actor) => {
      const { group: one } = await node.call("group.get", { groupId }, user);
      const { groups } = await node.call("group.listMine", {}, user);
      return [one.raidLimit, groups.find(({ id }) => id === groupId)?.raidLimit];
    };
    expect(await limits(room.owner)).toEqual([5, null]);
    expect(await limits(ada)).toEqual([null, null]);
    expect(node.published("group.updated").at(-1)!.group).toMatchObject({ id: groupId, raidLimit: null });
    expect(await audited("group.update")).toMatchObject([
      { before: { raidLimit: null }, after: { raidLimit: 5 } },
    ]);
  });

  test("counts only the last ten minutes, and a rejoining member once", async () => {
    await update({ raidLimit: 2 });
    const ada = await node.guest();
    for (let times = 0; times < 4; times += 1) {
      await accept(ada);
      await node.call("group.leave", { groupId }, ada);
    }
    expect(await joinSome(1)).toEqual(["joined"]);
    const earlier = new Date(Date.now() - LIMITS.raidWindowMs - 1);
    await node.node.database
      .collection("groups")
      .updateOne({ _id: new Types.ObjectId(groupId) }, { $set: { "recentJoins.0": earlier } });
    expect(await joinSome(1)).toEqual(["joined"]);
    expect(await joinSome(1)).toEqual(["APPROVAL_REQUIRED"]);
  });

  test("counts kicked users again when they rejoin", async () => {
    await update({ raidLimit: 2 });
    const ada = await node.guest();
    for (let times = 0; times < 2; times += 1) {
      await accept(ada);
      await node.call("group.kick", { groupId, userId: ada.userId }, room.owner);
    }
    await expect(accept(ada)).rejects.toMatchObject(APPROVAL_REQUIRED);
  });

  test("joins that began before a lockdown need approval too", async () => {
    const repositories = createRepositories(node.node.database);
    const announcer = createMemberAnnouncer({
      publish: node.node.publish,
      read: () => Promise.resolve(undefined),
      onError(error) {
        throw error;
      },
    });
    const dependencies = { ...repositories, audit: createAudit(repositories.audits), announcer };
    const countFor = ({ userId }: Actor, raidLimit: number | null = 3) =>
      countJoin(dependencies, { raidLimit }, groupId, userId);
    const count = async (raidLimit?: number | null) => countFor(await node.guest(), raidLimit);
    const leaver = await node.guest();
    await accept(leaver);
    await node.call("group.leave", { groupId }, leaver);
    await update({ raidLimit: 3 });
    expect(await count()).toBe(true);
    await node.call("group.startLockdown", { groupId }, room.owner);
    expect(await count()).toBe(false);
    expect(await count(null)).toBe(false);
    // Not counted, but stopped.
    expect(await countFor(leaver)).toBe(false);
    await node.call("group.endLockdown", { groupId }, room.owner);
    expect(await count()).toBe(true);
    expect(await count(null)).toBe(true);
    // Approval that is needed from now on starts no lockdown.
    await update({ needsApproval: true });
    expect(await count()).toBe(false);
    expect(await count(null)).toBe(false);
    expect((await group()).lockdownUntil).toBeNull();
  });

  test("who joins after a lockdown was ended is no longer waiting", async () => {
    await node.call("group.startLockdown", { groupId }, room.owner);
    const ada = await asker();
    await node.call("group.endLockdown", { groupId }, room.owner);
    await accept(ada);
    expect(await own(ada)).toEqual([]);
    await node.call("group.leave", { groupId }, ada);
    expect((await approve(ada)).failures).toMatchObject([{ error: "JOIN_REQUEST_NOT_FOUND" }]);
    expect(await isMember(ada)).toBe(false);
  });

  test("used-up invites don't count", async () => {
    await update({ raidLimit: 2 });
    const { invite } = await node.call("invite.create", { groupId, maxUses: 1 }, room.owner);
    await accept(await node.guest(), invite.code);
    for (let times = 0; times < 3; times += 1)
      await expect(accept(await node.guest(), invite.code)).rejects.toMatchObject({
        type: "INVITE_NOT_FOUND",
      });
    expect((await group()).lockdownUntil).toBeNull();
    // A lockdown gives the use back.
    const { invite: other } = await node.call("invite.create", { groupId, maxUses: 2 }, room.owner);
    await accept(await node.guest(), other.code);
    await expect(accept(await node.guest(), other.code)).rejects.toMatchObject(APPROVAL_REQUIRED);
    const { invites } = await node.call("invite.list", { groupId }, room.owner);
    expect(invites.find(({ code }) => code === other.code)).toMatchObject({ uses: 1 });
  });

  test("a lockdown ends by itself", async () => {
    const started = await node.call("group.startLockdown", { groupId }, room.owner);
    expect(started.group.lockdownUntil).not.toBeNull();
    expect(await node.call("group.startLockdown", { groupId }, room.owner)).toEqual(started);
    await expect(accept(await node.guest())).rejects.toMatchObject(APPROVAL_REQUIRED);
    await node.node.database
      .collection("groups")
      .updateOne({ _id: new Types.ObjectId(groupId) }, { $set: { lockdownUntil: new Date(Date.now() - 1) } });
    expect((await group()).lockdownUntil).toBeNull();
    expect(await joinSome(1)).toEqual(["joined"]);
  });
});

import { Types } from "mongoose";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { actorOf, newName, PASSWORD, startUserNode, type UserNode } from "./user-node.ts";

let node: UserNode;
beforeAll(async () => {
  node = await startUserNode();
  // The first account is the admin, who can't be deleted.
  await register();
});
afterAll(() => node.stop());

const register = async (email?: string) => {
  const username = newName();
  const tokens = await node.call("user.register", { username, password: PASSWORD, email });
  return { ...tokens, username, actor: actorOf(tokens) };
};
const document = (userId: string) =>
  node.node.database.collection("users").findOne({ _id: new Types.ObjectId(userId) });

describe("user.deleteMe", () => {
  test("leaves only an id, frees the names, and ends every session", async () => {
    const email = `${newName()}@example.org`;
    const me = await register(email);
    const other = await register();
    const login = { username: me.username, password: PASSWORD };
    const second = await node.call("user.login", login, null, { address: "192.0.2.7", userAgent: "Browser" });
    const customStatus = { emoji: "🌴", text: "On vacation", expiresAt: null };
    await node.call("user.updateProfile", { bio: "All about me", customStatus }, me.actor);
    await node.call("user.block", { userId: other.user.id }, me.actor);
    await node.call("user.block", { userId: me.user.id }, other.actor);

    await node.call("user.deleteMe", { password: PASSWORD }, me.actor);
    const { user } = await node.call("user.get", { userId: me.user.id }, other.actor);
    const { id, createdAt } = me.user;
    expect(user).toEqual({
      id,
      createdAt,
      username: null,
      nickname: "Deleted user",
      avatarUrl: null,
      bio: "",
      kind: "member",
      deleted: true,
    });
    expect(node.profilesChanged.at(-1)).toEqual({ user });
    for (const { refreshToken } of [me, second])
      await expect(node.call("user.refresh", { refreshToken })).rejects.toMatchObject({
        type: "SESSION_REVOKED",
      });
    for (const username of [me.username, email])
      await expect(node.call("user.login", { username, password: PASSWORD })).rejects.toMatchObject({
        type: "WRONG_CREDENTIALS",
      });

    await vi.waitFor(async () => expect((await document(id))?.["erasing"]).toBeUndefined());
    expect(node.forgotten).toContain(id);
    const left = await document(id);
    expect(Object.keys(left!).sort()).toEqual([
      "_id",
      "avatarUrl",
      "createdAt",
      "deletedAt",
      "kind",
      "nickname",
    ]);
    const { database } = node.node;
    const sessions = await database.collection("sessions").find({ userId: left!._id }).toArray();
    expect(JSON.stringify(sessions)).not.toMatch(/192\.0\.2\.7|Browser/);
    const blocks = database.collection("blocks");
    expect(await blocks.countDocuments({ $or: [{ userId: left!._id }, { blockedId: left!._id }] })).toBe(0);

    const again = { username: me.username, password: PASSWORD, email };
    await expect(node.call("user.register", again)).resolves.toBeDefined();
  });

  test("requires the password, except for guests", async () => {
    const me = await register();
    for (const params of [{}, { password: "wrong password" }])
      await expect(node.call("user.deleteMe", params, me.actor)).rejects.toMatchObject({
        type: "WRONG_CREDENTIALS",
      });
    const guest = await node.call("user.createGuest", {});
    await node.call("user.deleteMe", {}, actorOf(guest));
    const { user } = await node.call("user.get", { userId: guest.user.id }, me.actor);
    expect(user).toMatchObject({ kind: "guest", deleted: true });
    // Concurrent calls can't restore the account either.
    const claim = { username: newName(), password: PASSWORD };
    await expect(node.call("user.claimGuest", claim, actorOf(guest))).rejects.toMatchObject({
      type: "NOT_A_GUEST",
    });
    await expect(node.call("user.updateProfile", { nickname: "Back" }, actorOf(guest))).rejects.toMatchObject(
      { type: "UNAUTHENTICATED" },
    );
  });

  test("is rejected for group owners and the last admin", async () => {
    const me = await register();
    node.owned.set(me.user.id, ["a".repeat(24)]);
    await expect(node.call("user.deleteMe", { password: PASSWORD }, me.actor)).rejects.toMatchObject({
      type: "OWNS_GROUPS",
      data: { groupIds: ["a".repeat(24)] },
    });
    node.owned.delete(me.user.id);
    await node.node.database.collection("admins").updateOne({}, { $set: { userIds: [] } });
    await node.call("user.setAdmin", { userId: me.user.id, admin: true });
    await expect(node.call("user.deleteMe", { password: PASSWORD }, me.actor)).rejects.toMatchObject({
      type: "LAST_ADMIN",
    });
  });

  test("a deleted user can't be contacted", async () => {
    const [me, other] = [await register(), await register()];
    const among = async () =>
      (await node.call("user.listBlockedAmong", { userId: other.user.id, userIds: [me.user.id] })).userIds;
    expect(await among()).toEqual([]);
    await node.call("user.deleteMe", { password: PASSWORD }, me.actor);
    expect(await among()).toEqual([me.user.id]);
  });

  test("data that another service failed to delete is deleted later", async () => {
    const me = await register();
    node.failForgetting.times = 1;
    await node.call("user.deleteMe", { password: PASSWORD }, me.actor);
    await vi.waitFor(() => expect(node.failForgetting.times).toBe(0));
    await vi.waitFor(() => expect(node.forgotten).toContain(me.user.id));
    await vi.waitFor(async () => expect((await document(me.user.id))?.["erasing"]).toBeUndefined());
  });

  test("data that another service failed to delete for days is deleted later", async () => {
    const me = await register();
    const jobs = node.node.database.collection("jobs");
    const job = { kind: "user.erase", key: me.user.id };
    const now = { dueAt: new Date(0), heldUntil: new Date(0) };
    const tries = 1000;
    node.failForgetting.times = Infinity;
    await node.call("user.deleteMe", { password: PASSWORD }, me.actor);
    await vi.waitFor(async () => expect(await jobs.findOne(job)).toHaveProperty("lastError"));
    await jobs.updateOne(job, { $set: { ...now, tries } });
    await vi.waitFor(async () => expect((await jobs.findOne(job))?.["tries"]).toBeGreaterThan(tries));
    node.failForgetting.times = 0;
    await vi.waitFor(async () => {
      await jobs.updateOne({ ...job, deadAt: { $exists: false } }, { $set: now });
      expect((await document(me.user.id))?.["erasing"]).toBeUndefined();
    });
    expect(node.forgotten).toContain(me.user.id);
  });

  test("data is deleted although the job for it has failed permanently, in a version where it could", async () => {
    const me = await register();
    const { database } = node.node;
    const jobs = database.collection("jobs");
    const job = { kind: "user.erase", key: me.user.id };
    node.failForgetting.times = Infinity;
    await node.call("user.deleteMe", { password: PASSWORD }, me.actor);
    await vi.waitFor(async () => expect(await jobs.findOne(job)).toHaveProperty("lastError"));
    const never = new Date(8_000_000_000_000_000);
    const dead = { dueAt: never, heldUntil: never, deadAt: new Date(), expiresAt: never };
    await jobs.updateOne(job, { $set: dead, $inc: { fence: 1 } });
    node.failForgetting.times = 0;
    const ofMe = { _id: new Types.ObjectId(me.user.id) };
    await database.collection("users").updateOne(ofMe, { $set: { erasing: new Date(0) } });
    await jobs.updateOne({ kind: "user.findErasures" }, { $set: { dueAt: new Date(0) } });
    await vi.waitFor(async () => expect((await document(me.user.id))?.["erasing"]).toBeUndefined());
    expect(node.forgotten).toContain(me.user.id);
    await vi.waitFor(async () => expect(await jobs.findOne(job)).toBeNull());
  });

  test("resumes an erasure after the process was killed", async () => {
    const me = await register();
    const users = node.node.database.collection("users");
    await users.updateOne({ username: me.user.username }, { $set: { erasing: new Date(0) } });
    const jobs = node.node.database.collection("jobs");
    await jobs.updateOne({ kind: "user.findErasures" }, { $set: { dueAt: new Date(0) } });
    await vi.waitFor(() => expect(node.forgotten).toContain(me.user.id));
  });
});

import { LIMITS } from "@fanfare/contract";
import { newId } from "@fanfare/kernel";
import { Types } from "mongoose";
import { afterEach, beforeEach, expect, test } from "vitest";
import { actorOf, newName, PASSWORD, startUserNode, type UserNode } from "./user-node.ts";

let node: UserNode;
beforeEach(async () => {
  node = await startUserNode();
});
afterEach(() => node.stop());

const register = (username = newName()) => node.call("user.register", { username, password: PASSWORD });
const state = async () => (await node.call("user.adminState", {})).state;

test("of concurrent first registrations exactly one becomes the admin", async () => {
  expect(await state()).toBe("firstToRegister");
  const registered = await Promise.all(Array.from({ length: 6 }, () => register()));
  const admins = registered.filter(({ user }) => user.admin);
  expect(admins).toHaveLength(1);
  const [admin] = admins;
  expect(node.node.tokens.verify(admin!.accessToken)).toMatchObject({ admin: true });
  expect((await node.call("user.me", {}, actorOf(admin!))).user.admin).toBe(true);
  const refreshed = await node.call("user.refresh", { refreshToken: admin!.refreshToken });
  expect(node.node.tokens.verify(refreshed.accessToken)).toMatchObject({ admin: true });
  expect((await register()).user.admin).toBe(false);
  expect(await state()).toBe("exists");
});

test("a user who submits the registration twice becomes the admin too", async () => {
  const username = newName();
  await Promise.allSettled(Array.from({ length: 4 }, () => register(username)));
  const { user } = await node.call("user.login", { username, password: PASSWORD });
  expect(user.admin).toBe(true);
});

test("a guest becomes the admin only by claiming the first account", async () => {
  const guest = await node.call("user.createGuest", {});
  expect(guest.user.admin).toBe(false);
  const claim = { username: newName(), password: PASSWORD };
  const claimed = await node.call("user.claimGuest", claim, actorOf(guest));
  expect(claimed.user.admin).toBe(true);
  expect((await register()).user.admin).toBe(false);
});

test("on an instance with accounts no further user becomes an admin", async () => {
  const { user } = await register();
  const { database } = node.node;
  await database.collection("admins").deleteMany({});
  await database.collection("users").updateOne({ username: user.username }, { $unset: { admin: 1 } });
  expect(await state()).toBe("none");
  expect((await register()).user.admin).toBe(false);
});

test("a process that died before storing the first account doesn't block it forever", async () => {
  const { database } = node.node;
  const gone = { _id: "admins" as never, userIds: [], claimedAt: new Date(Date.now() - 60_000) };
  await database.collection("admins").insertOne(gone);
  expect((await register()).user.admin).toBe(true);
});

test("making an admin one again works when there is no room for others", async () => {
  const { user } = await register();
  const { user: other } = await register();
  const userIds = [user.id, ...Array.from({ length: LIMITS.adminsPerInstance - 1 }, () => newId())];
  const admins = node.node.database.collection("admins");
  await admins.deleteMany({});
  const ids = userIds.map((id) => new Types.ObjectId(id));
  await admins.insertOne({ _id: "admins" as never, userIds: ids, claimedAt: new Date() });
  const grant = (userId: string) => node.call("user.setAdmin", { userId, admin: true });
  expect((await grant(user.id)).user.admin).toBe(true);
  await expect(grant(other.id)).rejects.toMatchObject({ type: "LIMIT_REACHED" });
});

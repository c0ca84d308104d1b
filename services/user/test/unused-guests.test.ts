import type { SessionTokens } from "@fanfare/contract";
import { Types } from "mongoose";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { UnusedGuests } from "../src/erasures.ts";
import { actorOf, newName, otherDependencies, PASSWORD, startUserNode, type UserNode } from "./user-node.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const RETENTION_DAYS = 60;

let node: UserNode;
let unusedGuests: UnusedGuests;
beforeEach(async () => {
  node = await startUserNode({ GUEST_RETENTION_DAYS: String(RETENTION_DAYS) });
  ({ unusedGuests } = otherDependencies(node));
});
afterEach(() => node.stop());

const createGuest = () => node.call("user.createGuest", {});
const leave = (guest: SessionTokens) => node.call("user.logoutAll", {}, actorOf(guest));
const users = () => node.node.database.collection("users");
const isThere = async ({ user }: Pick<SessionTokens, "user">): Promise<boolean> =>
  (await users().findOne({ _id: new Types.ObjectId(user.id) }))!["deletedAt"] === undefined;
const inDays = (days: number): Date => new Date(Date.now() + days * DAY_MS);
/** Sweeps all users with a clock that is `days` ahead. */
const sweepIn = (days: number) => unusedGuests.sweep(inDays(days));

test("a logged-out guest is deleted after the configured days, with all their data", async () => {
  const guest = await createGuest();
  await leave(guest);
  await sweepIn(RETENTION_DAYS - 1);
  expect(await isThere(guest)).toBe(true);
  await sweepIn(RETENTION_DAYS + 1);
  expect(await isThere(guest)).toBe(false);
  await vi.waitFor(() => expect(node.forgotten).toContain(guest.user.id));
  const event = node.profilesChanged.find(({ user }) => user.id === guest.user.id);
  expect(event).toMatchObject({ user: { deleted: true } });
  const [left] = await users()
    .find({ _id: new Types.ObjectId(guest.user.id) })
    .toArray();
  expect(left).not.toHaveProperty("seenAt");
  expect(JSON.stringify(left)).not.toContain(guest.user.nickname);
});

test("a guest who can still log in is kept, and the days are counted from the last activity", async () => {
  const guest = await createGuest();
  const sessions = node.node.database.collection("sessions");
  const session = { _id: new Types.ObjectId(guest.sessionId) };
  const seen = { refreshedAt: inDays(50), expiresAt: inDays(80) };
  await sessions.updateOne(session, { $set: seen });
  await sweepIn(RETENTION_DAYS + 10);
  expect(await isThere(guest)).toBe(true);
  await sessions.deleteOne(session);
  await sweepIn(50 + RETENTION_DAYS - 1);
  expect(await isThere(guest)).toBe(true);
  await sweepIn(50 + RETENTION_DAYS + 1);
  expect(await isThere(guest)).toBe(false);
});

test("other users are kept: accounts, group owners, guests of imported groups, former guests", async () => {
  const account = await node.call("user.register", { username: newName(), password: PASSWORD });
  const [owner, claimed, imported] = [await createGuest(), await createGuest(), new Types.ObjectId()];
  const claim = { username: newName(), password: PASSWORD };
  const claimer = await node.call("user.claimGuest", claim, actorOf(claimed));
  node.owned.set(owner.user.id, ["f".repeat(24)]);
  for (const person of [account, owner, claimer]) await leave(person);
  await users().insertOne({ _id: imported, kind: "guest", nickname: "Author", createdAt: new Date(0) });
  await sweepIn(10 * RETENTION_DAYS);
  expect(await users().countDocuments({ deletedAt: { $exists: false } })).toBe(4);
  node.owned.clear();
  await sweepIn(10 * RETENTION_DAYS);
  expect(await isThere(owner)).toBe(false);
  expect(await users().countDocuments({ deletedAt: { $exists: false } })).toBe(3);
});

test("for a guest without recorded activity the days are counted from the session", async () => {
  const guest = await createGuest();
  await users().updateOne({ _id: new Types.ObjectId(guest.user.id) }, { $unset: { seenAt: 1 } });
  await sweepIn(0);
  await leave(guest);
  await sweepIn(RETENTION_DAYS - 1);
  expect(await isThere(guest)).toBe(true);
  await sweepIn(RETENTION_DAYS + 1);
  expect(await isThere(guest)).toBe(false);
});

test("a sweep processes all pages of users", async () => {
  const guests = Array.from({ length: 110 }, () => ({
    _id: new Types.ObjectId(),
    kind: "guest",
    nickname: "Guest",
    createdAt: new Date(0),
    seenAt: new Date(0),
  }));
  await users().insertMany(guests);
  const left = () => users().countDocuments({ deletedAt: { $exists: false } });
  await sweepIn(0);
  expect(await left()).toBe(0);
});

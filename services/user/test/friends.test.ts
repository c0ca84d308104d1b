import { createAccount, createGuest, createWorld, must, post } from "@fanfare/testing";
import { startInstance, type Instance } from "../../../test/support/instance.ts";
import type { ActionName, Params } from "@fanfare/contract";
import { mongo } from "mongoose";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";

type Person = Awaited<ReturnType<typeof createAccount>>;

let instance: Instance;
let [ann, ben, cat]: Person[] = [];
beforeAll(async () => {
  instance = await startInstance();
});
beforeEach(async () => {
  [ann, ben, cat] = await Promise.all([1, 2, 3].map(() => createAccount(instance.url)));
});
afterAll(() => instance?.stop());

const call = <N extends ActionName>(who: Person | undefined, name: N, params: Params<N>) =>
  must(instance.url, name, params, who!.accessToken);
const refusal = async <N extends ActionName>(who: { accessToken: string }, name: N, params: Params<N>) => {
  const answer = await post(instance.url, name, params, who.accessToken);
  return answer.ok ? "ok" : answer.error.type;
};
const friendsOf = async (who?: Person) =>
  (await call(who, "friend.list", {})).friends.map(({ userId }) => userId);
const requestsOf = async (who?: Person) =>
  (await call(who, "friend.listRequests", {})).requests.map(({ userId, direction }) => [direction, userId]);

describe("a friend request", () => {
  test("is visible to both, and can be accepted by the recipient", async () => {
    await call(ann, "friend.request", { username: ben!.username.toUpperCase() });
    expect(await requestsOf(ann)).toEqual([["outgoing", ben!.userId]]);
    expect(await requestsOf(ben)).toEqual([["incoming", ann!.userId]]);
    expect(await refusal(ann!, "friend.accept", { userId: ben!.userId })).toBe("FRIEND_REQUEST_NOT_FOUND");
    expect(await refusal(cat!, "friend.accept", { userId: ann!.userId })).toBe("FRIEND_REQUEST_NOT_FOUND");
    const { friend } = await call(ben, "friend.accept", { userId: ann!.userId });
    expect(friend.userId).toBe(ann!.userId);
    expect(await call(ben, "friend.accept", { userId: ann!.userId })).toEqual({ friend });
    for (const who of [ann, ben]) expect(await requestsOf(who)).toEqual([]);
    expect([await friendsOf(ann), await friendsOf(ben), await friendsOf(cat)]).toEqual([
      [ben!.userId],
      [ann!.userId],
      [],
    ]);
  });

  test("becomes a friendship when sent from both sides concurrently", async () => {
    const states = await Promise.all([
      call(ann, "friend.request", { userId: ben!.userId }),
      call(ben, "friend.request", { userId: ann!.userId }),
    ]);
    expect(states.map(({ state }) => state)).toContain("friends");
    expect(await friendsOf(ann)).toEqual([ben!.userId]);
    expect(await call(ann, "friend.request", { userId: ben!.userId })).toEqual({ state: "friends" });
  });

  test("is not left when the recipient blocks the sender at the same time", async () => {
    const insertOne = Reflect.get(mongo.Collection.prototype, "insertOne") as mongo.Collection["insertOne"];
    const spy = vi.spyOn(mongo.Collection.prototype, "insertOne").mockImplementation(async function (
      this: mongo.Collection,
      ...args
    ) {
      if (this.collectionName !== "friendships") return insertOne.apply(this, args);
      spy.mockRestore();
      await call(ben, "user.block", { userId: ann!.userId });
      return insertOne.apply(this, args);
    });
    expect(await refusal(ann!, "friend.request", { userId: ben!.userId })).toBe("NOT_REACHABLE");
    expect(await requestsOf(ben)).toEqual([]);
  });

  test("sent twice is stored once", async () => {
    for (let time = 0; time < 2; time += 1) {
      expect(await call(ann, "friend.request", { userId: ben!.userId })).toEqual({ state: "requested" });
    }
    expect(await requestsOf(ben)).toHaveLength(1);
  });

  test("can be declined by the recipient and withdrawn by the sender", async () => {
    await call(ann, "friend.request", { userId: ben!.userId });
    await call(ann, "friend.decline", { userId: ben!.userId });
    await call(cat, "friend.remove", { userId: ben!.userId });
    expect(await requestsOf(ben)).toHaveLength(1);
    await call(ben, "friend.decline", { userId: ann!.userId });
    expect(await requestsOf(ann)).toEqual([]);
    await call(ann, "friend.request", { userId: ben!.userId });
    await call(ann, "friend.remove", { userId: ben!.userId });
    expect(await requestsOf(ben)).toEqual([]);
  });

  test("can't be sent to oneself, unknown users or guests, nor by guests", async () => {
    const guest = await createGuest(instance.url);
    expect(await refusal(ann!, "friend.request", { userId: ann!.userId })).toBe("VALIDATION_FAILED");
    expect(await refusal(ann!, "friend.request", {})).toBe("VALIDATION_FAILED");
    expect(await refusal(ann!, "friend.request", { userId: "0".repeat(24) })).toBe("USER_NOT_FOUND");
    expect(await refusal(ann!, "friend.request", { username: "unknown-user" })).toBe("USER_NOT_FOUND");
    expect(await refusal(ann!, "friend.request", { userId: guest.userId })).toBe("NOT_REACHABLE");
    expect(await refusal(guest, "friend.request", { userId: ann!.userId })).toBe("GUEST_NOT_ALLOWED");
  });
});

test("a friendship ends for both", async () => {
  await call(ann, "friend.request", { userId: ben!.userId });
  await call(ben, "friend.accept", { userId: ann!.userId });
  await call(ben, "friend.remove", { userId: ann!.userId });
  expect([await friendsOf(ann), await friendsOf(ben)]).toEqual([[], []]);
});

test("friends are listed in pages, whichever user has the lower id", async () => {
  // The last user created has the highest id.
  cat = await createAccount(instance.url);
  ann = await createAccount(instance.url);
  for (const other of [ben, cat]) {
    await call(other, "friend.request", { userId: ann.userId });
    await call(ann, "friend.accept", { userId: other!.userId });
  }
  const first = await call(ann, "friend.list", { limit: 1 });
  expect(first.friends.map(({ userId }) => userId)).toEqual([cat.userId]);
  const second = await call(ann, "friend.list", { limit: 1, cursor: first.nextCursor! });
  expect(second).toMatchObject({ friends: [{ userId: ben!.userId }], nextCursor: null });
});

describe("the reach setting", () => {
  const request = (userId: string) => refusal(ann!, "friend.request", { userId });
  const open = (who: { accessToken: string }, userId: string) =>
    refusal(who, "channel.openDirect", { userId });

  test("can be changed by the user, and defaults to everyone", async () => {
    expect((await call(ben, "friend.getReach", {})).reach).toEqual({
      requestsFrom: "everyone",
      directFrom: "everyone",
    });
    const { reach } = await call(ben, "friend.setReach", { requestsFrom: "groupMates" });
    expect(reach).toEqual({ requestsFrom: "groupMates", directFrom: "everyone" });
    expect(await call(ben, "friend.setReach", {})).toEqual({ reach });
    expect(await request(ben!.userId)).toBe("NOT_REACHABLE");
    const { group } = await call(ben, "group.create", { name: "A group" });
    const { invite } = await call(ben, "invite.create", { groupId: group.id });
    await call(ann, "invite.accept", { code: invite.code });
    expect(await request(ben!.userId)).toBe("ok");
    await call(cat, "friend.setReach", { requestsFrom: "nobody" });
    expect(await request(cat!.userId)).toBe("NOT_REACHABLE");
  });

  test("is checked when a direct channel is created, but not for an existing one", async () => {
    await call(ben, "friend.setReach", { directFrom: "friends" });
    expect(await open(ann!, ben!.userId)).toBe("NOT_REACHABLE");
    await call(ben, "friend.request", { userId: ann!.userId });
    expect(await open(ann!, ben!.userId)).toBe("NOT_REACHABLE");
    await call(ann, "friend.accept", { userId: ben!.userId });
    expect(await open(ann!, ben!.userId)).toBe("ok");
    await call(ann, "friend.remove", { userId: ben!.userId });
    expect(await open(ann!, ben!.userId)).toBe("ok");
  });

  test("a direct channel alone doesn't make users group mates", async () => {
    const { owner, member, stranger } = await createWorld(instance.url);
    const reach = { directFrom: "groupMates", requestsFrom: "groupMates" } as const;
    await must(instance.url, "channel.openDirect", { userId: owner.userId }, ann!.accessToken);
    await must(instance.url, "friend.setReach", reach, owner.accessToken);
    expect(await open(stranger, owner.userId)).toBe("NOT_REACHABLE");
    expect(await open(member, owner.userId)).toBe("ok");
  });
});

describe("a block", () => {
  const block = (who: Person | undefined, userId: string) => call(who, "user.block", { userId });
  const request = (who: Person | undefined, userId: string) => refusal(who!, "friend.request", { userId });

  test("ends a friendship, and prevents requests from both sides", async () => {
    await call(ann, "friend.request", { userId: ben!.userId });
    await call(ben, "friend.accept", { userId: ann!.userId });
    await block(ben, ann!.userId);
    await expect.poll(() => friendsOf(ann)).toEqual([]);
    expect(await request(ann, ben!.userId)).toBe("NOT_REACHABLE");
    expect(await request(ben, ann!.userId)).toBe("NOT_REACHABLE");
    const direct = (who: Person, userId: string) => refusal(who, "channel.openDirect", { userId });
    expect(await direct(ann!, ben!.userId)).toBe("NOT_REACHABLE");
    await call(ben, "user.unblock", { userId: ann!.userId });
    expect(await request(ann, ben!.userId)).toBe("ok");
  });

  test("removes a request, and prevents adding the user to group DMs", async () => {
    const { group } = await call(ann, "group.create", { name: "A group" });
    const { invite } = await call(ann, "invite.create", { groupId: group.id });
    for (const who of [ben, cat]) await call(who, "invite.accept", { code: invite.code });
    await call(ann, "friend.request", { userId: ben!.userId });
    await block(ben, ann!.userId);
    await expect.poll(() => requestsOf(ann)).toEqual([]);
    const others = [ben!.userId, cat!.userId];
    expect(await refusal(ann!, "channel.createGroupDirect", { userIds: others })).toBe("NOT_REACHABLE");
    const ofTwo = await call(ann, "channel.createGroupDirect", { userIds: [cat!.userId] });
    const added = { channelId: ofTwo.channel.id, userId: ben!.userId };
    expect(await refusal(ann!, "channel.addToDirect", added)).toBe("NOT_REACHABLE");
    expect(await refusal(cat!, "channel.addToDirect", added)).toBe("ok");
  });
});

test("friends see each other's presence, others don't", async () => {
  const seen = async (who: Person | undefined, userId: string) =>
    (await call(who, "presence.watch", { userIds: [userId] })).presences.length;
  expect(await seen(ann, ben!.userId)).toBe(0);
  await call(ann, "friend.request", { userId: ben!.userId });
  expect(await seen(ann, ben!.userId)).toBe(0);
  await call(ben, "friend.accept", { userId: ann!.userId });
  expect(await seen(ann, ben!.userId)).toBe(1);
});

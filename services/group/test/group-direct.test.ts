import { LIMITS, userRoom } from "@fanfare/contract";
import type { Actor } from "@fanfare/kernel";
import { Types } from "mongoose";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { startGroupNode, type GroupNode } from "./group-node.ts";

let node: GroupNode;
let [ada, bob, eve, zoe]: Actor[] = [];
beforeAll(async () => {
  node = await startGroupNode();
});
beforeEach(async () => {
  [ada, bob, eve, zoe] = await Promise.all([1, 2, 3, 4].map(() => node.guest()));
  node.unreachable.clear();
  node.head.seq = 7;
});
afterAll(() => node.stop());

const idsOf = (...people: (Actor | undefined)[]) => people.map((person) => person!.userId);
const open = async (name?: string) => {
  const params = { userIds: idsOf(bob, eve), ...(name === undefined ? {} : { name }) };
  return (await node.call("channel.createGroupDirect", params, ada)).channel;
};
const add = (channelId: string, who?: Actor, by = ada) =>
  node.call("channel.addToDirect", { channelId, userId: who!.userId }, by);
const remove = (channelId: string, who?: Actor, by = who) =>
  node.call("channel.removeFromDirect", { channelId, userId: who!.userId }, by);
const listOf = async (who?: Actor) =>
  (await node.call("channel.listDirect", {}, who)).channels.map(({ id }) => id);
const access = (channelId: string, who?: Actor) => node.node.access.get(who!.userId, { channelId });
const refused = (type: string) => expect.objectContaining({ type });

describe("a group DM", () => {
  test("is published to its members, and only they have access", async () => {
    const channel = await open("Trip");
    expect(channel).toMatchObject({
      kind: "groupDirect",
      name: "Trip",
      groupId: null,
      ownerId: ada!.userId,
      memberIds: idsOf(ada, bob, eve),
    });
    expect(node.out.at(-1)).toMatchObject({
      rooms: idsOf(ada, bob, eve).map(userRoom),
      name: "channel.created",
    });
    for (const who of [ada, bob, eve]) expect(await listOf(who)).toEqual([channel.id]);
    expect(await listOf(zoe)).toEqual([]);
    expect((await access(channel.id, zoe)).permissions).toBe(0);
    const asZoe = [
      node.call("channel.get", { channelId: channel.id }, zoe),
      node.call("channel.renameDirect", { channelId: channel.id, name: "Mine" }, zoe),
      node.call("channel.closeDirect", { channelId: channel.id }, zoe),
      add(channel.id, zoe, zoe),
      remove(channel.id, bob, zoe),
    ];
    for (const call of await Promise.allSettled(asZoe)) {
      expect(call).toMatchObject({ status: "rejected", reason: refused("CHANNEL_NOT_FOUND") });
    }
  });

  test("can't be created with or extended by users who don't accept it", async () => {
    const channel = await open();
    node.unreachable.add(eve!.userId).add(zoe!.userId);
    await expect(open()).rejects.toMatchObject({ type: "NOT_REACHABLE" });
    await expect(add(channel.id, zoe)).rejects.toMatchObject({ type: "NOT_REACHABLE" });
    expect(await listOf(zoe)).toEqual([]);
  });

  test("new members can read and write", async () => {
    const channelId = (await open()).id;
    expect((await access(channelId, bob)).rooms).not.toContain(userRoom(zoe!.userId));
    const { channel } = await add(channelId, zoe, bob);
    expect(channel.memberIds).toEqual(idsOf(ada, bob, eve, zoe));
    expect(node.out.slice(-2)).toMatchObject([
      { name: "channel.updated", rooms: idsOf(ada, bob, eve).map(userRoom) },
      { name: "channel.created", rooms: [userRoom(zoe!.userId)] },
    ]);
    expect((await access(channelId, bob)).rooms).toContain(userRoom(zoe!.userId));
    const published = node.out.length;
    expect(await add(channelId, zoe)).toEqual({ channel });
    expect(node.out).toHaveLength(published);
  });

  test("is limited in size, also when members are added concurrently", async () => {
    const { id } = await open();
    const more = await Promise.all(Array.from({ length: LIMITS.membersPerGroupDirect }, () => node.guest()));
    const answers = await Promise.allSettled(more.map((who) => add(id, who)));
    const added = answers.filter(({ status }) => status === "fulfilled");
    expect(added).toHaveLength(LIMITS.membersPerGroupDirect - 3);
    for (const answer of answers.filter(({ status }) => status === "rejected")) {
      expect(answer).toMatchObject({ reason: refused("LIMIT_REACHED") });
    }
  });

  test("the imported guests of a deleted one are removed before it, so that a sweep can find it again", async () => {
    const channel = await open();
    const guests = node.node.database.collection("users");
    const importedIn = [new Types.ObjectId(channel.id)];
    await guests.insertOne({ kind: "guest", nickname: "left", importedIn });
    node.failRemovals.of = channel.id;
    for (const who of [ada, bob, eve]) await remove(channel.id, who);
    await vi.waitFor(() => expect(node.failRemovals.failed).toBeGreaterThan(0), 60_000);
    expect(await guests.countDocuments({ importedIn })).toBe(0);
    node.failRemovals.of = null;
  });

  test("when the owner leaves, another member becomes the owner, and when the last one leaves, it is deleted", async () => {
    const { id } = await open();
    await access(id, ada);
    await remove(id, ada);
    expect(node.out.slice(-2)).toMatchObject([
      { name: "channel.deleted", rooms: [userRoom(ada!.userId)], payload: { groupId: null, channelId: id } },
      { name: "channel.updated", payload: { channel: { ownerId: bob!.userId } } },
    ]);
    expect((await access(id, ada)).permissions).toBe(0);
    expect((await access(id, bob)).rooms).toEqual(idsOf(bob, eve).map(userRoom));
    await expect(remove(id, ada)).rejects.toMatchObject({ type: "CHANNEL_NOT_FOUND" });
    expect(node.channelsRemoved).not.toContain(id);
    await Promise.all([remove(id, bob), remove(id, eve)]);
    for (const who of [ada, bob, eve]) expect(await listOf(who)).toEqual([]);
    await vi.waitFor(() => expect(node.channelsRemoved).toContain(id));
  });

  test("only the owner can remove others", async () => {
    const { id } = await open();
    await expect(remove(id, eve, bob)).rejects.toMatchObject({ type: "FORBIDDEN" });
    await expect(remove(id, ada, bob)).rejects.toMatchObject({ type: "FORBIDDEN" });
    await expect(remove(id, zoe, ada)).rejects.toMatchObject({ type: "MEMBER_NOT_FOUND" });
    await remove(id, bob, ada);
    expect(await listOf(bob)).toEqual([]);
    expect((await access(id, bob)).permissions).toBe(0);
  });

  test("can be renamed by any member, and the name can be removed", async () => {
    const { id: channelId } = await open();
    const named = await node.call("channel.renameDirect", { channelId, name: "Trip" }, eve);
    expect(named.channel.name).toBe("Trip");
    expect(node.published("channel.updated").at(-1)).toEqual(named);
    const { channel } = await node.call("channel.renameDirect", { channelId, name: null }, bob);
    expect(channel.name).toBe("");
  });

  test("a direct channel of two can't be extended or left", async () => {
    const { channel } = await node.call("channel.openDirect", { userId: bob!.userId }, ada);
    await expect(add(channel.id, eve)).rejects.toMatchObject({ type: "FORBIDDEN" });
    await expect(remove(channel.id, ada)).rejects.toMatchObject({ type: "FORBIDDEN" });
    const rename = { channelId: channel.id, name: "Two" };
    await expect(node.call("channel.renameDirect", rename, ada)).rejects.toMatchObject({ type: "FORBIDDEN" });
  });

  test("can't be created by or with users who have the maximum number of direct channels", async () => {
    const made = Array.from({ length: LIMITS.directChannelsPerUser }, () => ({
      kind: "groupDirect",
      memberIds: [new Types.ObjectId(eve!.userId)],
      position: 0,
      createdAt: new Date(),
      lastActivityAt: new Date(),
    }));
    await node.node.database.collection("channels").insertMany(made);
    const full = { type: "LIMIT_REACHED", data: { limit: "directChannelsPerUser" } };
    await expect(open()).rejects.toMatchObject(full);
    await expect(node.call("channel.openDirect", { userId: ada!.userId }, eve)).rejects.toMatchObject(full);
    await expect(node.call("channel.openDirect", { userId: eve!.userId }, ada)).resolves.toBeDefined();
  });
});

describe("a closed direct channel", () => {
  test("is hidden from that user's list until the next message", async () => {
    const { id: channelId } = await open();
    await node.call("channel.closeDirect", { channelId }, bob);
    expect(node.out.at(-1)).toMatchObject({ rooms: [userRoom(bob!.userId)], name: "channel.closed" });
    expect(await listOf(bob)).toEqual([]);
    expect(await listOf(ada)).toEqual([channelId]);
    expect((await node.call("channel.get", { channelId }, bob)).channel.id).toBe(channelId);
    node.head.seq += 1;
    expect(await listOf(bob)).toEqual([channelId]);
  });

  test("reappears when it is opened", async () => {
    const { channel } = await node.call("channel.openDirect", { userId: bob!.userId }, ada);
    await node.call("channel.closeDirect", { channelId: channel.id }, ada);
    expect(await listOf(ada)).toEqual([]);
    await node.call("channel.openDirect", { userId: bob!.userId }, ada);
    expect(await listOf(ada)).toEqual([channel.id]);
    expect(node.out.at(-1)).toMatchObject({ rooms: [userRoom(ada!.userId)], name: "channel.created" });
  });

  test("only direct channels can be closed", async () => {
    const { channels } = await node.call("group.create", { name: "A group" }, ada);
    const channelId = channels[0]!.id;
    for (const call of [
      () => node.call("channel.closeDirect", { channelId }, ada),
      () => add(channelId, bob),
    ])
      await expect(call()).rejects.toMatchObject({ type: "FORBIDDEN" });
  });
});

test("users who share a group DM are acquaintances but don't share a group", async () => {
  await open();
  const params = { userId: bob!.userId, userIds: idsOf(ada, eve, zoe) };
  expect(await node.call("group.listAcquaintances", params)).toEqual({ userIds: idsOf(ada, eve) });
  expect(await node.call("group.listAcquaintances", { ...params, groupsOnly: true })).toEqual({
    userIds: [],
  });
});

test("a deleted user leaves group DMs; one-to-one channels stay for the other user", async () => {
  const several = await open();
  const { channel } = await node.call("channel.openDirect", { userId: eve!.userId }, bob);
  await node.call("group.forgetUser", { userId: eve!.userId });
  await node.call("group.forgetUser", { userId: eve!.userId });
  expect(await listOf(eve)).toEqual([channel.id]);
  expect((await listOf(bob)).toSorted()).toEqual([several.id, channel.id].toSorted());
  expect((await access(several.id, eve)).permissions).toBe(0);
});

import { groupRoom, LIMITS, userRoom } from "@fanfare/contract";
import { boundedMap, jsonBytes } from "@fanfare/kernel";
import { Types } from "mongoose";
import { describe, expect, test, vi } from "vitest";
import { UNKNOWN_ID, node, room, useRoom } from "./group-node.ts";

useRoom();

const STATE = { head: { seq: 7, rev: 9 }, lastReadSeq: 5 };
const create = async (name: string) =>
  (await node.call("channel.create", { groupId: room.group.id, name }, room.owner)).channel;
const names = async () =>
  (await node.call("channel.list", { groupId: room.group.id }, room.owner)).channels.map(({ name }) => name);

describe("channels of a group", () => {
  test("are listed with their heads, sorted by position", async () => {
    const second = await create("second");
    expect(node.out.at(-1)).toEqual({
      rooms: [groupRoom(room.group.id)],
      name: "channel.created",
      payload: { channel: second },
    });
    const { channels } = await node.call("channel.list", { groupId: room.group.id }, await room.join());
    expect(channels).toEqual([
      { ...room.channel, ...STATE },
      { ...second, ...STATE },
    ]);
  });

  test("are paginated when one response can't hold them", async () => {
    const { groupId } = room.channel;
    // Three bytes per character in UTF-8.
    const topic = "語".repeat(LIMITS.topicMaxChars);
    await boundedMap([...Array(400).keys()], 20, async (number) => {
      const params = { groupId: groupId!, name: `c${number}` };
      await node.call("channel.create", params, room.owner);
    });
    await node.node.database.collection("channels").updateMany({}, { $set: { topic } });
    const list = (afterChannelId?: string) =>
      node.call("channel.list", { groupId: groupId!, ...(afterChannelId && { afterChannelId }) }, room.owner);
    const first = await list();
    const second = await list(first.nextChannelId!);
    for (const page of [first, second]) expect(jsonBytes(page)).toBeLessThan(LIMITS.answerMaxBytes + 1024);
    expect(second.nextChannelId).toBeNull();
    expect(new Set([...first.channels, ...second.channels].map(({ id }) => id)).size).toBe(401);
    const accepted = await node.call("invite.accept", { code: room.code }, await node.guest());
    expect(jsonBytes(accepted.channels)).toBeLessThan(LIMITS.answerMaxBytes + 1024);
  });

  test("have viewers: the members, of private channels those who are let in", async () => {
    const groupId = room.group.id;
    const [first, second, third] = [await room.join(), await room.join(), await room.join()];
    const role = await node.call("role.create", { groupId, name: "crew" }, room.owner);
    const roleId = role.role.id;
    await node.call("role.assign", { groupId, userId: second.userId, roleId }, room.owner);
    const closed = { groupId, name: "closed", private: true, memberIds: [first.userId], roleIds: [roleId] };
    const { channel } = await node.call("channel.create", closed, room.owner);
    const stranger = await node.guest();
    const userIds = [room.owner, first, second, third, stranger].map(({ userId }) => userId);
    const viewers = async (channelId: string) =>
      (await node.call("group.findViewers", { channelId, userIds })).userIds.toSorted();
    expect(await viewers(room.channel.id)).toEqual(userIds.slice(0, 4).toSorted());
    expect(await viewers(channel.id)).toEqual(userIds.slice(0, 3).toSorted());
    expect(await viewers(UNKNOWN_ID)).toEqual([]);
  });

  test("can be renamed and moved", async () => {
    const second = await create("second");
    await create("third");
    const change = { channelId: second.id, name: "last", position: 10 };
    const { channel } = await node.call("channel.update", change, room.owner);
    expect(channel).toEqual({ ...second, name: "last", position: 10 });
    expect(node.published("channel.updated").at(-1)).toEqual({ channel });
    expect(await names()).toEqual(["general", "third", "last"]);
    const published = node.published("channel.updated").length;
    expect(await node.call("channel.update", { channelId: second.id }, room.owner)).toEqual({ channel });
    expect(node.published("channel.updated").length).toBe(published);
  });

  test("a deleted channel disappears immediately, also for active users", async () => {
    const member = await room.join();
    const { id: channelId } = await create("second");
    const groupId = room.group.id;
    await node.node.access.get(member.userId, { channelId });
    await node.call("channel.delete", { channelId }, room.owner);
    expect(node.published("channel.deleted")).toContainEqual({ groupId, channelId });
    expect(await names()).toEqual(["general"]);
    expect((await node.node.access.get(member.userId, { channelId })).permissions).toBe(0);
    await expect(node.call("channel.delete", { channelId }, room.owner)).rejects.toMatchObject({
      type: "CHANNEL_NOT_FOUND",
    });
    await vi.waitFor(() => expect(node.channelsRemoved).toContain(channelId));
  });

  test("a channel whose messages couldn't be removed stays marked for the next sweep", async () => {
    const { id } = await create("second");
    node.failRemovals.of = id;
    await node.call("channel.delete", { channelId: id }, room.owner);
    await vi.waitFor(() => expect(node.failRemovals.failed).toBeGreaterThan(0));
    const { id: other } = await create("third");
    await node.call("channel.delete", { channelId: other }, room.owner);
    const stored = (channelId: string) =>
      node.node.database.collection("channels").findOne({ _id: new Types.ObjectId(channelId) });
    await vi.waitFor(async () => expect(await stored(other)).toBeNull());
    expect(await stored(id)).toMatchObject({ deletedAt: expect.any(Date) });
    node.failRemovals.of = null;
  });

  test("are limited in number", async () => {
    const groupId = new Types.ObjectId(room.group.id);
    const fill = Array.from({ length: LIMITS.channelsPerGroup - 1 }, (_, index) => ({
      groupId,
      kind: "text",
      name: `c${index}`,
      position: index + 1,
      createdAt: new Date(),
    }));
    await node.node.database.collection("channels").insertMany(fill);
    await expect(create("one more")).rejects.toMatchObject({
      type: "LIMIT_REACHED",
      data: { limit: "channelsPerGroup", max: LIMITS.channelsPerGroup },
    });
  });
});

describe("direct channels", () => {
  test("are created once, and published to both users", async () => {
    const [ada, bob] = [await node.guest(), await node.guest()];
    const { channel } = await node.call("channel.openDirect", { userId: bob.userId }, ada);
    expect(channel).toMatchObject({ groupId: null, kind: "direct", name: "", ...STATE });
    expect([...channel.memberIds].sort()).toEqual([ada.userId, bob.userId].sort());
    const again = await node.call("channel.openDirect", { userId: ada.userId }, bob);
    expect(again.channel).toEqual(channel);
    const published = node.out.filter(
      (item) =>
        "name" in item && item.name === "channel.created" && item.rooms.includes(userRoom(bob.userId)),
    );
    expect(published).toMatchObject([{ rooms: [userRoom(ada.userId), userRoom(bob.userId)] }]);
  });

  test("opening one concurrently from both sides creates only one", async () => {
    const [ada, bob] = [await node.guest(), await node.guest()];
    const opened = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        index % 2 === 0
          ? node.call("channel.openDirect", { userId: bob.userId }, ada)
          : node.call("channel.openDirect", { userId: ada.userId }, bob),
      ),
    );
    expect(new Set(opened.map(({ channel }) => channel.id)).size).toBe(1);
    const created = node
      .published("channel.created")
      .filter(({ channel }) => channel.memberIds.includes(ada.userId));
    expect(created.length).toBe(1);
  });

  test("with oneself are notes that only this user can see, and that go with the account", async () => {
    const ada = await node.guest();
    const { channel } = await node.call("channel.openDirect", { userId: ada.userId }, ada);
    expect(channel).toMatchObject({ kind: "direct", memberIds: [ada.userId] });
    const again = await node.call("channel.openDirect", { userId: ada.userId }, ada);
    expect(again.channel.id).toBe(channel.id);
    const access = () => node.call("group.access", { userId: ada.userId, channelId: channel.id });
    expect((await access()).rooms).toEqual([userRoom(ada.userId)]);
    await node.call("group.forgetUser", { userId: ada.userId });
    expect((await access()).rooms).toEqual([]);
  });

  test("can't be opened with an unknown user", async () => {
    const ada = await node.guest();
    await expect(node.call("channel.openDirect", { userId: UNKNOWN_ID }, ada)).rejects.toMatchObject({
      type: "USER_NOT_FOUND",
    });
  });

  test("are visible only to their two users, and can't be managed", async () => {
    const [ada, bob, eve] = [await node.guest(), await node.guest(), await node.guest()];
    const { channel } = await node.call("channel.openDirect", { userId: bob.userId }, ada);
    const channelId = channel.id;
    const access = (actor: { userId: string }) =>
      node.call("group.access", { userId: actor.userId, channelId });
    expect((await access(ada)).rooms.toSorted()).toEqual([userRoom(ada.userId), userRoom(bob.userId)].sort());
    expect((await access(bob)).permissions).not.toBe(0);
    expect(await access(eve)).toEqual({ permissions: 0, groupId: null, mutedUntil: null, rooms: [] });
    await expect(node.call("channel.delete", { channelId }, ada)).rejects.toMatchObject({
      type: "FORBIDDEN",
    });
    await expect(node.call("channel.update", { channelId, name: "x" }, eve)).rejects.toMatchObject({
      type: "CHANNEL_NOT_FOUND",
    });
  });

  test("are paginated, most recently active first", async () => {
    const ada = await node.guest();
    const opened: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      const { userId } = await node.guest();
      opened.unshift((await node.call("channel.openDirect", { userId }, ada)).channel.id);
    }
    const first = await node.call("channel.listDirect", { limit: 2 }, ada);
    const rest = await node.call("channel.listDirect", { cursor: first.nextCursor! }, ada);
    expect(rest.nextCursor).toBeNull();
    expect([...first.channels, ...rest.channels].map(({ id }) => id)).toEqual(opened);
    expect(first.channels[0]).toMatchObject(STATE);
  });
});

import { Types } from "mongoose";
import { describe, expect, test } from "vitest";
import { createRoom, node, room, useRoom } from "./group-node.ts";

useRoom();

const list = async (params: { query?: string; cursor?: string; limit?: number } = {}) =>
  node.call("group.listDirectory", params, await node.guest());
const setListed = (listed: boolean) =>
  node.call("group.update", { groupId: room.group.id, listed }, room.owner);
const setMembers = (groupId: string, memberCount: number) =>
  node.node.database
    .collection("groups")
    .updateOne({ _id: new Types.ObjectId(groupId) }, { $set: { memberCount } });
const NOT_FOUND = { type: "GROUP_NOT_FOUND" };

describe("the directory of groups", () => {
  test("only has groups that choose to be listed, and others can join those", async () => {
    const { id: groupId } = room.group;
    const user = await node.guest();
    const join = () => node.call("group.joinListed", { groupId }, user);
    expect((await list({ query: room.group.name })).groups).toEqual([]);
    await expect(join()).rejects.toMatchObject(NOT_FOUND);

    await node.call(
      "group.update",
      { groupId, listed: true, description: "All about UNUSUAL things" },
      room.owner,
    );
    const { groups } = await list({ query: "unusual" });
    expect(groups).toEqual([
      {
        id: groupId,
        name: room.group.name,
        description: "All about UNUSUAL things",
        iconUrl: null,
        memberCount: 1,
        needsApproval: false,
      },
    ]);
    const joined = await join();
    expect(joined).toMatchObject({ group: { id: groupId, memberCount: 2 }, channels: [room.channel] });
    expect(await join()).toEqual(joined);
    expect(node.published("group.joined").filter(({ group }) => group.memberCount === 2)).toEqual([joined]);

    await setListed(false);
    expect((await list({ query: "unusual" })).groups).toEqual([]);
    await expect(node.call("group.joinListed", { groupId }, await node.guest())).rejects.toMatchObject(
      NOT_FOUND,
    );
  });

  test("bans and the member limit apply", async () => {
    const { id: groupId } = room.group;
    await setListed(true);
    const banned = await room.join();
    await node.call("group.ban", { groupId, userId: banned.userId }, room.owner);
    await expect(node.call("group.joinListed", { groupId }, banned)).rejects.toMatchObject({
      type: "BANNED",
    });
    await setMembers(groupId, 500_000);
    await expect(node.call("group.joinListed", { groupId }, await node.guest())).rejects.toMatchObject({
      type: "LIMIT_REACHED",
    });
  });

  test("only managers can list a group, and the audit log has it", async () => {
    const { id: groupId } = room.group;
    await setListed(true);
    const { entries } = await node.call("group.auditLog", { groupId }, room.owner);
    expect(entries[0]).toMatchObject({ action: "group.update", after: { listed: true } });
  });

  test("has the largest groups first, page by page", async () => {
    const rooms = await Promise.all([1, 2, 3, 4].map(() => createRoom(node)));
    const word = `word${room.group.id}`;
    const counts = [7, 9, 7, 8];
    for (const [index, { group, owner }] of rooms.entries()) {
      await node.call("group.update", { groupId: group.id, listed: true, description: word }, owner);
      await setMembers(group.id, counts[index]!);
    }
    const [a, b, c, d] = rooms.map(({ group }) => group.id);
    const expected = [b, d, ...[a!, c!].sort().toReversed()];
    const found: string[] = [];
    let cursor: string | null | undefined;
    for (; cursor !== null;) {
      const page = await list({ query: word, limit: 1, ...(cursor !== undefined && { cursor }) });
      found.push(...page.groups.map(({ id }) => id));
      cursor = page.nextCursor;
    }
    expect(found).toEqual(expected);
  });
});

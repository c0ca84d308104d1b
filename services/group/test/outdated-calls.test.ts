import { groupRoom, userRoom } from "@fanfare/contract";
import { expect, test } from "vitest";
import { node, room, useRoom } from "./group-node.ts";

// A process that was suspended carries out old requests when it continues.

useRoom();

const outdated = { type: "UNAVAILABLE", data: { retryAfterMs: expect.any(Number) } };

/** Milliseconds since the epoch, before anything that follows. */
async function moment(): Promise<number> {
  const nowMs = Date.now();
  while (Date.now() === nowMs) await new Promise(setImmediate);
  return nowMs;
}

const isMember = async (userId: string): Promise<boolean> => {
  const { members } = await node.call("group.listMembers", { groupId: room.group.id }, room.owner);
  return members.some((member) => member.userId === userId);
};

test.each(["group.kick", "group.leave"] as const)(
  "a join requested before a %s is rejected after it",
  async (action) => {
    const member = await room.join();
    const { id: groupId } = room.group;
    const askedAtMs = await moment();
    if (action === "group.kick") await node.call(action, { groupId, userId: member.userId }, room.owner);
    else await node.call(action, { groupId }, member);
    node.out.length = 0;
    await expect(node.call("invite.accept", { code: room.code }, member, askedAtMs)).rejects.toMatchObject(
      outdated,
    );
    // The removal is stored between the first check and the insert of the member.
    const joined = node.call("group.admitBot", { groupId, userId: member.userId }, null, askedAtMs);
    await expect(joined).rejects.toMatchObject(outdated);
    expect(await isMember(member.userId)).toBe(false);
    const entered = { room: userRoom(member.userId), join: [groupRoom(groupId)] };
    expect(node.out).not.toContainEqual(entered);
    const { group } = await node.call("group.get", { groupId }, room.owner);
    expect(group.memberCount).toBe(1);

    // A new request after the removal succeeds.
    await moment();
    await node.call("invite.accept", { code: room.code }, member);
    expect(await isMember(member.userId)).toBe(true);
  },
);

test("a leave requested before the user left and rejoined doesn't end the new membership", async () => {
  const member = await room.join();
  const { id: groupId } = room.group;
  const askedAtMs = await moment();
  await node.call("group.leave", { groupId }, member);
  await moment();
  await node.call("invite.accept", { code: room.code }, member);
  await expect(node.call("group.leave", { groupId }, member, askedAtMs)).rejects.toMatchObject(outdated);
  expect(await isMember(member.userId)).toBe(true);
});

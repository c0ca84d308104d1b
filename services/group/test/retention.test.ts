import { afterAll, beforeAll, expect, test } from "vitest";
import { createRoom, startGroupNode, type GroupNode } from "./group-node.ts";

let node: GroupNode;
beforeAll(async () => {
  node = await startGroupNode();
});
afterAll(() => node.stop());

test("a group's retention is returned, audited, and listed with each of its channels, paginated", async () => {
  const { group, owner, channel } = await createRoom(node);
  const other = await createRoom(node);
  const groupId = group.id;
  expect(group.retentionDays).toBeNull();
  const set = await node.call("group.setRetention", { groupId, days: 30 }, owner);
  expect(set.group.retentionDays).toBe(30);
  const { entries } = await node.call("group.auditLog", { groupId }, owner);
  expect(entries[0]).toMatchObject({ action: "group.setRetention", after: { retentionDays: 30 } });

  const days = new Map<string, number | null>();
  let after: string | null | undefined;
  while (after !== null) {
    const page = { limit: 1, ...(after !== undefined && { afterChannelId: after }) };
    const { channels, nextChannelId } = await node.call("group.listRetention", page);
    for (const one of channels) days.set(one.channelId, one.days);
    after = nextChannelId;
  }
  expect(days.get(channel.id)).toBe(30);
  expect(days.get(other.channel.id)).toBeNull();

  await node.call("group.setRetention", { groupId, days: null }, owner);
  const { channels } = await node.call("group.listRetention", { limit: 200 });
  expect(channels.find(({ channelId }) => channelId === channel.id)?.days).toBeNull();
  for (const wrong of [0, 3651, 1.5])
    await expect(node.call("group.setRetention", { groupId, days: wrong }, owner)).rejects.toMatchObject({
      type: "VALIDATION_FAILED",
    });
});

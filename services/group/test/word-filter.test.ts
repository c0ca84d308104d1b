import { PERMISSIONS } from "@fanfare/contract";
import { beforeEach, expect, test } from "vitest";
import { node, room, useRoom } from "./group-node.ts";

useRoom();
let groupId: string;
beforeEach(() => {
  groupId = room.group.id;
});

const set = (words: string[], onHit: "block" | "mask" = "block") =>
  node.call("group.setWordFilter", { groupId, words, onHit }, room.owner);
const revOf = async (userId: string): Promise<number | undefined> =>
  (await node.call("group.access", { userId, channelId: room.channel.id })).wordFilterRev;

test("access contains the filter, except for members who manage messages", async () => {
  const member = await room.join();
  expect(await revOf(member.userId)).toBeUndefined();
  await set(["bad", "bad"]);
  expect(await node.call("group.getWordFilter", { groupId }, room.owner)).toMatchObject({
    wordFilter: { words: ["bad"], onHit: "block" },
  });
  expect(await revOf(member.userId)).toBe(1);
  expect(await revOf(room.owner.userId)).toBeUndefined();
  const permissions = PERMISSIONS.manageMessages;
  const { role } = await node.call("role.create", { groupId, name: "Helpers", permissions }, room.owner);
  await node.call("role.assign", { groupId, userId: member.userId, roleId: role.id }, room.owner);
  expect(await revOf(member.userId)).toBeUndefined();
});

test("an empty list removes the filter, and a later one has a higher rev", async () => {
  const member = await room.join();
  await set(["bad"]);
  await set([]);
  expect(await revOf(member.userId)).toBeUndefined();
  await set(["worse"], "mask");
  expect(await revOf(member.userId)).toBe(3);
  const { entries } = await node.call("group.auditLog", { groupId }, room.owner);
  expect(entries[0]).toMatchObject({
    action: "group.setWordFilter",
    after: { words: ["worse"], onHit: "mask" },
  });
});

test("when filters are set concurrently, the last one wins", async () => {
  const member = await room.join();
  await Promise.all(["a", "b", "c", "d"].map((word) => set([word])));
  expect(await revOf(member.userId)).toBe(4);
});

test("concurrent changes of the words and of what happens are both kept", async () => {
  const change = (changes: { words: string[] } | { onHit: "mask" }) =>
    node.call("group.setWordFilter", { groupId, ...changes }, room.owner);
  await Promise.all([change({ words: ["bad"] }), change({ onHit: "mask" })]);
  const { wordFilter } = await node.call("group.getWordFilter", { groupId }, room.owner);
  expect(wordFilter).toMatchObject({ words: ["bad"], onHit: "mask" });
});

test("rejects too many, too long and empty words", async () => {
  const many = Array.from({ length: 201 }, (_, n) => `word${n}`);
  for (const words of [many, ["x".repeat(51)], [""], ["  "], ["..."]])
    await expect(set(words)).rejects.toMatchObject({ type: "VALIDATION_FAILED" });
});

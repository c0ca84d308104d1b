import { newId } from "@fanfare/kernel";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createThreadRepository, type ThreadDocument } from "../src/channel/channel.repository.ts";
import { startGroupNode, type GroupNode } from "./group-node.ts";

let node: GroupNode;
beforeAll(async () => {
  node = await startGroupNode();
});
afterAll(() => node.stop());

const thread = (rootMessageId: string, lastActivityAt = new Date()): ThreadDocument => ({
  _id: newId(),
  kind: "thread",
  name: "",
  position: 0,
  parentId: "a".repeat(24),
  parentGroupId: "b".repeat(24),
  rootMessageId,
  createdBy: newId(),
  threadState: "open",
  createdAt: new Date(),
  lastActivityAt,
});

test("a message has one thread, and can get another one once that is marked deleted", async () => {
  const threads = createThreadRepository(node.node.database);
  const root = newId();
  const [first, second] = [thread(root), thread(root)];
  expect([await threads.insert(first), await threads.insert(second)]).toEqual([true, false]);
  expect(await threads.markDeleted(first._id)).toBe(true);
  expect(await threads.markDeleted(first._id)).toBe(false);
  expect(await threads.findByRoot(root)).toBeNull();
  expect(await threads.insert(second)).toBe(true);
  expect((await threads.findByRoot(root))?._id).toEqual(second._id);
});

test("lists threads with equal times once each across pages", async () => {
  const threads = createThreadRepository(node.node.database);
  const parentId = newId();
  const at = new Date(1000);
  const made = Array.from({ length: 5 }, () => ({ ...thread(newId(), at), parentId }));
  for (const one of made) await threads.insert(one);
  const listed: string[] = [];
  for (;;) {
    const channelId = listed.at(-1);
    const before = channelId === undefined ? undefined : { lastActivityAt: at, channelId };
    const page = await threads.list(parentId, "open", before, 2);
    if (page.length === 0) break;
    listed.push(...page.map(({ _id }) => _id));
  }
  expect(listed).toEqual(made.map(({ _id }) => _id).toReversed());
});

import { Types } from "mongoose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createThreadRepository, type ThreadDocument } from "../src/thread.repository.ts";
import { startGroupNode, type GroupNode } from "./group-node.ts";

let node: GroupNode;
beforeAll(async () => {
  node = await startGroupNode();
});
afterAll(() => node.stop());

const thread = (rootMessageId: Types.ObjectId, lastActivityAt = new Date()): ThreadDocument => ({
  _id: new Types.ObjectId(),
  kind: "thread",
  name: "",
  position: 0,
  parentId: new Types.ObjectId("a".repeat(24)),
  parentGroupId: new Types.ObjectId("b".repeat(24)),
  rootMessageId,
  createdBy: new Types.ObjectId(),
  threadState: "open",
  createdAt: new Date(),
  lastActivityAt,
});

test("a message has one thread, and another one as soon as that is marked deleted", async () => {
  const threads = createThreadRepository(node.node.database);
  const root = new Types.ObjectId();
  const [first, second] = [thread(root), thread(root)];
  expect([await threads.insert(first), await threads.insert(second)]).toEqual([true, false]);
  expect(await threads.markDeleted(first._id.toHexString())).toBe(true);
  expect(await threads.markDeleted(first._id.toHexString())).toBe(false);
  expect(await threads.findByRoot(root.toHexString())).toBeNull();
  expect(await threads.insert(second)).toBe(true);
  expect((await threads.findByRoot(root.toHexString()))?._id).toEqual(second._id);
});

test("threads of the same time are listed each once over pages", async () => {
  const threads = createThreadRepository(node.node.database);
  const parentId = new Types.ObjectId();
  const at = new Date(1000);
  const made = Array.from({ length: 5 }, () => ({ ...thread(new Types.ObjectId(), at), parentId }));
  for (const one of made) await threads.insert(one);
  const listed: string[] = [];
  for (;;) {
    const channelId = listed.at(-1);
    const before = channelId === undefined ? undefined : { lastActivityAt: at, channelId };
    const page = await threads.list(parentId.toHexString(), "open", before, 2);
    if (page.length === 0) break;
    listed.push(...page.map(({ _id }) => _id.toHexString()));
  }
  expect(listed).toEqual(made.map(({ _id }) => _id.toHexString()).toReversed());
});

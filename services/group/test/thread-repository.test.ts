import { newId } from "@fanfare/kernel";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createThreadRepository, type ThreadDocument } from "../src/channel/thread.repository.ts";
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

test("lists active threads of several groups by activity, each group after its own cursor", async () => {
  const threads = createThreadRepository(node.node.database);
  const [one, two, third] = [newId(), newId(), newId()];
  const write = async (parentGroupId: string, ms: number): Promise<string> => {
    const written = { ...thread(newId(), new Date(ms)), parentGroupId };
    await threads.insert(written);
    return written._id;
  };
  const [a, b, c] = [await write(one, 1000), await write(two, 2000), await write(one, 3000)];
  const [d, e] = [await write(two, 3000), await write(third, 1500)];
  const after = (groupId: string, ms: number, channelId = "0".repeat(24)) => ({
    groupId,
    after: { lastActivityAt: new Date(ms), channelId },
  });
  const list = async (groups: ReturnType<typeof after>[], limit = 10) =>
    (await threads.listActive(groups, limit)).map(({ _id }) => _id);
  expect(await list([])).toEqual([]);
  expect(await list([after(one, 0)])).toEqual([a, c]);
  expect(await list([after(one, 1000, a)])).toEqual([c]);
  expect(await list([after(one, 0), after(two, 0)])).toEqual([a, b, c, d]);
  expect(await list([after(one, 1000, a), after(two, 2000, b), after(third, 0)])).toEqual([e, c, d]);
  expect(await list([after(one, 0), after(two, 0), after(third, 1600)], 3)).toEqual([a, b, c]);
  expect(await list([after(two, 0), after(one, 0)], 1)).toEqual([a]);
  await threads.markDeleted(c);
  expect(await list([after(one, 0), after(two, 2500)])).toEqual([a, d]);
});

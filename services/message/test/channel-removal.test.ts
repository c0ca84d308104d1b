import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ChannelHeadRepository } from "../src/channel-head.repository.ts";
import { ChannelRemovalRepository } from "../src/channel-removal.repository.ts";
import { ChannelRemover } from "../src/channel-remover.ts";
import { MessageRepository } from "../src/message.repository.ts";
import { ReadMarkerRepository } from "../src/read-marker.repository.ts";
import { startMessageNode, type MessageNode } from "./message-node.ts";

const removed = "c".repeat(24);
const kept = "d".repeat(24);
const userId = "a".repeat(24);

async function fill(node: MessageNode, channelId: string, count: number): Promise<void> {
  const send = (i: number) =>
    node.as(userId, "message.send", { channelId, content: `${i}`, nonce: `${channelId} ${i}` });
  await Promise.all(Array.from({ length: count }, (_, i) => send(i)));
  await node.as(userId, "channel.markRead", { channelId, seq: 1 });
}

async function count(node: MessageNode): Promise<Record<string, number>> {
  const names = ["messages", "channelHeads", "readMarkers"];
  const counts = names.map(async (name) => [
    name,
    await node.node.database.collection(name).countDocuments({}),
  ]);
  return Object.fromEntries((await Promise.all(counts)) as [string, number][]);
}

test("a removed channel loses its messages, head and markers; the others keep theirs", async () => {
  const dir = await mkdtemp(join(tmpdir(), "fanfare-removal-"));
  const node = await startMessageNode({ DATA_DIR: dir });
  await fill(node, removed, 1200);
  await fill(node, kept, 3);
  await node.node.call("message.removeChannels", { channelIds: [removed] });
  await node.node.call("message.removeChannels", { channelIds: [removed] });
  await expect
    .poll(() => count(node), { timeout: 10_000 })
    .toEqual({
      messages: 3,
      channelHeads: 1,
      readMarkers: 1,
    });
  await node.stop();
  await rm(dir, { recursive: true });
});

test("a removal that a restart interrupted is taken up again, and what came in late goes too", async () => {
  const dir = await mkdtemp(join(tmpdir(), "fanfare-removal-"));
  let node = await startMessageNode({ DATA_DIR: dir });
  await fill(node, removed, 5);
  const { ObjectId } = node.node.database.base.Types;
  // As a process leaves it that noted the removal and was killed.
  await node.node.database
    .collection<{ _id: InstanceType<typeof ObjectId>; requestedAt: Date }>("channelRemovals")
    .insertOne({ _id: new ObjectId(removed), requestedAt: new Date(Date.now() - 60_000) });
  await node.stop();
  node = await startMessageNode({ DATA_DIR: dir });
  await expect
    .poll(() => count(node), { timeout: 10_000 })
    .toEqual({
      messages: 0,
      channelHeads: 0,
      readMarkers: 0,
    });
  const removals = node.node.database.collection("channelRemovals");
  await expect.poll(() => removals.countDocuments({}), { timeout: 10_000 }).toBe(0);
  await node.stop();
  await rm(dir, { recursive: true });
});

test("what a worker that died has left is found by the others, also when one of them fails", async () => {
  const dir = await mkdtemp(join(tmpdir(), "fanfare-removal-"));
  const node = await startMessageNode({ DATA_DIR: dir });
  const { database } = node.node;
  const messages = new MessageRepository(database);
  const removals = new ChannelRemovalRepository(database);
  const faults: unknown[] = [];
  let failures = 2;
  const removers = Array.from({ length: 3 }, () => {
    return new ChannelRemover({
      messages: {
        async deleteSome(channelId, limit) {
          if (failures-- > 0) throw new Error("the database is away");
          return messages.deleteSome(channelId, limit);
        },
      },
      others: [new ReadMarkerRepository(database)],
      heads: new ChannelHeadRepository(database),
      removals,
      logger: { error: (fault: unknown) => faults.push(fault) },
      forget: () => undefined,
      graceMs: 100,
      lookEveryMs: 50,
    });
  });
  for (const remover of removers) remover.start();
  await fill(node, removed, 600);
  await fill(node, kept, 3);
  // As a worker leaves it that noted the removal and was killed, while the others go on.
  await removals.add([removed], new Date());
  await expect
    .poll(() => count(node), { timeout: 10_000 })
    .toEqual({ messages: 3, channelHeads: 1, readMarkers: 1 });
  await expect
    .poll(() => database.collection("channelRemovals").countDocuments({}), { timeout: 10_000 })
    .toBe(0);
  expect(faults.length).toBe(2);
  await Promise.all(removers.map((remover) => remover.close()));
  await node.stop();
  await rm(dir, { recursive: true });
});

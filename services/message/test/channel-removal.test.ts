import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
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

test("removing a channel deletes its messages, head and markers; others keep theirs", async () => {
  const dir = await mkdtemp(join(tmpdir(), "fanfare-removal-"));
  const node = await startMessageNode({ DATA_DIR: dir });
  await fill(node, removed, 1200);
  await fill(node, kept, 3);
  await node.node.services.message.removeChannels({ channelIds: [removed] });
  await node.node.services.message.removeChannels({ channelIds: [removed] });
  await expect
    .poll(() => count(node))
    .toEqual({
      messages: 3,
      channelHeads: 1,
      readMarkers: 1,
    });
  await node.stop();
  await rm(dir, { recursive: true });
});

test("late writes are deleted too, also when the process was killed in between", async () => {
  const dir = await mkdtemp(join(tmpdir(), "fanfare-removal-"));
  let node = await startMessageNode({ DATA_DIR: dir });
  await node.node.services.message.removeChannels({ channelIds: [removed] });
  const jobs = () => node.node.database.collection("jobs");
  const job = { kind: "message.removeChannel", key: removed };
  // Until the first run is done; the second one follows when no late write can arrive any more.
  await expect.poll(() => jobs().countDocuments({ ...job, dueAt: { $gt: new Date() } })).toBe(1);
  await fill(node, removed, 5);
  // The state left by a process that was killed at the start of the second run.
  const inAMoment = new Date(Date.now() + 100);
  await jobs().updateOne(job, {
    $set: { dueAt: new Date(0), heldUntil: inAMoment, "payload.requestedAt": new Date(0), fence: 9 },
  });
  await node.stop();
  node = await startMessageNode({ DATA_DIR: dir });
  await expect.poll(() => count(node)).toEqual({ messages: 0, channelHeads: 0, readMarkers: 0 });
  await expect.poll(() => jobs().countDocuments(job)).toBe(0);
  await node.stop();
  await rm(dir, { recursive: true });
});

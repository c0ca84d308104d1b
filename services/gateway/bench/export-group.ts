import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig, type NodeContext } from "@fanfare/kernel";
import { startFanfare } from "@fanfare/node";
import { createWorld } from "@fanfare/testing";
import { Types } from "mongoose";

// Measures the duration of a group export by HTTP, and the memory used by this process:
//   node services/gateway/bench/export-group.ts [messages]

const BATCH = 2000;
const MEGABYTE = 1024 * 1024;
const total = Number(process.argv[2] ?? 100_000);

const dir = await mkdtemp(join(tmpdir(), "fanfare-bench-"));
const env = { NODE_ENV: "test", PORT: "0", OPS_PORT: "0", DATA_DIR: dir, GATEWAY_THREADS: "0" };
const fanfare = await startFanfare(loadConfig({ ...env, LOG_LEVEL: "error" }));
try {
  const { owner, group, channel } = await createWorld(fanfare.url);
  const messages = (fanfare.context as NodeContext).database.collection("messages");
  const authors = Array.from({ length: 1000 }, () => new Types.ObjectId());
  for (let from = 2; from < total + 2; from += BATCH) {
    const size = Math.min(BATCH, total + 2 - from);
    await messages.insertMany(
      Array.from({ length: size }, (_, n) => ({
        channelId: new Types.ObjectId(channel.id),
        seq: from + n,
        rev: from + n,
        revs: [from + n],
        authorId: authors[(from + n) % authors.length],
        content: `Message ${from + n} says what messages say on a day like this, in some twenty words or so.`,
        replyTo: null,
        nonce: `n${from + n}`,
        createdAt: new Date(),
        editedAt: null,
        deletedAt: null,
      })),
    );
  }
  const heldBefore = process.memoryUsage().rss;
  const beganMs = performance.now();
  const headers = { authorization: `Bearer ${owner.accessToken}` };
  const response = await fetch(`${fanfare.url}/api/group.export?groupId=${group.id}`, { headers });
  let bytes = 0;
  let most = heldBefore;
  for await (const chunk of response.body!) {
    bytes += (chunk as Uint8Array).length;
    most = Math.max(most, process.memoryUsage.rss());
  }
  const seconds = (performance.now() - beganMs) / 1000;
  console.log(
    `${total} messages: ${seconds.toFixed(1)} s, ${Math.round(total / seconds)} messages/s, ` +
      `${(bytes / MEGABYTE).toFixed(0)} MB; held ${(heldBefore / MEGABYTE).toFixed(0)} MB before, ${(most / MEGABYTE).toFixed(0)} MB at most`,
  );
} finally {
  await fanfare.stop();
  await rm(dir, { recursive: true, force: true });
}

// The cost of many users reacting to one message.
// node services/message/bench/reactions.ts [--users 10000] [--inFlight 200]
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startMessageNode } from "../test/message-node.ts";

const { values } = parseArgs({
  options: { users: { type: "string", default: "10000" }, inFlight: { type: "string", default: "200" } },
});
const users = Number(values.users);
const channelId = "c".repeat(24);
const author = "a".repeat(24);

const dir = await mkdtemp(join(tmpdir(), "fanfare-bench-"));
const node = await startMessageNode({ DATA_DIR: dir });
try {
  const { message } = await node.as(author, "message.send", {
    channelId,
    content: "All of you!",
    nonce: "1",
  });
  const one = { channelId, messageId: message.id };
  const get = async () => (await node.as(author, "message.get", one)).message;
  const began = performance.now();
  const latencies: number[] = [];
  let next = 0;
  const reactor = async (): Promise<void> => {
    while (next < users) {
      const userId = `b${(next++).toString(16).padStart(23, "0")}`;
      const from = performance.now();
      await node.as(userId, "message.react", { ...one, emoji: "👍" });
      latencies.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: Number(values.inFlight) }, reactor));
  const seconds = (performance.now() - began) / 1000;
  while ((await get()).reactions?.[0]?.count !== users) await sleep(50);
  const shownAfter = (performance.now() - began) / 1000;
  latencies.sort((a, b) => a - b);
  const events = node.published.filter(({ name }) => name === "reaction.changed");
  const largest = Math.max(...events.map(({ payload }) => JSON.stringify(payload).length));
  console.log(
    `${users} reactions in ${seconds.toFixed(1)} s (p50 ${latencies[users >> 1]!.toFixed(0)} ms), ` +
      `all shown after ${shownAfter.toFixed(1)} s; ${(await get()).rev - message.rev} changes, ` +
      `${events.length} events of at most ${largest} bytes`,
  );
  const from = performance.now();
  await node.as(author, "message.react", { ...one, emoji: "👍" });
  while ((await get()).reactions?.[0]?.count !== users + 1) await sleep(1);
  console.log(`one more is shown after ${(performance.now() - from).toFixed(0)} ms`);
} finally {
  await node.stop();
  await rm(dir, { recursive: true });
}

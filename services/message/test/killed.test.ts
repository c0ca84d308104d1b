import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { readAll } from "./channel-reader.ts";
import { startMessageNode } from "./message-node.ts";

const channelId = "c".repeat(24);
const userId = "a".repeat(24);
const KILLS = 3;
const ACKNOWLEDGED_BEFORE_KILL = 300;

/** Starts a sender, kills it under load, and returns the acknowledged messages. */
async function sendUntilKilled(dir: string, run: number): Promise<string[]> {
  const script = fileURLToPath(new URL("killed-sender.ts", import.meta.url));
  const child = spawn(process.execPath, [script, dir, channelId, `${run}`], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const acknowledged: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    acknowledged.push(line);
    if (acknowledged.length === ACKNOWLEDGED_BEFORE_KILL) child.kill("SIGKILL");
  }
  await exited;
  return acknowledged;
}

test("everything acknowledged before a kill -9 is there afterwards, once, and the numbers have no holes", async () => {
  const dir = await mkdtemp(join(tmpdir(), "fanfare-killed-"));
  const acknowledged: string[] = [];
  for (let run = 0; run < KILLS; run++) acknowledged.push(...(await sendUntilKilled(dir, run)));
  expect(acknowledged.length).toBeGreaterThanOrEqual(KILLS * ACKNOWLEDGED_BEFORE_KILL);

  const node = await startMessageNode({ DATA_DIR: dir });
  const stored = await readAll(node, userId, channelId);
  const lines = new Set(stored.map(({ id, seq, nonce }) => `${id} ${seq} ${nonce}`));
  expect(acknowledged.filter((line) => !lines.has(line))).toEqual([]);
  for (const numbers of [stored.map(({ seq }) => seq), stored.map(({ rev }) => rev)]) {
    expect(numbers).toEqual(stored.map((_, i) => i + 1));
  }
  // Unacknowledged messages can be retried: each exists once, whether it was stored or not.
  const repeated = Array.from({ length: 16 }, async (_, sender) => {
    const last = acknowledged.filter((line) => line.includes(` ${KILLS - 1}/${sender}/`)).length;
    const nonce = `${KILLS - 1}/${sender}/${last}`;
    await node.as(userId, "message.send", { channelId, content: nonce, nonce });
    return nonce;
  });
  const sent = await Promise.all(repeated);
  const nonces = (await readAll(node, userId, channelId)).map(({ nonce }) => nonce);
  expect(sent.filter((nonce) => !nonces.includes(nonce))).toEqual([]);
  expect(new Set(nonces).size).toBe(nonces.length);
  await node.stop();
  await rm(dir, { recursive: true });
});

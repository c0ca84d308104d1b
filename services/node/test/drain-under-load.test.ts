import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { WireAnswer } from "@fanfare/contract";
import { createWorld, must, type ServerProcess } from "@fanfare/testing";
import { startNewDatabase } from "../../../test/support/new-database.ts";
import { startNode } from "../../../test/support/node-process.ts";
import { io } from "socket.io-client";
import { afterAll, beforeAll, expect, test } from "vitest";

const MESSAGES = 60;
/** Long enough that a shutdown that doesn't wait for calls would have closed the connection. */
const SLOW_MS = 1500;

let folder: string;
let database: ServerProcess;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fanfare-drain-"));
  database = await startNewDatabase();
});
afterAll(async () => {
  await database?.stop();
  await rm(folder, { recursive: true, force: true });
});

const startServer = (threads: string) =>
  startNode({ folder, env: { MONGO_URL: database.url, GATEWAY_THREADS: threads } });

const TIMEOUT_MS = 240_000;

test(
  "stored messages are acknowledged before the connections close, also when the database is slow",
  { timeout: TIMEOUT_MS },
  async () => {
    const server = await startServer("2");
    const { channel, owner } = await createWorld(server.url);
    const socket = io(server.url, {
      transports: ["websocket"],
      auth: { token: owner.accessToken },
      reconnection: false,
    });
    await new Promise((resolve) => socket.once("ready", resolve));
    const answers: (WireAnswer<unknown> | undefined)[] = Array.from({ length: MESSAGES });
    let closed = false;
    socket.once("disconnect", () => (closed = true));
    const draining = new Promise((resolve) => socket.once("server.draining", resolve));

    database.freeze();
    for (let i = 0; i < MESSAGES; i += 1) {
      const params = { channelId: channel.id, content: `Message ${i}`, nonce: `n${i}` };
      socket.emit("message.send", params, (answer: WireAnswer<unknown>) => (answers[i] = answer));
    }
    // Calls of one socket are read in order, so the server has read all of them.
    const last = socket.emitWithAck("message.list", { channelId: "not an id" }) as Promise<{ ok: boolean }>;
    expect((await last).ok).toBe(false);
    process.kill(server.process.pid!, "SIGTERM");
    await draining;
    await delay(SLOW_MS);
    expect(closed).toBe(false);
    database.thaw();
    await server.process.exit();
    await expect.poll(() => closed).toBe(true);
    expect(answers.filter((answer) => answer === undefined)).toEqual([]);

    const again = await startServer("0");
    const { messages } = await must(
      again.url,
      "message.list",
      { channelId: channel.id, limit: 100 },
      owner.accessToken,
    );
    const nonces = new Set(messages.map(({ nonce }) => nonce));
    expect(answers.filter((answer, i) => answer?.ok === true && !nonces.has(`n${i}`))).toEqual([]);
    expect(answers.some((answer) => answer?.ok === true)).toBe(true);
    await again.process.stop();
  },
);

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createGuest, must } from "@fanfare/testing";
import { startNode, type FanfareNode } from "../../../test/support/node-process.ts";
import { io, type Socket } from "socket.io-client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

// Starting processes takes long on a busy machine.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 60_000 });

const PRELOAD = new URL("throw-on-request.mjs", import.meta.url).href;

let folder: string;
let node: FanfareNode | undefined;
let socket: Socket | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "fanfare-uncaught-"));
});
afterEach(async () => {
  socket?.close();
  await node?.process.stop();
  await rm(folder, { recursive: true, force: true });
});

const FAILURES: { file: string; threads: string; logged: string; tags?: string[] }[] = [
  { file: "main-exception", threads: "0", logged: "uncaught exception", tags: ["long"] },
  { file: "main-rejection", threads: "2", logged: "unhandled rejection", tags: ["long"] },
  { file: "thread-exception", threads: "1", logged: "uncaught exception" },
];

for (const { file, threads, logged, tags = [] } of FAILURES)
  test(`${file}: is logged, clients are disconnected, and the process exits with 70`, { tags }, async () => {
    const env = {
      NODE_OPTIONS: `--import=${PRELOAD}`,
      THROW_ON_REQUEST: folder,
      GATEWAY_THREADS: threads,
    };
    node = await startNode({ folder, env });
    const { accessToken } = await createGuest(node.url);
    socket = io(node.url, { transports: ["websocket"], auth: { token: accessToken }, reconnection: false });
    await new Promise((resolve) => socket!.once("ready", resolve));
    const events: string[] = [];
    socket.onAny((name: string) => events.push(name));
    const left = new Promise((resolve) => socket!.once("disconnect", resolve));

    await writeFile(join(folder, file), "");
    expect(await node.process.exit()).toEqual({ code: 70, signal: null });
    await left;
    expect(events).toContain("server.draining");
    const lines = (await readFile(node.process.logFile, "utf8")).split("\n");
    const fatal = lines.filter((line) => line.includes('"level":"fatal"')).map((line) => JSON.parse(line));
    expect(fatal[0]).toMatchObject({ msg: logged, err: { message: expect.stringContaining("provoked") } });

    // A supervisor can restart it: nothing blocks the next start.
    await rm(join(folder, file));
    await node.process.start();
    await must(node.url, "user.me", {}, accessToken);
  });

const ENDED_THREADS = [
  { file: "thread-exit", does: "ends", logged: "a gateway thread has ended" },
  { file: "thread-hang", does: "hangs", logged: "it did not respond for 30 s", tags: ["long"] },
];

for (const { file, does, logged, tags = [] } of ENDED_THREADS)
  test(
    `a gateway thread ${does}: the process exits with 70, so that a supervisor restarts it`,
    { tags },
    async () => {
      const env = { NODE_OPTIONS: `--import=${PRELOAD}`, THROW_ON_REQUEST: folder, GATEWAY_THREADS: "2" };
      node = await startNode({ folder, env });
      await writeFile(join(folder, file), "");
      expect(await node.process.exit()).toEqual({ code: 70, signal: null });
      expect(await readFile(node.process.logFile, "utf8")).toContain(logged);
    },
  );

import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { Agent, request } from "node:http";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { FileUrl, StoredFile, WireAnswer } from "@fanfare/contract";
import { createWorld, isInstalled, must, type World } from "@fanfare/testing";
import { startNode, type FanfareNode } from "../../../test/support/node-process.ts";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";

// Starting a process takes long on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 300_000 });

const MAX_OPEN_FILES = 400;

let folder: string;
let node: FanfareNode;
let world: World;
/** A persistent connection: without file descriptors no other is accepted. */
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fanfare-open-files-"));
  await mkdir(join(folder, "web"));
  await writeFile(join(folder, "web", "index.html"), "<!doctype html><title>Fanfare</title>");
  const env = { WEB_DIR: join(folder, "web"), GATEWAY_THREADS: "0" };
  node = await startNode({ folder, env, maxOpenFiles: MAX_OPEN_FILES });
  world = await createWorld(node.url);
  // Opens the persistent connection.
  await upload(10);
});
afterAll(async () => {
  agent.destroy();
  await node?.process.stop();
  await rm(folder, { recursive: true, force: true });
});

interface Answer {
  status: number;
  body: string;
}

async function ask(path: string, body?: Buffer): Promise<Answer> {
  const headers = { authorization: `Bearer ${world.member.accessToken}`, accept: "text/html" };
  const asking = request(new URL(path, node.url), { agent, method: body ? "POST" : "GET", headers });
  asking.end(body);
  const [response] = await once(asking, "response");
  return { status: response.statusCode, body: await text(response) };
}

const upload = (bytes: number) =>
  ask(`/api/file.upload?channelId=${world.channel.id}&name=a.txt`, Buffer.alloc(bytes, "a"));

async function metric(name: string): Promise<number> {
  const metrics = await (await fetch(`${node.opsUrl}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(metrics)?.[1]);
}

test("reserves file descriptors for files, and logs what to do", async () => {
  const log = await readFile(node.process.logFile, "utf8");
  const max = await metric("fanfare_connections_max");
  expect(max).toBeGreaterThan(50);
  expect(log).toContain(`only ${max} connections of MAX_CONNECTIONS=50000 are accepted`);
  expect(log).toContain("ulimit -n 55500");

  let closed = 0;
  const sockets: Socket[] = [];
  try {
    for (let count = 0; count < MAX_OPEN_FILES; count += 1) {
      // Stays below the limit per address.
      const socket = connect({
        port: node.process.port,
        host: "127.0.0.1",
        localAddress: `127.0.1.${1 + (count % 50)}`,
      });
      socket.on("error", () => undefined).on("close", () => (closed += 1));
      await once(socket, "connect");
      sockets.push(socket);
    }
    await vi.waitFor(() => expect(closed).toBeGreaterThan(MAX_OPEN_FILES - max - 100), 30_000);
    // The connection of this test was opened before.
    for (let count = 0; count < 20; count += 1) expect((await upload(10)).status).toBe(200);
    expect(await metric("process_open_fds")).toBeLessThan(MAX_OPEN_FILES - 50);
  } finally {
    for (const socket of sockets) socket.destroy();
  }
});

describe.skipIf(!isInstalled("prlimit"))("without a free file descriptor", () => {
  const UNAVAILABLE = {
    ok: false,
    error: { type: "UNAVAILABLE", retryable: true, data: { retryAfterMs: expect.any(Number) } },
  };
  const limitTo = (count: number): void =>
    void execFileSync("prlimit", ["--pid", String(node.process.pid), `--nofile=${count}:${MAX_OPEN_FILES}`]);

  test("uploads, downloads and the page return UNAVAILABLE, and work again afterwards", async () => {
    const small = await upload(10);
    expect(small.status).toBe(200);
    const { data } = JSON.parse(small.body) as Extract<WireAnswer<{ file: StoredFile }>, { ok: true }>;
    const { url }: FileUrl = await must(
      node.url,
      "file.getUrl",
      { fileId: data.file.fileId },
      world.member.accessToken,
    );
    expect(await ask(url)).toMatchObject({ status: 200, body: "a".repeat(10) });
    expect((await ask("/")).status).toBe(200);

    // Open descriptors stay open.
    limitTo(3);
    try {
      // The second is rejected before all of it has arrived.
      for (const bytes of [10, 8 * 1024 * 1024]) {
        const { status, body } = await upload(bytes);
        expect([status, JSON.parse(body)]).toMatchObject([503, UNAVAILABLE]);
      }
      for (const path of [url, "/"]) {
        const { status, body } = await ask(path);
        expect([status, JSON.parse(body)]).toMatchObject([503, UNAVAILABLE]);
      }
    } finally {
      limitTo(MAX_OPEN_FILES);
    }
    expect((await upload(10)).status).toBe(200);
    expect((await ask(url)).status).toBe(200);
    expect((await ask("/")).status).toBe(200);
  });
});

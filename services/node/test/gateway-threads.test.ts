import { readFile } from "node:fs/promises";
import { ACTIONS } from "@fanfare/contract";
import { createGuest, createWorld, must, post } from "@fanfare/testing";
import { startInstance, type Instance } from "../../../test/support/instance.ts";
import { startNode } from "../../../test/support/node-process.ts";
import { io, type Socket } from "socket.io-client";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

const THREADS = 3;
const SOCKETS = 45;

let instance: Instance;
const open: Socket[] = [];

beforeAll(async () => {
  instance = await startInstance({ GATEWAY_THREADS: String(THREADS) });
});
afterAll(async () => {
  for (const socket of open) socket.close();
  await instance?.stop();
});

async function connect(token: string): Promise<Socket> {
  const socket = io(instance.url, { transports: ["websocket"], auth: { token }, forceNew: true });
  open.push(socket);
  await next(socket, "ready");
  return socket;
}

function next(socket: Socket, event: string): Promise<unknown> {
  return new Promise((resolve) => socket.once(event, resolve));
}

/** Sums a metric over all label sets. */
async function metric(pattern: RegExp): Promise<number> {
  const text = await (await fetch(`${instance.opsUrl}/metrics`)).text();
  const lines = text.split("\n").filter((line) => pattern.test(line));
  return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}

test("connections are distributed over the threads, and all of them receive a message", async () => {
  const { member, channel } = await createWorld(instance.url);
  const sockets = await Promise.all(Array.from({ length: SOCKETS }, () => connect(member.accessToken)));
  expect(await metric(/^fanfare_connections /)).toBe(SOCKETS);

  const received = /^fanfare_bus_received_total\{.*members/;
  let nonces = 0;
  // Repeated if another event arrives first: joins are published a moment later.
  await vi.waitFor(async () => {
    const before = await metric(received);
    const events = Promise.all(sockets.map((socket) => next(socket, "message.created")));
    const params = { channelId: channel.id, content: "To all threads.", nonce: String((nonces += 1)) };
    const answer = (await sockets[0]!.emitWithAck("message.send", params)) as { ok: boolean };
    expect(answer.ok).toBe(true);
    for (const payload of await events) {
      expect(payload).toMatchObject({ messages: [{ content: "To all threads." }] });
    }
    expect((await metric(received)) - before).toBe(THREADS);
  });
});

test("a kicked user receives nothing more, on any thread", async () => {
  const { owner, target, group, channel } = await createWorld(instance.url);
  const sockets = await Promise.all(Array.from({ length: 12 }, () => connect(target.accessToken)));
  const left = Promise.all(sockets.map((socket) => next(socket, "group.left")));
  let received = 0;
  for (const socket of sockets) socket.on("message.created", () => (received += 1));
  await must(instance.url, "group.kick", { groupId: group.id, userId: target.userId }, owner.accessToken);
  await left;
  const params = { channelId: channel.id, content: "Is he gone?", nonce: "gone" };
  await must(instance.url, "message.send", params, owner.accessToken);
  for (const socket of sockets) {
    const answer = (await socket.emitWithAck("message.send", { ...params, nonce: "still" })) as {
      ok: boolean;
    };
    expect(answer.ok).toBe(false);
  }
  expect(received).toBe(0);
});

test("ending a session closes its sockets on every thread", async () => {
  const guest = await createGuest(instance.url);
  const sockets = await Promise.all(Array.from({ length: 12 }, () => connect(guest.accessToken)));
  const closed = Promise.all(sockets.map((socket) => next(socket, "disconnect")));
  await must(instance.url, "user.logoutAll", {}, guest.accessToken);
  await closed;
  for (let i = 0; i < 12; i++) {
    expect(await post(instance.url, "user.me", {}, guest.accessToken)).toMatchObject({ ok: false });
  }
});

test("limits apply to all threads together", { tags: "long" }, async () => {
  // Within an hour, so that no machine is too slow.
  const { points } = ACTIONS["user.requestPasswordReset"].rateLimit;
  let allowed = 0;
  // A thread without a response in time counts separately, and logs that: then once more.
  for (let isDegraded = true; isDegraded;) {
    const limited = await startNode({
      name: "limited",
      env: { GATEWAY_THREADS: "2", RATE_LIMIT_FACTOR: "1" },
    });
    try {
      // Over many connections, to reach all threads.
      const answers: Awaited<ReturnType<typeof post>>[] = [];
      while (answers.length < points * 4) {
        const calls = Array.from({ length: 10 }, (_, n) =>
          post(limited.url, "user.requestPasswordReset", { email: `a${answers.length + n}@example.org` }),
        );
        answers.push(...(await Promise.all(calls)));
      }
      const refused = answers.filter((answer) => !answer.ok && answer.error.type === "RATE_LIMITED");
      allowed = answers.length - refused.length;
      const logged = await readFile(limited.process.logFile, "utf8");
      isDegraded = logged.includes("shared rate limits unavailable");
    } finally {
      await limited.process.stop();
    }
  }
  expect(allowed).toBe(points);
});

test(
  "limits the sockets of one address exactly, across all threads",
  { tags: "long", timeout: 600_000 },
  async () => {
    const max = 20;
    const env = { GATEWAY_THREADS: "3", MAX_CONNECTIONS_PER_ADDRESS: String(max), RATE_LIMIT_FACTOR: "1000" };
    const limited = await startInstance(env);
    const { accessToken } = await createGuest(limited.url);
    const sockets: Socket[] = [];
    const outcomeOf = (localAddress: string): Promise<string> => {
      const options = { transports: ["websocket"], auth: { token: accessToken }, localAddress };
      const socket = io(limited.url, { ...options, forceNew: true, reconnection: false });
      sockets.push(socket);
      return Promise.race([
        next(socket, "ready").then(() => "ready"),
        next(socket, "connect_error").then((error) => (error as Error).message),
      ]);
    };
    const ready = async (count: number, localAddress: string): Promise<number> => {
      const outcomes = await Promise.all(Array.from({ length: count }, () => outcomeOf(localAddress)));
      expect(outcomes.filter((outcome) => !["ready", "OVERLOADED"].includes(outcome))).toEqual([]);
      return outcomes.filter((outcome) => outcome === "ready").length;
    };
    try {
      expect(await ready(60, "127.0.0.2")).toBe(max);
      expect(await ready(5, "127.0.0.3")).toBe(5);
      for (const socket of sockets.splice(0)) socket.close();
      // A closed connection frees its place for all threads.
      let again = 0;
      await vi.waitFor(
        async () => {
          again += await ready(max - again, "127.0.0.2");
          expect(again).toBe(max);
        },
        { timeout: 60_000, interval: 200 },
      );
      expect(await ready(10, "127.0.0.2")).toBe(0);
    } finally {
      for (const socket of sockets) socket.close();
      await limited.stop();
    }
  },
);

test("detects a port in use, although threads share theirs", async () => {
  const { port } = new URL(instance.url);
  await expect(startInstance({ PORT: port, GATEWAY_THREADS: "2" })).rejects.toThrow("EADDRINUSE");
});

test("nothing listens after the stop", async () => {
  const other = await startInstance({ GATEWAY_THREADS: "2" });
  const socket = io(other.url, { transports: ["websocket"], reconnection: false });
  const { accessToken } = await createGuest(other.url);
  socket.auth = { token: accessToken };
  socket.disconnect().connect();
  await next(socket, "ready");
  const draining = next(socket, "server.draining");
  await other.stop();
  await draining;
  socket.close();
  await expect(fetch(other.url)).rejects.toThrow("fetch failed");
});

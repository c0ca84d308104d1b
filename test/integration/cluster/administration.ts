import type { Message } from "@fanfare/contract";
import { createAccount, createWorld, must, post } from "@fanfare/testing";
import type { Cluster } from "../../support/cluster.ts";
import { readSetupToken } from "../../support/node-process.ts";
import { io, type Socket } from "socket.io-client";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

// The same as in admin.test.ts and blocks.test.ts, with gateways and workers as separate processes.

const ADMIN = { username: "first-admin", password: "correct horse" };
const WITHIN_10_S = { timeout: 10_000, interval: 50 };

/** Creates the cluster's first admin. */
export function testAdministration(shared: () => Cluster): void {
  let cluster: Cluster;
  let token: string;
  const sockets: Socket[] = [];

  beforeAll(async () => {
    cluster = shared();
    const setup = { ...ADMIN, token: await readSetupToken(cluster.workers[1]!) };
    token = (await must(urlOf(0), "user.setUpAdmin", setup)).accessToken;
  });
  afterAll(() => {
    for (const socket of sockets) socket.disconnect();
  });

  const urlOf = (gateway: number): string => cluster.gateways[gateway]!.clientUrl;

  async function connect(gateway: number, accessToken: string): Promise<Socket> {
    const options = {
      transports: ["websocket"],
      auth: { token: accessToken },
      forceNew: true,
      reconnection: false,
    };
    const socket = io(urlOf(gateway), options);
    sockets.push(socket);
    await new Promise((resolve) => socket.once("ready", resolve));
    return socket;
  }

  test("the first account doesn't become an admin, and using a setup link invalidates those of all workers", async () => {
    const { accessToken } = await createAccount(urlOf(0));
    expect(await post(urlOf(0), "admin.stats", {}, accessToken)).toMatchObject({
      error: { type: "FORBIDDEN" },
    });
    for (const worker of cluster.workers) {
      const setup = { ...ADMIN, username: "second-admin", token: await readSetupToken(worker) };
      const refused = { error: { type: "INVALID_LINK" } };
      expect(await post(urlOf(1), "user.setUpAdmin", setup)).toMatchObject(refused);
    }
  });

  test("disabling a user closes their sockets at the other gateway, which rejects their token", async () => {
    const target = await createAccount(urlOf(1));
    const socket = await connect(1, target.accessToken);
    const closed = new Promise((resolve) => socket.once("disconnect", resolve));
    await must(urlOf(0), "admin.disableUser", { userId: target.userId }, token);
    await closed;
    await vi.waitFor(
      async () =>
        expect(await post(urlOf(1), "user.me", {}, target.accessToken)).toMatchObject({
          error: { type: "SESSION_REVOKED" },
        }),
      WITHIN_10_S,
    );
  });

  test("maintenance mode applies at every gateway and is announced to all users", async () => {
    const { member, channel } = await createWorld(urlOf(1));
    const socket = await connect(1, member.accessToken);
    const received = new Promise((resolve) => socket.once("server.announced", resolve));
    await must(urlOf(0), "admin.announce", { text: "Hello" }, token);
    expect(await received).toMatchObject({ text: "Hello" });
    const paused = new Promise((resolve) => socket.once("server.paused", resolve));
    await must(urlOf(0), "admin.setMaintenance", { enabled: true, message: "Moving" }, token);
    await paused;
    const message = { channelId: channel.id, content: "x", nonce: "n" };
    expect(await post(urlOf(1), "message.send", message, member.accessToken)).toMatchObject({
      error: { type: "MAINTENANCE", data: { message: "Moving" } },
    });
    const resumed = new Promise((resolve) => socket.once("server.resumed", resolve));
    await must(urlOf(0), "admin.setMaintenance", { enabled: false }, token);
    await resumed;
    expect(await post(urlOf(1), "message.send", message, member.accessToken)).toMatchObject({ ok: true });
  });

  test("admin statistics cover all gateways", async () => {
    const { member, channel } = await createWorld(urlOf(0));
    const receivers = [await connect(0, member.accessToken), await connect(1, member.accessToken)];
    const received = receivers.map(
      (socket) =>
        new Promise<void>((resolve) => {
          socket.on("message.created", ({ messages }: { messages: Message[] }) => {
            if (messages.some(({ content }) => content === "5")) resolve();
          });
        }),
    );
    // A gateway can report a step after the other has reported the same one: sums have all of them.
    const rates = async () => {
      const { gateways, silentGateways, steps } = await must(urlOf(0), "admin.metrics", {}, token);
      expect({ gateways, silentGateways }).toEqual({ gateways: 2, silentGateways: 0 });
      const sum = (rate: "messagesPerSecond" | "deliveriesPerSecond") =>
        steps.reduce((total, step) => total + step[rate], 0);
      return { steps, messages: sum("messagesPerSecond"), deliveries: sum("deliveriesPerSecond") };
    };
    const before = await rates();
    // Several: messages of earlier tests, which no one received, can be reported after `before`.
    for (const content of ["1", "2", "3", "4", "5"]) {
      const message = { channelId: channel.id, content, nonce: content };
      await must(urlOf(1), "message.send", message, member.accessToken);
    }
    await Promise.all(received);
    await vi.waitFor(async () => {
      const { steps, messages, deliveries } = await rates();
      expect(messages).toBeGreaterThan(before.messages);
      expect(deliveries - before.deliveries).toBeGreaterThan(messages - before.messages);
      const newest = steps.filter(({ endedAt }) => endedAt >= (before.steps.at(-1)?.endedAt ?? ""));
      expect(Math.max(...newest.map(({ fanoutMs }) => fanoutMs?.p100 ?? 0))).toBeGreaterThan(0);
      expect(Math.max(...newest.map(({ connections }) => connections))).toBeGreaterThanOrEqual(2);
    }, WITHIN_10_S);
  });

  test("a block reaches every worker that has cached the permission", async () => {
    const { member, target } = await createWorld(urlOf(0));
    const { channel } = await must(
      urlOf(0),
      "channel.openDirect",
      { userId: target.userId },
      member.accessToken,
    );
    let nonces = 0;
    const send = (gateway: number) => {
      nonces += 1;
      const message = { channelId: channel.id, content: "x", nonce: String(nonces) };
      return post(urlOf(gateway), "message.send", message, member.accessToken);
    };
    for (const gateway of [0, 1, 0, 1]) expect(await send(gateway)).toMatchObject({ ok: true });
    await must(urlOf(1), "user.block", { userId: member.userId }, target.accessToken);
    // A domain event takes a moment to reach the other worker.
    await vi.waitFor(
      async () => expect(await send(0)).toMatchObject({ error: { type: "FORBIDDEN" } }),
      WITHIN_10_S,
    );
    for (let n = 0; n < 8; n += 1) expect((await send(n % 2)).ok).toBe(false);
  });
}

import { tmpdir } from "node:os";
import { resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { EventName, ServerToClientEvents } from "@fanfare/contract";
import {
  createAccount,
  createGuest,
  isInstalled,
  must,
  postRaw,
  type ServerProcess,
  startNats,
  startRedis,
} from "@fanfare/testing";
import { failed } from "../support/answers.ts";
import { startCluster, type Cluster } from "../support/cluster.ts";
import { startInstance } from "../support/instance.ts";
import { startNewDatabase } from "../support/new-database.ts";
import { type FanfareNode, startNode } from "../support/node-process.ts";
import { io, type Socket } from "socket.io-client";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";

type ClientSocket = Socket<ServerToClientEvents, never>;

const sockets: ClientSocket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.close();
});

/** A ready client and every event it has received since. */
async function join(url: string, token: string) {
  const socket: ClientSocket = io(url, { transports: ["websocket"], auth: { token }, reconnection: false });
  sockets.push(socket);
  const received: { name: EventName; payload: Record<string, unknown> }[] = [];
  socket.onAny((name: EventName, payload: Record<string, unknown>) => received.push({ name, payload }));
  const nextEvent = async (name: EventName, times = 1): Promise<Record<string, unknown>> => {
    for (;;) {
      const found = received.filter((event) => event.name === name);
      if (found.length >= times) return found[times - 1]!.payload;
      await delay(10);
    }
  };
  await nextEvent("ready");
  return { socket, received, nextEvent };
}

async function metric(opsUrl: string, pattern: RegExp): Promise<string[]> {
  const text = await (await fetch(`${opsUrl}/metrics`)).text();
  return text.split("\n").filter((line) => pattern.test(line));
}

const readiness = async (opsUrl: string) => (await fetch(`${opsUrl}/readyz`)).text();

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await delay(50);
}

describe.skipIf(!isInstalled("nats-server") || !isInstalled("redis-server"))(
  "two gateways, two workers",
  () => {
    let cluster: Cluster;
    let here: string;
    let there: string;

    beforeAll(async () => {
      const env = { PLUGINS: resolve("plugins/quickpoll") };
      cluster = await startCluster({ gateways: 2, workers: 2, env });
      [here, there] = cluster.gateways.map(({ url }) => url) as [string, string];
    });
    afterAll(() => cluster?.stop());

    /** Two members of a group, each at another gateway. */
    async function pair() {
      const [owner, member] = await Promise.all([createGuest(here), createGuest(there)]);
      const { group, channels } = await must(here, "group.create", { name: "Pair" }, owner.accessToken);
      const { invite } = await must(there, "invite.create", { groupId: group.id }, owner.accessToken);
      await must(here, "invite.accept", { code: invite.code }, member.accessToken);
      const channelId = channels[0]!.id;
      const send = (content: string) =>
        must(here, "message.send", { channelId, content, nonce: content }, owner.accessToken);
      return { owner, member, group, channelId, send, inviteCode: invite.code };
    }

    test("a message sent at one gateway reaches the sockets of both", async () => {
      const { owner, member, send } = await pair();
      const clients = await Promise.all([join(here, owner.accessToken), join(there, member.accessToken)]);
      await send("hello");
      for (const { nextEvent } of clients) {
        expect(await nextEvent("message.created")).toMatchObject({ messages: [{ content: "hello" }] });
      }
    });

    test("gateways route calls to plug-ins, which share their values", async () => {
      const { owner, member, channelId } = await pair();
      const call = async (url: string, name: string, params: object, { accessToken }: typeof owner) => {
        const answer = await postRaw(url, `plugin.quickpoll.${name}`, JSON.stringify(params), accessToken);
        if (!answer.ok) throw new Error(JSON.stringify(answer.error));
        return answer.data as { id: string };
      };
      const poll = { channelId, question: "Where to?", options: ["here", "there"] };
      const { id: pollId } = await call(here, "create", poll, owner);
      await Promise.all([
        call(here, "vote", { channelId, pollId, option: 0 }, owner),
        call(there, "vote", { channelId, pollId, option: 1 }, member),
      ]);
      // Each is answered by a worker's own process.
      for (const url of [here, there, here, there])
        expect(await call(url, "list", { channelId }, member)).toMatchObject({
          polls: [{ id: pollId, options: [{ votes: 1 }, { votes: 1 }], own: 1 }],
        });
    });

    test("a socket joins the room of a group that its user joins through another gateway", async () => {
      const { owner, send, inviteCode } = await pair();
      const late = await createGuest(there);
      const client = await join(there, late.accessToken);
      await must(here, "invite.accept", { code: inviteCode }, late.accessToken);
      await client.nextEvent("group.joined");
      await send("welcome");
      expect(await client.nextEvent("message.created")).toMatchObject({ messages: [{ content: "welcome" }] });
      expect(owner.userId).not.toBe(late.userId);
    });

    test("a user kicked through one gateway receives nothing more at the other, and is rejected at both", async () => {
      const { owner, member, group, channelId, send } = await pair();
      const client = await join(there, member.accessToken);
      await send("before");
      await client.nextEvent("message.created");
      const kick = { groupId: group.id, userId: member.userId };
      await must(here, "group.kick", kick, owner.accessToken);
      expect(await client.nextEvent("group.left")).toMatchObject({ reason: "kicked" });
      await send("after");
      const again = must(
        there,
        "message.send",
        { channelId, content: "me", nonce: "me" },
        member.accessToken,
      );
      await expect(again).rejects.toThrow("CHANNEL_NOT_FOUND");
      // Events are published in order: when the owner has this one, the other gateway had its turn.
      await (await join(there, owner.accessToken)).nextEvent("ready");
      expect(client.received.filter(({ name }) => name === "message.created")).toHaveLength(1);
    });

    test("logging out everywhere closes the sockets at every gateway", async () => {
      const { member } = await pair();
      const clients = await Promise.all([here, there].map((url) => join(url, member.accessToken)));
      await must(here, "user.logoutAll", {}, member.accessToken);
      for (const { socket, nextEvent } of clients) {
        expect(await nextEvent("session.revoked")).toEqual({ sessionIds: [member.sessionId] });
        await until(async () => socket.disconnected);
      }
      for (const url of [here, there]) {
        await expect(must(url, "user.me", {}, member.accessToken)).rejects.toThrow("SESSION_REVOKED");
      }
    });

    test("a gateway calls other nodes and never itself; a worker calls itself if it can answer", async () => {
      const { send } = await pair();
      await send("counted");
      const calls = /^fanfare_calls_total\{/;
      const ofGateway = await metric(cluster.gateways[0]!.opsUrl, calls);
      expect(ofGateway.some((line) => line.includes('action="message.send",where="remote"'))).toBe(true);
      expect(ofGateway.filter((line) => line.includes('where="local"'))).toEqual([]);
      const ofWorkers = await Promise.all(cluster.workers.map(({ opsUrl }) => metric(opsUrl, calls)));
      const made = ofWorkers.flat();
      expect(made.some((line) => line.includes('action="group.access",where="local"'))).toBe(true);
      expect(made.filter((line) => line.includes('where="remote"'))).toEqual([]);
    });

    test("only one of two workers publishes a changed profile", async () => {
      const { owner, member, send } = await pair();
      const client = await join(there, member.accessToken);
      await must(here, "user.updateProfile", { nickname: "Renamed" }, owner.accessToken);
      expect(await client.nextEvent("user.updated")).toMatchObject({ user: { nickname: "Renamed" } });
      await send("after");
      await client.nextEvent("message.created");
      expect(client.received.filter(({ name }) => name === "user.updated")).toHaveLength(1);
    });

    test("nothing fails while a worker stops and restarts", async () => {
      const groups = await Promise.all(Array.from({ length: 8 }, () => pair()));
      const [worker] = cluster.workers;
      const over = new AbortController();
      let sent = 0;
      const senders = groups.map(async ({ send }) => {
        while (!over.signal.aborted) await send(`message ${(sent += 1)}`);
      });
      await worker!.process.stop();
      await worker!.process.start();
      over.abort();
      await Promise.all(senders);
      expect(sent).toBeGreaterThan(groups.length);
    });

    test(
      "a killed worker is detected, and clients fetch what it may not have published",
      { tags: "long" },
      async () => {
        const { owner, member, send } = await pair();
        const client = await join(there, member.accessToken);
        const [worker, other] = cluster.workers;
        await worker!.process.kill();
        // The same nonce until it is answered, as the SDK does.
        await until(() =>
          send("still here").then(
            () => true,
            () => false,
          ),
        );
        expect(await client.nextEvent("message.created")).toMatchObject({
          messages: [{ content: "still here" }],
        });
        await client.nextEvent("resync");
        await other!.process.kill();
        await until(async () =>
          (await readiness(cluster.gateways[0]!.opsUrl)).startsWith("no process answers for"),
        );
        const refused = io(here, { transports: ["websocket"], auth: { token: owner.accessToken } });
        sockets.push(refused);
        const error = await new Promise<Error>((resolve) => refused.once("connect_error", resolve));
        expect(error.message).toBe("UNAVAILABLE");
        await Promise.all([worker!.process.start(), other!.process.start()]);
        await until(async () => (await readiness(cluster.gateways[0]!.opsUrl)) === "ok\n");
        await send("all here");
      },
    );

    test("clients catch up on what a disconnected gateway missed", async () => {
      const { owner, member, group, send, inviteCode } = await pair();
      const leaver = await createGuest(here);
      await must(here, "invite.accept", { code: inviteCode }, leaver.accessToken);
      const people = [owner, member, leaver];
      const [stays, kicked, left] = await Promise.all(people.map((one) => join(there, one.accessToken)));
      const { links } = cluster.gateways[1]!;
      await links.nats.cut();
      await must(here, "group.kick", { groupId: group.id, userId: member.userId }, owner.accessToken);
      await must(here, "user.logoutAll", {}, leaver.accessToken);
      await send("unheard");
      await links.nats.restore();
      await stays!.nextEvent("resync");
      expect(await left!.nextEvent("session.revoked")).toEqual({ sessionIds: [leaver.sessionId] });
      // It reconnects, into the rooms it still has access to.
      await until(async () => kicked!.socket.disconnected);
      await send("received");
      expect(await stays!.nextEvent("message.created")).toMatchObject({
        messages: [{ content: "received" }],
      });
      expect(kicked!.received.map(({ name }) => name)).not.toContain("message.created");
    });

    test("everything resumes when NATS is back", async () => {
      const { member, send } = await pair();
      const client = await join(there, member.accessToken);
      await cluster.nats.kill();
      const { opsUrl } = cluster.gateways[0]!;
      await until(async () => (await readiness(opsUrl)) === "there is no connection to NATS\n");
      await expect(send("too early")).rejects.toThrow("UNAVAILABLE");
      await cluster.nats.start();
      await until(() =>
        send("healed").then(
          () => true,
          () => false,
        ),
      );
      await client.nextEvent("resync");
      await send("as before");
      await until(async () =>
        client.received.some(({ payload }) => JSON.stringify(payload).includes("as before")),
      );
      for (const {
        process: { crashes },
      } of [...cluster.gateways, ...cluster.workers])
        expect(crashes).toEqual([]);
    });
  },
);

describe.skipIf(!isInstalled("nats-server") || !isInstalled("redis-server"))(
  "processes with different services and plug-ins",
  () => {
    const OLD = resolve("plugins/quickpoll");
    const NEW = `${OLD},${resolve("plugins/github")}`;
    let servers: ServerProcess[] = [];
    let nodes: FanfareNode[] = [];
    let here: string;
    let there: string;
    let admin: { accessToken: string };

    beforeAll(async () => {
      const [nats, redis, database] = await Promise.all([startNats(), startRedis(), startNewDatabase()]);
      servers = [nats, redis, database];
      const links = { NATS_URL: nats.url, REDIS_URL: redis.url, MONGO_URL: database.url };
      // Not in production, where the first account is not an admin.
      const env = { ...links, FILES_DIR: tmpdir(), NODE_ENV: "test" };
      const parts = [
        { services: ["gateway", "message"], PLUGINS: OLD },
        { services: ["user", "presence", "plugin"], PLUGINS: OLD },
        { services: ["group", "admin", "plugin"], PLUGINS: NEW },
        { services: ["gateway", "user"], PLUGINS: NEW },
      ];
      nodes = await Promise.all(
        parts.map(({ services, PLUGINS }) =>
          startNode({ name: services.join("-"), services, env: { ...env, PLUGINS } }),
        ),
      );
      [here, , , there] = nodes.map(({ url }) => url) as [string, string, string, string];
      admin = await createAccount(here);
    });
    afterAll(async () => {
      await Promise.all(nodes.map(({ process }) => process.stop()));
      await Promise.all(servers.map((server) => server.stop()));
    });

    test("each process can host any subset of the services", async () => {
      const [writer, reader] = await Promise.all([createGuest(here), createGuest(there)]);
      const { group, channels } = await must(there, "group.create", { name: "Mixed" }, writer.accessToken);
      const { invite } = await must(here, "invite.create", { groupId: group.id }, writer.accessToken);
      await must(there, "invite.accept", { code: invite.code }, reader.accessToken);
      const clients = await Promise.all([join(here, reader.accessToken), join(there, writer.accessToken)]);
      const message = { channelId: channels[0]!.id, content: "mixed", nonce: "mixed" };
      await must(there, "message.send", message, writer.accessToken);
      for (const { nextEvent } of clients) {
        expect(await nextEvent("message.created")).toMatchObject({ messages: [{ content: "mixed" }] });
      }
      const ofFirst = await metric(nodes[0]!.opsUrl, /^fanfare_calls_total\{action="(user|group)/);
      expect(ofFirst.filter((line) => line.includes('where="local"'))).toEqual([]);
    });

    test("during a rolling update, clients have the plug-ins of their gateway", async () => {
      const { accessToken } = admin;
      // Several times, because either worker can answer.
      for (const [url, names] of [
        [here, ["quickpoll"]],
        [there, ["quickpoll", "github"]],
        [here, ["quickpoll"]],
        [there, ["quickpoll", "github"]],
      ] as const) {
        const { plugins } = await must(url, "plugin.list", {}, accessToken);
        expect(plugins.map(({ name }) => name)).toEqual(names);
        for (const { page } of plugins) expect((await fetch(url + page!.path)).status).toBe(200);
        // Only one worker has the plug-in, and gets all of its calls.
        expect(await postRaw(url, "plugin.github.get", '{"link":""}', accessToken)).toMatchObject(
          url === here ? failed("UNKNOWN_ACTION") : { ok: true, data: { found: null } },
        );
        const installed = await must(url, "admin.listPlugins", {}, accessToken);
        expect(installed.plugins.map(({ name }) => name).toSorted()).toEqual(["github", "quickpoll"]);
      }
    });
  },
);

test("a process that hosts everything calls no other", async () => {
  const instance = await startInstance();
  const { accessToken } = await createGuest(instance.url);
  const { channels } = await must(instance.url, "group.create", { name: "Alone" }, accessToken);
  await must(
    instance.url,
    "message.send",
    { channelId: channels[0]!.id, content: "alone", nonce: "alone" },
    accessToken,
  );
  const made = await metric(instance.opsUrl, /^fanfare_calls_total\{/);
  expect(made.some((line) => line.includes('action="message.send",where="local"'))).toBe(true);
  expect(made.filter((line) => line.includes('where="remote"'))).toEqual([]);
  await instance.stop();
});

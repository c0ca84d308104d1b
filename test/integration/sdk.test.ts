import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { FanfareClient, type ChannelView } from "@fanfare/client";
import { createStore } from "@fanfare/client/store";
import type { Message } from "@fanfare/contract";
import { startInstance, type Instance } from "../support/instance.ts";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";

/** A proxy to the instance whose connections can be cut at any point. */
class Wire {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor(targetPort: number) {
    this.#server = createServer((socket) => {
      const target = connect(targetPort, "127.0.0.1");
      for (const [one, other] of [
        [socket, target],
        [target, socket],
      ] as const) {
        this.#sockets.add(one);
        one.pipe(other);
        one.on("error", () => undefined);
        one.on("close", () => {
          this.#sockets.delete(one);
          other.destroy();
        });
      }
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  close(): void {
    this.#server.close();
    this.cut();
  }
}

let instance: Instance;
let clients: FanfareClient[];

beforeAll(async () => {
  instance = await startInstance();
});

afterAll(() => instance?.stop());

beforeEach(() => {
  clients = [];
});

afterEach(() => {
  for (const client of clients) client.close();
});

async function guest(url = instance.url): Promise<FanfareClient> {
  const client = new FanfareClient({ url });
  clients.push(client);
  await client.createGuest();
  await client.connect();
  return client;
}

/** Two members of a new group, each with their own copy of the channel. */
async function twoMembers(urls: [string, string]): Promise<[ChannelView, ChannelView]> {
  const owner = await guest(urls[0]);
  const { group, channels } = await owner.call("group.create", { name: "Two" });
  const { invite } = await owner.call("invite.create", { groupId: group.id });
  const member = await guest(urls[1]);
  await member.call("invite.accept", { code: invite.code });
  const { id } = channels[0]!;
  const views: [ChannelView, ChannelView] = [owner.channel(id), member.channel(id)];
  for (const view of views) await view.load();
  return views;
}

async function stored({ channelId }: ChannelView): Promise<Message[]> {
  const all: Message[] = [];
  for (;;) {
    const after = all.at(-1)?.seq ?? 0;
    const { messages } = await clients[0]!.call("message.list", { channelId, after, limit: 100 });
    if (messages.length === 0) return all;
    all.push(...messages);
  }
}

test("both members see each other's messages, edits and deletions live", async () => {
  const [ada, grace] = await twoMembers([instance.url, instance.url]);
  const first = await ada.send("first");
  await grace.send("second", { replyTo: first.id });
  await ada.edit(first.id, "first, edited");
  const third = await grace.send("third");
  await grace.delete(third.id);
  await expect.poll(() => ada.head.rev).toBe(5);
  await expect.poll(() => grace.messages).toEqual(ada.messages);
  expect(ada.messages).toEqual(await stored(ada));
  expect(ada.messages.map(({ content }) => content)).toEqual(["first, edited", "second", ""]);
  await grace.markRead(3);
  expect(grace.snapshot.lastReadSeq).toBe(3);
});

test("leaving a group removes its channels", async () => {
  const [, grace] = await twoMembers([instance.url, instance.url]);
  await grace.send("here");
  const [group] = (await clients[1]!.call("group.listMine", {})).groups;
  await clients[1]!.call("group.leave", { groupId: group!.id });
  await expect.poll(() => grace.snapshot.status).toBe("gone");
});

test("logging out ends the session", async () => {
  const client = await guest();
  const tokens = client.tokens!;
  await client.logout();
  expect(client.state).toBe("closed");
  const again = new FanfareClient({ url: instance.url });
  again.useTokens(tokens);
  await expect(again.connect()).rejects.toMatchObject({ type: "SESSION_REVOKED" });
});

test("repeatedly cut connections lose nothing, duplicate nothing and keep the order", async () => {
  const wire = new Wire(Number(new URL(instance.url).port));
  const url = await wire.listen();
  const views = await twoMembers([url, url]);
  const written = new AbortController();
  const cutting = (async () => {
    while (!written.signal.aborted) {
      await delay(150 + Math.random() * 500);
      wire.cut();
    }
  })();
  const texts = Array.from({ length: 100 }, (_, i) => `${i}`);
  const write = async (view: ChannelView): Promise<void> => {
    const sends: Promise<Message>[] = [];
    // One timer at a time: those set together can fire in another order on a busy machine.
    for (const text of texts) {
      sends.push(view.send(text));
      await delay(40);
    }
    const sent = await Promise.all(sends);
    for (const message of sent.filter(({ seq }) => seq % 10 === 0)) {
      await view.edit(message.id, `${message.content}, edited`).catch(() => undefined);
    }
  };
  await Promise.all(views.map(write));
  written.abort();
  await cutting;

  // The client may not have noticed the last cut: then the first call is lost.
  const truth = await vi.waitFor(() => stored(views[0]));
  for (const [i, view] of views.entries()) {
    await expect.poll(() => view.messages.at(-1)?.seq).toBe(truth.at(-1)!.seq);
    // After a long absence only the newest page is loaded.
    while (view.snapshot.hasOlder) await view.loadBefore();
    await expect.poll(() => view.messages).toEqual(truth);
    const own = truth.filter(({ authorId }) => authorId === clients[i]!.user!.id);
    expect(own.map(({ content }) => content.replace(", edited", ""))).toEqual(texts);
  }
  wire.close();
});

test("presence survives a lost connection, and ends with the last shared group", async () => {
  const wire = new Wire(Number(new URL(instance.url).port));
  const [watcher, other] = [await guest(await wire.listen()), await guest()];
  const { group } = await watcher.call("group.create", { name: "A group" });
  const { invite } = await watcher.call("invite.create", { groupId: group.id });
  await other.call("invite.accept", { code: invite.code });
  const userId = other.user!.id;
  watcher.presence.watch([userId]);
  await expect.poll(() => watcher.presence.status(userId)).toBe("online");
  wire.cut();
  await other.call("presence.setStatus", { status: "doNotDisturb" });
  await expect.poll(() => watcher.presence.status(userId)).toBe("doNotDisturb");
  await other.call("presence.setStatus", { status: "online" });
  await expect.poll(() => watcher.presence.status(userId)).toBe("online");
  await other.call("group.leave", { groupId: group.id });
  await expect.poll(() => watcher.presence.status(userId)).toBeUndefined();
  wire.close();
});

test("typing is shown to the others, however often it is reported", async () => {
  const [writer, other] = [await guest(), await guest()];
  const { group } = await writer.call("group.create", { name: "Shared" });
  const { invite } = await writer.call("invite.create", { groupId: group.id });
  await other.call("invite.accept", { code: invite.code });
  const { channel } = await writer.call("channel.openDirect", { userId: other.user!.id });
  let typingEvents = 0;
  other.on("typing.started", () => (typingEvents += 1));
  for (let key = 0; key < 20; key += 1) writer.typing(channel.id);
  await expect.poll(() => typingEvents).toBe(1);
});

test("with a store, results bring the users that they refer to", async () => {
  const [ada, bo, cy] = [await guest(), await guest(), await guest()];
  const userIds = [ada, bo, cy].map((client) => client.user!.id).toSorted();
  const { group, channels } = await ada.call("group.create", { name: "Named" });
  const { invite } = await ada.call("invite.create", { groupId: group.id });
  for (const client of [bo, cy]) await client.call("invite.accept", { code: invite.code });
  const channelId = channels[0]!.id;
  const { message } = await ada.call("message.send", {
    channelId,
    content: `Hello <@${cy.user!.id}>`,
    nonce: "hello-1",
  });
  await bo.call("message.send", { channelId, content: "Hi", nonce: "hi-1", replyTo: message.id });
  await ada.call("message.pin", { channelId, messageId: message.id });
  await bo.call("channel.openThread", { channelId, messageId: message.id });
  const { channel: direct } = await ada.call("channel.createGroupDirect", {
    userIds: [bo.user!.id, cy.user!.id],
  });
  await ada.call("message.send", { channelId: direct.id, content: "Only us", nonce: "us-1" });
  const sync = { cursors: [{ channelId, afterRev: 0 }] };

  /** The users in the state after a call of a new session. */
  const knownAfter = async (act: (client: FanfareClient, load: typeof store.load) => Promise<unknown>) => {
    const client = new FanfareClient({ url: instance.url });
    clients.push(client);
    client.useTokens(cy.tokens!);
    const store = createStore(client);
    await act(client, (name, params) => store.load(name, params));
    return Object.keys(store.state.users).toSorted();
  };
  const store = createStore(cy);
  expect(await knownAfter((client) => client.channel(channelId).load())).toEqual(userIds);
  expect(await knownAfter((client) => client.call("channel.sync", sync))).toEqual(userIds);
  expect(await knownAfter((_, load) => load("channel.listDirect", {}))).toEqual(userIds);
  const pinned = [ada.user!.id, cy.user!.id].toSorted();
  expect(await knownAfter((_, load) => load("message.listPins", { channelId }))).toEqual(pinned);
  expect(await knownAfter((client) => client.call("inbox.list", {}))).toEqual(pinned);
  expect(
    await knownAfter((client) => client.call("message.search", { groupId: group.id, text: "Hello" })),
  ).toEqual(pinned);
  expect(await knownAfter((client) => client.call("channel.listThreads", { channelId }))).toEqual([
    bo.user!.id,
  ]);
  // Programs without a store don't need them.
  const plain = new FanfareClient({ url: instance.url });
  clients.push(plain);
  plain.useTokens(cy.tokens!);
  expect((await plain.call("message.list", { channelId })).users).toBeUndefined();
});

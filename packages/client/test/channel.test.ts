import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ChannelView, FanfareClient } from "../src/index.ts";
import { CHANNEL_ID, FakeServer, until } from "./fake-server.ts";

const IDLE_SYNC_MS = 20;

let server: FakeServer;
let client: FanfareClient;
let channel: ChannelView;

beforeEach(async () => {
  server = new FakeServer();
  await server.listen();
  client = new FanfareClient({ url: server.url });
  await client.createGuest();
  await client.connect();
  channel = client.channel(CHANNEL_ID);
});

afterEach(async () => {
  client.close();
  await server.close();
});

const isExact = () => JSON.stringify(channel.messages) === JSON.stringify(server.channel.messages);

function postMany(count: number): void {
  for (let i = 0; i < count; i++) server.post(`message ${i}`);
}

test("loads the newest page, and older ones up to the first message", async () => {
  postMany(120);
  await channel.load();
  expect(channel.messages).toHaveLength(50);
  expect(channel.snapshot).toMatchObject({ hasOlder: true, head: { seq: 120, rev: 120 } });
  await channel.loadBefore();
  await channel.loadBefore();
  expect(isExact()).toBe(true);
  expect(channel.snapshot.hasOlder).toBe(false);
  expect(client.channel(CHANNEL_ID)).toBe(channel);
});

test("events in order are applied without a sync", async () => {
  await channel.load();
  postMany(20);
  server.edit(3, "edited");
  await until(isExact);
  expect(server.callsOf("channel.sync")).toEqual([]);
});

test("lost events are detected by the next one and synced", async () => {
  await channel.load();
  server.loses = ({ seq, editedAt }) => seq % 3 === 0 || editedAt !== null;
  postMany(20);
  server.edit(1, "edited");
  postMany(2);
  await until(isExact);
  expect(server.callsOf("channel.sync").length).toBeGreaterThan(0);
});

test("changes during a connection loss are loaded with one sync", async () => {
  await channel.load();
  server.cut();
  await until(() => client.state === "reconnecting");
  postMany(10);
  server.edit(2, "edited");
  await until(isExact);
  expect(server.callsOf("channel.sync")).toHaveLength(1);
});

test("a stored copy is outdated until it is synced, and again after a connection loss", async () => {
  postMany(3);
  await channel.load();
  const saved = channel.save(10)!;
  client.close();
  client = new FanfareClient({ url: server.url });
  await client.createGuest();
  channel = client.channel(CHANNEL_ID);
  channel.restore(saved);
  expect(channel.snapshot).toMatchObject({ status: "ready", isOutdated: true });
  await client.connect();
  await until(() => !channel.snapshot.isOutdated);
  server.refuses = ({ name }) =>
    name === "channel.sync" ? { type: "OVERLOADED", data: { retryAfterMs: 1 } } : undefined;
  const { length } = server.callsOf("channel.sync");
  server.cut();
  await until(() => server.callsOf("channel.sync").length > length + 1);
  expect(channel.snapshot.isOutdated).toBe(true);
  server.refuses = () => undefined;
  await until(() => !channel.snapshot.isOutdated);
});

test("syncs after resync, and retries a failed sync", async () => {
  await channel.load();
  server.loses = () => true;
  postMany(3);
  let failures = 2;
  server.refuses = ({ name }) =>
    name === "channel.sync" && failures-- > 0 ? { type: "OVERLOADED", data: { retryAfterMs: 1 } } : undefined;
  server.emit("resync", {});
  await until(isExact);
  expect(server.callsOf("channel.sync")).toHaveLength(3);
});

test("the loss of the last event is detected after silence, with one sync", async () => {
  client.close();
  client = new FanfareClient({ url: server.url, idleSyncMs: IDLE_SYNC_MS });
  await client.createGuest();
  await client.connect();
  channel = client.channel(CHANNEL_ID);
  await channel.load();
  server.post("heard");
  server.loses = () => true;
  server.post("lost");
  await until(isExact);
  // The first sync found the missing event; the next one finds nothing, so no more follow.
  await until(() => server.callsOf("channel.sync").length === 2);
  // Longer than the time until another sync would be due.
  await new Promise((resolve) => setTimeout(resolve, 3 * IDLE_SYNC_MS));
  expect(server.callsOf("channel.sync")).toHaveLength(2);
});

test("messages written while the server drains arrive once and in order", async () => {
  await channel.load();
  server.answersAfterMs = 20;
  const texts = Array.from({ length: 60 }, (_, i) => `${i}`);
  const sends: Promise<unknown>[] = [];
  for (const [index, text] of texts.entries()) {
    if (index === 20) server.emit("server.draining", { reconnectWithinMs: 100 });
    sends.push(channel.send(text));
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await Promise.all(sends);
  expect(server.channel.messages.map(({ content }) => content)).toEqual(texts);
  await until(isExact);
});

test("a read marker that failed is set after the reconnect, unless messages were marked as unread since", async () => {
  const refuse = (isRefused: boolean) => {
    server.refuses = ({ name }) =>
      isRefused && name === "channel.markRead" ? { type: "OVERLOADED" } : undefined;
  };
  /** How often a marker was set, once the client has handled an event after which it syncs everything. */
  const countAfterSync = async () => {
    server.emit("group.left", { groupId: "9".repeat(24) });
    await client.call("user.me", {});
    await client.call("user.me", {});
    return server.callsOf("channel.markRead").length;
  };
  postMany(2);
  await channel.load();
  refuse(true);
  await expect(channel.markRead(2)).rejects.toMatchObject({ type: "OVERLOADED" });
  expect(await countAfterSync()).toBe(2);
  refuse(false);
  server.cut();
  await until(() => channel.snapshot.lastReadSeq === 2);
  expect(await countAfterSync()).toBe(3);

  refuse(true);
  await expect(channel.markRead(2)).rejects.toMatchObject({ type: "OVERLOADED" });
  await channel.markUnread(1);
  expect(await countAfterSync()).toBe(4);
});

test("messages that are being marked as unread aren't marked as read", async () => {
  postMany(2);
  await channel.load();
  const marking = channel.markUnread(1);
  await channel.markRead(2);
  await marking;
  expect(server.callsOf("channel.markRead")).toHaveLength(0);
  await channel.markRead(2);
  expect(channel.snapshot.lastReadSeq).toBe(2);
});

test("too large a gap loads the newest page", async () => {
  await channel.load();
  server.loses = () => true;
  postMany(250);
  server.emit("resync", {});
  await until(() => channel.messages.at(-1)?.seq === 250);
  expect(channel.messages).toEqual(server.channel.messages.slice(-50));
});

describe("after a backup was restored on the server, the messages lost there disappear", () => {
  beforeEach(async () => {
    postMany(10);
    await channel.load();
    server.cut();
    await until(() => client.state === "reconnecting");
    server.channel.restore(5);
  });

  test.each([
    ["nothing", 0],
    ["fewer messages than were lost", 4],
    ["as many messages as were lost", 5],
    ["more messages than were lost", 8],
    ["more messages than a sync returns", 300],
  ] as const)("although %s followed", async (_, count) => {
    postMany(count);
    await expect.poll(() => channel.messages).toEqual(server.channel.messages.slice(-50));
  });
});

test("a sent message is in the copy once, and no longer pending", async () => {
  await channel.load();
  const pending: number[] = [];
  channel.subscribe((snapshot) => pending.push(snapshot.pending.length));
  const message = await channel.send("hello");
  expect(channel.messages).toEqual([message]);
  expect(pending[0]).toBe(1);
  expect(channel.snapshot.pending).toEqual([]);
});

test("a message whose result was lost is retried with the same nonce and stored once", async () => {
  await channel.load();
  let cuts = 2;
  server.loses = () => true;
  server.cutsAfter = ({ name }) => name === "message.send" && cuts-- > 0;
  const message = await channel.send("once");
  expect(server.channel.messages).toEqual([message]);
  const sends = server.callsOf("message.send").map(({ params }) => params);
  expect(new Set(sends.map(({ nonce }) => nonce)).size).toBe(1);
  expect(sends.map(({ resend }) => resend)).toEqual([undefined, true, true]);
});

test("messages arrive in order despite a lost connection", async () => {
  await channel.load();
  let cuts = 1;
  server.cutsAfter = ({ params }) => params["content"] === "3" && cuts-- > 0;
  const texts = Array.from({ length: 60 }, (_, i) => `${i}`);
  await Promise.all(texts.map((text) => channel.send(text)));
  expect(server.channel.messages.map(({ content }) => content)).toEqual(texts);
  await until(isExact);
});

test("waits for a rate limit, and fails with the server's error for rejected messages", async () => {
  await channel.load();
  let refusals = 1;
  server.refuses = ({ params }) => {
    if (params["content"] === "never") return { type: "MUTED", data: { mutedUntil: "2030-01-01T00:00:00Z" } };
    return params["content"] === "later" && refusals-- > 0
      ? { type: "RATE_LIMITED", data: { retryAfterMs: 20 } }
      : undefined;
  };
  const later = channel.send("later");
  await expect(channel.send("never")).rejects.toMatchObject({ type: "MUTED" });
  await later;
  expect(server.callsOf("message.send").every(({ params }) => params["resend"] === undefined)).toBe(true);
  expect(channel.snapshot.pending).toEqual([]);
});

test("the number of pending messages is limited", async () => {
  const sends = Array.from({ length: 201 }, (_, i) => channel.send(`${i}`));
  await expect(sends.at(-1)).rejects.toMatchObject({ type: "TOO_MANY_PENDING" });
  await Promise.all(sends.slice(0, -1));
});

test("an invisible channel fails to load; a deleted one is gone", async () => {
  server.refuses = ({ name }) => (name === "message.list" ? { type: "CHANNEL_NOT_FOUND" } : undefined);
  await expect(channel.load()).rejects.toMatchObject({ type: "CHANNEL_NOT_FOUND" });
  server.refuses = () => undefined;
  await channel.load();
  server.emit("channel.deleted", { groupId: "9".repeat(24), channelId: CHANNEL_ID });
  await until(() => channel.snapshot.status === "gone");
});

test("loading is retried if the server is overloaded", async () => {
  let refusals = 2;
  server.refuses = () => (refusals-- > 0 ? { type: "OVERLOADED", data: { retryAfterMs: 1 } } : undefined);
  postMany(3);
  await channel.load();
  expect(isExact()).toBe(true);
});

test("a closed channel receives nothing, and its pending messages fail", async () => {
  await channel.load();
  server.cutsAfter = () => true;
  const sending = channel.send("lost");
  channel.close();
  await expect(sending).rejects.toMatchObject({ type: "CLOSED" });
  expect(client.channel(CHANNEL_ID)).not.toBe(channel);
});

test("many channels are synced with as few calls as the limit allows", async () => {
  const ids = Array.from({ length: 150 }, (_, i) => i.toString(16).padStart(24, "0"));
  await Promise.all(ids.map((id) => client.channel(id).load()));
  server.loses = () => true;
  postMany(3);
  server.emit("resync", {});
  await until(() => ids.every((id) => client.channel(id).head.rev === 3));
  const sizes = server.callsOf("channel.sync").map(({ params }) => (params["cursors"] as unknown[]).length);
  expect(sizes).toEqual([100, 50]);
});

test("a channel that fails to reload does not block another one", async () => {
  const other = client.channel("d".repeat(24));
  await other.load();
  await channel.load();
  server.loses = () => true;
  server.refuses = ({ name, params }) =>
    name === "message.list" && params["channelId"] === other.channelId ? { type: "INTERNAL" } : undefined;
  postMany(250);
  server.emit("resync", {});
  await until(() => channel.head.seq === 250);
  expect(channel.messages).toHaveLength(50);
  expect(other.messages).toEqual([]);
});

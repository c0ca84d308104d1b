import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  LIMITS,
  MEMBER_PERMISSIONS,
  NO_PERMISSIONS,
  PERMISSIONS,
  userRoom,
  type ActionName,
  type Message,
  type Params,
} from "@fanfare/contract";
import { Types } from "mongoose";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { GROUP_ID, startMessageNode, type MessageNode } from "./message-node.ts";

let dir: string;
let node: MessageNode;
let channelId: string;
let channels = 0;
let nonces = 0;

const author = "a".repeat(24);
const reader = "b".repeat(24);
const moderator = "d".repeat(24);
const stranger = "9".repeat(24);

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "fanfare-message-"));
  node = await startMessageNode({ DATA_DIR: dir });
  node.permissions.set(moderator, MEMBER_PERMISSIONS | PERMISSIONS.manageMessages);
  node.permissions.set(stranger, NO_PERMISSIONS);
});
afterAll(async () => {
  await node?.stop();
  await rm(dir, { recursive: true });
});
beforeEach(() => {
  channelId = `cccc${(channels += 1).toString(16).padStart(20, "0")}`;
  node.published.length = 0;
});

async function send(content: string, more: Partial<Params<"message.send">> = {}): Promise<Message> {
  const params = { channelId, content, nonce: `nonce ${(nonces += 1)}`, ...more };
  return (await node.as(author, "message.send", params)).message;
}

async function refusal<N extends ActionName>(userId: string, name: N, params: Params<N>): Promise<string> {
  return node.as(userId, name, params).then(
    () => "allowed",
    (error: { type: string }) => error.type,
  );
}

const contents = (messages: readonly Message[]) => messages.map(({ content }) => content);

test("a sent message is returned, published to the rooms of its channel, and listed", async () => {
  const message = await send("hello", { nonce: "first" });
  expect(message).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{24}$/),
    channelId,
    seq: 1,
    rev: 1,
    authorId: author,
    content: "hello",
    replyTo: null,
    nonce: "first",
    createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    editedAt: null,
    deletedAt: null,
  });
  expect(node.published).toEqual([
    { rooms: [`group:${GROUP_ID}`], name: "message.created", payload: { channelId, messages: [message] } },
  ]);
  expect(await node.as(reader, "message.list", { channelId })).toEqual({
    messages: [message],
    hasMore: false,
    head: { seq: 1, rev: 1 },
  });
  expect(await node.as(reader, "message.get", { channelId, messageId: message.id })).toEqual({ message });
});

test("a nonce creates one message, also concurrently, later and as a resend, and uses one number", async () => {
  const twice = await Promise.all([send("one", { nonce: "same" }), send("two", { nonce: "same" })]);
  const later = await send("three", { nonce: "same" });
  const resent = await send("four", { nonce: "same", resend: true });
  for (const answer of [...twice, later, resent]) expect(answer).toEqual(twice[0]);
  expect((await send("next")).seq).toBe(2);
  expect(node.published).toHaveLength(2);
});

test("the same nonce of another author or in another channel creates another message", async () => {
  await send("one", { nonce: "same" });
  const { message } = await node.as(reader, "message.send", { channelId, content: "two", nonce: "same" });
  const elsewhere = await send("three", { nonce: "same", channelId: "7".repeat(24) });
  expect([message.seq, elsewhere.seq]).toEqual([2, 1]);
});

test("a reply requires a message of the same channel that is not deleted", async () => {
  const first = await send("first");
  expect((await send("reply", { replyTo: first.id })).replyTo).toBe(first.id);
  const other = { channelId: "8".repeat(24), content: "x", nonce: "x", replyTo: first.id };
  expect(await refusal(author, "message.send", other)).toBe("MESSAGE_NOT_FOUND");
  await node.as(author, "message.delete", { channelId, messageId: first.id });
  const late = { channelId, content: "x", nonce: "y", replyTo: first.id };
  expect(await refusal(author, "message.send", late)).toBe("MESSAGE_NOT_FOUND");
});

test("only the author can edit; the message keeps its seq and gets a new rev", async () => {
  const before = await send("before");
  await send("another");
  const edit = { channelId, messageId: before.id, content: "after" };
  expect(await refusal(reader, "message.edit", edit)).toBe("FORBIDDEN");
  expect(await refusal(moderator, "message.edit", edit)).toBe("FORBIDDEN");
  const { message } = await node.as(author, "message.edit", edit);
  expect(message).toEqual({ ...before, content: "after", rev: 3, editedAt: expect.any(String) });
  expect(node.published.at(-1)).toMatchObject({ name: "message.changed", payload: { message } });
  expect((await node.as(author, "message.edit", edit)).message.rev).toBe(4);
});

test("the author and moderators can delete; a tombstone without text remains, and stays deleted", async () => {
  const [one, two] = [await send("one"), await send("two")];
  const params = { channelId, messageId: one.id };
  expect(await refusal(reader, "message.delete", params)).toBe("FORBIDDEN");
  await node.as(author, "message.delete", params);
  await node.as(moderator, "message.delete", { channelId, messageId: two.id });
  const tombstone = { ...one, content: "", rev: 3, deletedAt: expect.any(String) };
  expect(node.published.at(-2)).toMatchObject({ name: "message.deleted", payload: { message: tombstone } });
  expect((await node.as(reader, "message.get", params)).message).toEqual(tombstone);
  expect(await refusal(author, "message.edit", { ...params, content: "again" })).toBe("MESSAGE_NOT_FOUND");
  const published = node.published.length;
  await node.as(author, "message.delete", params);
  expect(node.published).toHaveLength(published);
  // The audit log contains deletions by moderators, once, but not by authors.
  const of = { channelId, messageId: two.id };
  await node.as(moderator, "message.delete", of);
  expect(node.audited.filter(({ targetId }) => [one.id, two.id].includes(targetId!))).toEqual([
    {
      groupId: GROUP_ID,
      actorId: moderator,
      action: "message.delete",
      targetId: two.id,
      before: { channelId, authorId: author },
    },
  ]);
});

test("messages of other channels are not found", async () => {
  const { id } = await send("here");
  const elsewhere = { channelId: "6".repeat(24), messageId: id };
  expect(await refusal(author, "message.get", elsewhere)).toBe("MESSAGE_NOT_FOUND");
  expect(await refusal(author, "message.edit", { ...elsewhere, content: "x" })).toBe("MESSAGE_NOT_FOUND");
  expect(await refusal(author, "message.delete", elsewhere)).toBe("MESSAGE_NOT_FOUND");
});

test("users who can't see the channel get nothing from it", async () => {
  const { id } = await send("secret");
  const one = { channelId, messageId: id };
  for (const refused of [
    refusal(stranger, "message.send", { channelId, content: "x", nonce: "x" }),
    refusal(stranger, "message.edit", { ...one, content: "x" }),
    refusal(stranger, "message.delete", one),
    refusal(stranger, "message.get", one),
    refusal(stranger, "message.list", { channelId }),
    refusal(stranger, "channel.markRead", { channelId, seq: 1 }),
    refusal(stranger, "message.listReaders", one),
    refusal(stranger, "channel.markUnread", { channelId, seq: 1 }),
  ]) {
    expect(await refused).toBe("CHANNEL_NOT_FOUND");
  }
  const { channels } = await node.as(stranger, "channel.sync", { cursors: [{ channelId, afterRev: 0 }] });
  expect(channels).toEqual([{ channelId, status: "gone", messages: [], head: { seq: 0, rev: 0 } }]);
});

test("pages: the newest, before, after and around a seq, always in order of seq", async () => {
  for (let i = 1; i <= 10; i++) await send(`${i}`);
  const page = async (params: object) =>
    contents((await node.as(reader, "message.list", { channelId, limit: 4, ...params })).messages);
  expect(await page({})).toEqual(["7", "8", "9", "10"]);
  expect(await page({ before: 7 })).toEqual(["3", "4", "5", "6"]);
  expect(await page({ before: 2 })).toEqual(["1"]);
  expect(await page({ after: 2 })).toEqual(["3", "4", "5", "6"]);
  expect(await page({ after: 10 })).toEqual([]);
  expect(await page({ around: 5 })).toEqual(["3", "4", "5", "6"]);
  expect(await page({ around: 1 })).toEqual(["1", "2", "3", "4"]);
  expect(await page({ around: 10 })).toEqual(["7", "8", "9", "10"]);
  expect(await page({ around: 99 })).toEqual(["7", "8", "9", "10"]);
  expect(await page({ around: 5, limit: 1 })).toEqual(["5"]);
  expect(await refusal(reader, "message.list", { channelId, before: 1, after: 1 })).toBe("VALIDATION_FAILED");
});

test("sync returns the changes since a rev, each message once in its current state; too many cause a resync", async () => {
  const first = await send("1");
  await send("2");
  await node.as(author, "message.edit", { channelId, messageId: first.id, content: "1, edited" });
  const ask = async (afterRev: number) =>
    (await node.as(reader, "channel.sync", { cursors: [{ channelId, afterRev }] })).channels[0]!;
  expect(contents((await ask(0)).messages)).toEqual(["2", "1, edited"]);
  expect(contents((await ask(2)).messages)).toEqual(["1, edited"]);
  expect(await ask(3)).toEqual({
    channelId,
    status: "ok",
    messages: [],
    head: { seq: 2, rev: 3 },
  });
  expect((await ask(4)).status).toBe("resync");
  await Promise.all(Array.from({ length: LIMITS.changesPerSync - 2 }, (_, i) => send(`more ${i}`)));
  expect(await ask(0)).toMatchObject({ status: "ok" });
  await send("one too many");
  expect(await ask(0)).toMatchObject({ status: "resync", messages: [] });
});

test("a sync returns a limited number of changes; other channels must reload", async () => {
  await Promise.all(Array.from({ length: LIMITS.changesPerSync }, (_, i) => send(`${i}`)));
  // The same channel repeated, which is the cheapest request for the caller.
  const cursors = Array.from({ length: LIMITS.channelsPerSync }, () => ({ channelId, afterRev: 0 }));
  const caughtUp = { channelId, afterRev: LIMITS.changesPerSync };
  const { channels } = await node.as(reader, "channel.sync", { cursors: [...cursors.slice(1), caughtUp] });
  const messages = channels.reduce((sum, channel) => sum + channel.messages.length, 0);
  expect(messages).toBe(LIMITS.changesPerSyncCall);
  const full = LIMITS.changesPerSyncCall / LIMITS.changesPerSync;
  expect(channels.slice(0, full).every(({ status }) => status === "ok")).toBe(true);
  expect(channels.slice(full, -1).every(({ status }) => status === "resync")).toBe(true);
  expect(channels.at(-1)!.status).toBe("ok");
});

test("one sync covers many channels, in the requested order", async () => {
  const ids = Array.from(
    { length: LIMITS.channelsPerSync },
    (_, i) => `5000${i.toString(16).padStart(20, "0")}`,
  );
  await Promise.all(ids.slice(0, 50).map((id, i) => send(`${i}`, { channelId: id })));
  const cursors = ids.map((id) => ({ channelId: id, afterRev: 0 }));
  const { channels } = await node.as(reader, "channel.sync", { cursors });
  expect(channels.map((channel) => channel.channelId)).toEqual(ids);
  expect(channels.map(({ messages }) => messages.length)).toEqual([
    ...Array.from({ length: 50 }, () => 1),
    ...Array.from({ length: 50 }, () => 0),
  ]);
});

test("a read marker only moves forward, not past the newest message, and is published to the user's sessions", async () => {
  for (let i = 1; i <= 3; i++) await send(`${i}`);
  node.published.length = 0;
  const mark = async (seq: number) =>
    (await node.as(reader, "channel.markRead", { channelId, seq })).lastReadSeq;
  expect([await mark(0), await mark(2), await mark(1), await mark(2), await mark(99), await mark(0)]).toEqual(
    [0, 2, 2, 2, 3, 3],
  );
  expect(node.published).toEqual(
    [2, 3].map((lastReadSeq) => ({
      rooms: [userRoom(reader)],
      name: "readMarker.updated",
      payload: { channelId, lastReadSeq },
    })),
  );
  const empty = "4".repeat(24);
  const { heads } = await node.node.services.message.listHeads({
    userId: reader,
    channelIds: [empty, channelId],
  });
  expect(heads).toEqual([
    { channelId: empty, head: { seq: 0, rev: 0 }, lastReadSeq: 0 },
    { channelId, head: { seq: 3, rev: 3 }, lastReadSeq: 3 },
  ]);
});

test("lists who has read a message, without its author and without those who can no longer see it", async () => {
  const [first, second] = [await send("1"), await send("2")];
  const readersOf = ({ id }: { id: string }) =>
    node.as(author, "message.listReaders", { channelId, messageId: id });
  expect(await readersOf(first)).toEqual({ userIds: [], count: 0 });
  await node.as(author, "channel.markRead", { channelId, seq: 2 });
  await node.as(reader, "channel.markRead", { channelId, seq: 1 });
  expect(await readersOf(first)).toEqual({ userIds: [reader], count: 1 });
  expect(await readersOf(second)).toEqual({ userIds: [], count: 0 });
  await node.node.database.collection("readMarkers").insertOne({
    userId: new Types.ObjectId(stranger),
    channelId: new Types.ObjectId(channelId),
    seq: 2,
  });
  expect(await readersOf(second)).toEqual({ userIds: [], count: 0 });
});

test("in a large channel, a page of the readers is listed, and they are counted up to a limit", async () => {
  const [first, second] = [await send("1"), await send("2")];
  const read = (userIds: readonly Types.ObjectId[], seq: number) =>
    node.node.database
      .collection("readMarkers")
      .insertMany(userIds.map((userId) => ({ userId, channelId: new Types.ObjectId(channelId), seq })));
  const people = (count: number) => Array.from({ length: count }, () => new Types.ObjectId());
  const readersOf = async ({ id }: Message) => {
    const { userIds, count } = await node.as(author, "message.listReaders", { channelId, messageId: id });
    return { listed: new Set(userIds).size, count };
  };
  const { pageMaxItems: page, readersCounted: max } = LIMITS;
  await node.as(author, "channel.markRead", { channelId, seq: 2 });
  await read([new Types.ObjectId(stranger), ...people(page - 1)], 2);
  expect(await readersOf(first)).toEqual({ listed: page - 1, count: page - 1 });
  await read(people(1), 1);
  expect(await readersOf(first)).toEqual({ listed: page - 1, count: page + 1 });
  await read(people(max - page - 2), 1);
  expect(await readersOf(first)).toEqual({ listed: page - 1, count: max - 1 });
  await read(people(2), 1);
  expect(await readersOf(first)).toEqual({ listed: page - 1, count: max });
  expect(await readersOf(second)).toEqual({ listed: page - 1, count: page - 1 });
});

test("messages can be marked as unread from one on", async () => {
  for (let i = 1; i <= 3; i++) await send(`${i}`);
  const markUnread = async (seq: number) =>
    (await node.as(reader, "channel.markUnread", { channelId, seq })).lastReadSeq;
  expect(await markUnread(2)).toBe(0);
  await node.as(reader, "channel.markRead", { channelId, seq: 3 });
  node.published.length = 0;
  expect([await markUnread(4), await markUnread(3), await markUnread(3), await markUnread(1)]).toEqual([
    3, 2, 2, 0,
  ]);
  expect(node.published).toEqual(
    [2, 0].map((lastReadSeq) => ({
      rooms: [userRoom(reader)],
      name: "readMarker.lowered",
      payload: { channelId, lastReadSeq },
    })),
  );
  const { heads } = await node.node.services.message.listHeads({ userId: reader, channelIds: [channelId] });
  expect(heads[0]).toMatchObject({ head: { seq: 3 }, lastReadSeq: 0 });
  expect(await node.as(reader, "channel.markRead", { channelId, seq: 2 })).toEqual({ lastReadSeq: 2 });
});

test("when markers are set concurrently, the highest wins", async () => {
  for (let i = 1; i <= 20; i++) await send(`${i}`);
  const seqs = Array.from({ length: 20 }, (_, i) => ((i * 7) % 20) + 1);
  await Promise.all(seqs.map((seq) => node.as(reader, "channel.markRead", { channelId, seq })));
  const { heads } = await node.node.services.message.listHeads({ userId: reader, channelIds: [channelId] });
  expect(heads[0]?.lastReadSeq).toBe(20);
});

test("a thread is a changed one after each message, edit, pin and deletion", async () => {
  node.threads.add(channelId);
  const listChanged = async (after: string) =>
    (
      await node.node.services.message.listChangedThreads({
        groups: [{ groupId: GROUP_ID, after }],
        limit: 500,
      })
    ).threads;
  let after = `${Date.now()}-${"0".repeat(24)}`;
  const expectChanged = async (rev: number) => {
    const changed = (await listChanged(after)).filter((thread) => thread.channelId === channelId);
    expect(changed).toMatchObject([{ groupId: GROUP_ID, channelId, head: { seq: 1, rev } }]);
    after = changed[0]!.cursor;
    expect(await listChanged(after)).toEqual([]);
    // The next change has a later time.
    await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(Number(after.split("-")[0])));
  };
  const { id: messageId } = await send("before");
  await expectChanged(1);
  const message = { channelId, messageId };
  await node.as(author, "message.edit", { ...message, content: "after" });
  await expectChanged(2);
  await node.as(moderator, "message.pin", message);
  await expectChanged(3);
  await node.as(author, "message.delete", message);
  await expectChanged(4);
});

test("lost heads are restored from the messages", async () => {
  await send("1");
  await send("2");
  await node.node.database.collection("channelHeads").deleteMany({});
  expect(await send("3")).toMatchObject({ seq: 3, rev: 3 });
});

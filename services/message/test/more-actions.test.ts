import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  LIMITS,
  MEMBER_PERMISSIONS,
  mentionKey,
  PERMISSIONS,
  type ActionName,
  type EventPayload,
  type Message,
  type Params,
} from "@fanfare/contract";
import { startEmbeddedMongo, type EmbeddedMongo } from "@fanfare/embedded-mongo";
import mongoose from "mongoose";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { GROUP_ID, startMessageNode, type MessageNode } from "./message-node.ts";

let dir: string;
let database: EmbeddedMongo;
let node: MessageNode;
let channelId: string;
let counter = 0;

const author = "a".repeat(24);
const reader = "b".repeat(24);
const moderator = "d".repeat(24);
const muchMentioned = "5".repeat(24);
const hexId = (prefix: string, n: number): string =>
  `${prefix}${n.toString(16).padStart(24 - prefix.length, "0")}`;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "fanfare-message-"));
  database = await startEmbeddedMongo({ dir: join(dir, "db") });
  const url = new URL(database.uri);
  url.searchParams.set("monitorCommands", "true");
  node = await startMessageNode({ DATA_DIR: dir, MONGO_URL: url.href });
  const moderates = PERMISSIONS.manageMessages | PERMISSIONS.mentionEveryone;
  node.permissions.set(moderator, MEMBER_PERMISSIONS | moderates);
});
afterAll(async () => {
  await node?.stop();
  await database?.close();
  await rm(dir, { recursive: true });
});
beforeEach(() => {
  channelId = hexId("c0c0", (counter += 1));
  node.published.length = 0;
  node.stored.length = 0;
});

async function send(
  content: string,
  more: Partial<Params<"message.send">> = {},
  userId = author,
): Promise<Message> {
  const params = { channelId, content, nonce: `nonce ${(counter += 1)}`, ...more };
  return (await node.as(userId, "message.send", params)).message;
}

async function refusal<N extends ActionName>(userId: string, name: N, params: Params<N>): Promise<unknown> {
  return node.as(userId, name, params).then(
    () => "allowed",
    (error: { type: string; data?: unknown }) =>
      error.data === undefined ? error.type : [error.type, error.data],
  );
}

const of = ({ id }: Message) => ({ channelId, messageId: id });
const get = async (message: Message): Promise<Message> =>
  (await node.as(reader, "message.get", of(message))).message;
const mentionsOf = async (key: string, before?: string): Promise<string[]> => {
  const listed = await node.internal("message.listMentions", {
    keys: [key],
    limit: 2,
    ...(before && { before }),
  });
  return listed.messages.map(({ id }) => id);
};
const count = async (userId: string, afterSeq: number, ...keys: string[]): Promise<number> =>
  (await node.internal("message.countMentions", { userId, channels: [{ channelId, afterSeq, keys }] }))
    .counts[0]!;

test("other services are notified of stored messages", async () => {
  const message = await send("hello");
  await vi.waitFor(() => expect(node.stored).toEqual([message]));
});

test("users are mentioned, found and counted, until an edit or a deletion removes the mention", async () => {
  const ofReader = mentionKey.user(reader);
  const first = await send(`<@${reader}> and myself <@${author}>`);
  expect(first.mentions).toEqual({ userIds: [reader], roleIds: [], everyone: false });
  await send("nobody");
  const second = await send("someone", {});
  await node.as(author, "message.edit", { ...of(second), content: `now <@${reader}>` });
  const third = await send(`again <@${reader}>`);
  expect(await mentionsOf(ofReader)).toEqual([third.id, second.id]);
  expect(await mentionsOf(ofReader, second.id)).toEqual([first.id]);
  expect(await count(reader, 0, ofReader)).toBe(3);
  expect(await count(reader, first.seq, ofReader)).toBe(2);
  expect(await count(author, 0, ofReader)).toBe(0);
  await node.as(author, "message.edit", { ...of(third), content: "no more" });
  await node.as(author, "message.delete", of(second));
  expect((await get(third)).mentions).toBeUndefined();
  expect(await mentionsOf(ofReader)).toEqual([first.id]);
  expect(await count(reader, 0, ofReader)).toBe(1);
});

test("a message that matches two keys is counted and listed once", async () => {
  const message = await send(`<@${muchMentioned}> @everyone`, {}, moderator);
  const keys = [mentionKey.user(muchMentioned), mentionKey.all(GROUP_ID)];
  expect(await count(muchMentioned, 0, ...keys)).toBe(1);
  const { messages } = await node.internal("message.listMentions", { keys, limit: 10 });
  expect(messages.map(({ id }) => id)).toEqual([message.id]);
});

test("@everyone and closed roles need a permission; open roles can be mentioned by all", async () => {
  const [open, closed] = [
    { id: hexId("e0", 1), mentionable: true },
    { id: hexId("e0", 2), mentionable: false },
  ];
  node.roles.push(open, closed);
  const text = `@everyone <@&${open.id}> <@&${closed.id}>`;
  expect((await send(text)).mentions).toEqual({ userIds: [], roleIds: [open.id], everyone: false });
  const all = { userIds: [], roleIds: [open.id, closed.id], everyone: true };
  expect((await send(text, {}, moderator)).mentions).toEqual(all);
});

test("users and roles of other groups aren't mentioned, even by those who can mention everyone", async () => {
  const [stranger, foreign] = [hexId("57", 1), hexId("e1", 1)];
  node.strangers.add(stranger);
  const text = `<@${stranger}> <@&${foreign}>`;
  for (const userId of [author, moderator]) expect((await send(text, {}, userId)).mentions).toBeUndefined();
  const both = await send(`${text} <@${reader}>`, {}, moderator);
  expect(both.mentions).toEqual({ userIds: [reader], roleIds: [], everyone: false });
  expect(await mentionsOf(mentionKey.user(stranger))).toEqual([]);
  expect(await mentionsOf(mentionKey.role(foreign))).toEqual([]);
  const edited = await send("nothing", {}, moderator);
  await node.as(moderator, "message.edit", { ...of(edited), content: text });
  expect((await get(edited)).mentions).toBeUndefined();
});

test("who was mentioned before an edit stays, even if they aren't members any more", async () => {
  const [gone, never] = [hexId("57", 2), hexId("57", 3)];
  const message = await send(`<@${gone}>`);
  node.strangers.add(gone).add(never);
  const asked = node.mentionLookups.length;
  const { message: edited } = await node.as(author, "message.edit", {
    ...of(message),
    content: `still <@${gone}>`,
  });
  expect(edited.mentions?.userIds).toEqual([gone]);
  expect(node.mentionLookups).toHaveLength(asked);
  const content = `<@${never}> <@${gone}> <@${reader}>`;
  await node.as(author, "message.edit", { ...of(message), content });
  expect((await get(message)).mentions?.userIds).toEqual([gone, reader]);
});

test("a message that the server posts for its author mentions what the author could mention", async () => {
  const [open, closed] = [
    { id: hexId("e0", 3), mentionable: true },
    { id: hexId("e0", 4), mentionable: false },
  ];
  node.roles.push(open, closed);
  const content = `<@&${open.id}> <@&${closed.id}>`;
  const post = { channelId, authorId: author, content, nonce: "posted" };
  const { message } = await node.internal("message.post", post);
  expect(message.mentions?.roleIds).toEqual([open.id]);
  const answer = { channelId, authorId: author, userId: reader, nonce: "answered" };
  await node.internal("message.answer", { ...answer, as: "message", content });
  await vi.waitFor(() =>
    expect(node.stored.at(-1)).toMatchObject({ content, mentions: { roleIds: [open.id] } }),
  );
  await node.internal("message.answer", { ...answer, ...of(message), as: "update", content: `${content}!` });
  expect((await get(message)).mentions?.roleIds).toEqual([open.id]);
});

test("only a message that names someone costs a look-up", async () => {
  const asked = node.mentionLookups.length;
  const plain = await send("hello");
  await send("ada@example.org, `<@b>`");
  await send("a reply to oneself", { replyTo: plain.id });
  await send("@everyone", {}, moderator);
  await node.as(author, "message.edit", { ...of(plain), content: "hello again" });
  expect(node.mentionLookups).toHaveLength(asked);
  await send(`<@${reader}> <@${moderator}> <@&${hexId("e0", 5)}>`);
  expect(node.mentionLookups).toHaveLength(asked + 1);
});

test("a reply mentions its author, unless turned off", async () => {
  const asked = await send("a question");
  const answer = await send("an answer", { replyTo: asked.id }, reader);
  expect(answer.mentions?.userIds).toEqual([author]);
  const edited = await node.as(reader, "message.edit", { ...of(answer), content: "a better answer" });
  expect(edited.message.mentions?.userIds).toEqual([author]);
  expect(
    (await send("quietly", { replyTo: asked.id, mentionAuthor: false }, reader)).mentions,
  ).toBeUndefined();
  expect((await send("to myself", { replyTo: asked.id })).mentions).toBeUndefined();
});

test("previous texts are visible to the author and to members who manage messages, and deleted with the message", async () => {
  const message = await send("zero");
  for (const content of ["one", "two"]) await node.as(author, "message.edit", { ...of(message), content });
  const { edits } = await node.as(author, "message.listEdits", of(message));
  expect(edits.map(({ version, content }) => [version, content])).toEqual([
    [1, "one"],
    [0, "zero"],
  ]);
  expect(edits[1]!.writtenAt).toBe(message.createdAt);
  const page = await node.as(moderator, "message.listEdits", { ...of(message), before: 1, limit: 1 });
  expect(page.edits.map(({ content }) => content)).toEqual(["zero"]);
  expect(await refusal(reader, "message.listEdits", of(message))).toBe("FORBIDDEN");
  await node.as(author, "message.delete", of(message));
  expect(await refusal(author, "message.listEdits", of(message))).toBe("MESSAGE_NOT_FOUND");
  expect(await node.node.database.collection("messageEdits").countDocuments({ messageId: message.id })).toBe(
    0,
  );
});

test("reactions: each user once, counted exactly, published with the current count", async () => {
  const message = await send("react!");
  const react = (userId: string, emoji = "👍") => node.as(userId, "message.react", { ...of(message), emoji });
  await Promise.all([react(reader), react(reader), react(author), react(reader, "🎉")]);
  await vi.waitFor(async () =>
    expect((await get(message)).reactions?.map(({ emoji, count: n }) => [emoji, n]).sort()).toEqual([
      ["🎉", 1],
      ["👍", 2],
    ]),
  );
  expect(await node.as(reader, "message.listReactors", { ...of(message), emoji: "👍", limit: 1 })).toEqual({
    userIds: [author],
    nextUserId: author,
  });
  const own = await node.as(reader, "message.listOwnReactions", { channelId, messageIds: [message.id] });
  expect(own.reactions.map(({ emoji }) => emoji).sort()).toEqual(["🎉", "👍"]);
  await node.as(reader, "message.unreact", { ...of(message), emoji: "👍" });
  await node.as(reader, "message.unreact", { ...of(message), emoji: "🎉" });
  await vi.waitFor(async () =>
    expect((await get(message)).reactions).toEqual([{ emoji: "👍", count: 1, userIds: [author] }]),
  );
  const changes = node.published
    .filter(({ name }) => name === "reaction.changed")
    .map(({ payload }) => payload as EventPayload<"reaction.changed">);
  expect(changes.at(-1)).toMatchObject({ messageId: message.id, reactions: [{ emoji: "👍", count: 1 }] });
  let rev = message.rev;
  for (const change of changes) {
    expect(change.afterRev).toBe(rev);
    rev = change.rev;
  }
  await vi.waitFor(async () =>
    expect(await node.node.database.collection("uncountedReactions").countDocuments()).toBe(0),
  );
});

test("reactions of many users cause few changes, none is lost, and few users are listed", async () => {
  const message = await send("announcement");
  const users = Array.from({ length: 300 }, (_, i) => hexId("1", i));
  await Promise.all(users.map((userId) => node.as(userId, "message.react", { ...of(message), emoji: "❤️" })));
  await vi.waitFor(async () => expect((await get(message)).reactions?.[0]?.count).toBe(300), 5000);
  const shown = await get(message);
  expect(shown.reactions![0]!.userIds).toEqual(users.slice(0, LIMITS.reactionUsersShown));
  expect(shown.rev - message.rev).toBeLessThan(20);
});

test("reactions that a dead worker has not counted are counted by the next", async () => {
  const message = await send("left behind");
  const { database: stored } = node.node;
  const { ObjectId } = mongoose.mongo;
  const _id = new ObjectId(message.id);
  const reaction = {
    channelId: new ObjectId(channelId),
    messageId: _id,
    emoji: "👍",
    userId: new ObjectId(reader),
  };
  await stored.collection("reactions").insertOne(reaction);
  const note = { _id, channelId: new ObjectId(channelId), token: "left", since: new Date(0) };
  await stored.collection("uncountedReactions").insertOne(note);
  const otherDir = await mkdtemp(join(tmpdir(), "fanfare-message-"));
  const other = await startMessageNode({ DATA_DIR: otherDir, MONGO_URL: database.uri });
  await vi.waitFor(async () => expect((await get(message)).reactions?.[0]?.count).toBe(1), 5000);
  await other.stop();
  await rm(otherDir, { recursive: true });
});

test("a message accepts a limited number of different reactions, and only emoji", async () => {
  const message = await send("many");
  const emojis = Array.from("😀😁😂😃😄😅😆😇😈😉😊😋😌😍😎😏😐😑😒😓");
  for (const emoji of emojis) await node.as(reader, "message.react", { ...of(message), emoji });
  const max = LIMITS.reactionsPerMessage;
  const refused = ["LIMIT_REACHED", { limit: "reactionsPerMessage", max }];
  expect(await refusal(reader, "message.react", { ...of(message), emoji: "😔" })).toEqual(refused);
  expect(await refusal(author, "message.react", { ...of(message), emoji: emojis[0]! })).toBe("allowed");
  for (const emoji of ["", "no", "👍👍", "a".repeat(23)]) {
    expect(await refusal(reader, "message.react", { ...of(message), emoji })).toMatchObject([
      "VALIDATION_FAILED",
      {},
    ]);
  }
});

test("data of a deleted message is removed", async () => {
  const message = await send("soon gone");
  await node.as(reader, "message.react", { ...of(message), emoji: "👍" });
  await node.as(moderator, "message.pin", of(message));
  await node.as(author, "message.delete", of(message));
  await vi.waitFor(async () => {
    const left = { messageId: new mongoose.mongo.ObjectId(message.id) };
    expect(await node.node.database.collection("reactions").countDocuments(left)).toBe(0);
  });
  expect(await get(message)).not.toHaveProperty("pinnedAt");
  expect((await node.as(reader, "message.listPins", { channelId })).messages).toEqual([]);
  expect(await refusal(reader, "message.react", { ...of(message), emoji: "👍" })).toBe("MESSAGE_NOT_FOUND");
});

test("pins: need manageMessages, newest first, published, limited in number", async () => {
  const [first, second] = [await send("one"), await send("two")];
  expect(await refusal(author, "message.pin", of(first))).toBe("FORBIDDEN");
  const pinned = (await node.as(moderator, "message.pin", of(first))).message;
  expect(pinned).toMatchObject({ pinnedBy: moderator, pinnedAt: expect.any(String), rev: 3 });
  expect((await node.as(moderator, "message.pin", of(first))).message).toEqual(pinned);
  await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(Date.parse(pinned.pinnedAt!)));
  await node.as(moderator, "message.pin", of(second));
  const list = async () => (await node.as(reader, "message.listPins", { channelId })).messages;
  expect((await list()).map(({ id }) => id)).toEqual([second.id, first.id]);
  await node.as(moderator, "message.unpin", of(second));
  expect(await list()).toEqual([pinned]);
  expect(node.published.filter(({ name }) => name === "message.changed")).toHaveLength(3);
  const many = await Promise.all(Array.from({ length: LIMITS.pinsPerChannel }, (_, i) => send(`${i}`)));
  for (const message of many.slice(1)) await node.as(moderator, "message.pin", of(message));
  const refused = ["LIMIT_REACHED", { limit: "pinsPerChannel", max: LIMITS.pinsPerChannel }];
  expect(await refusal(moderator, "message.pin", of(many[0]!))).toEqual(refused);
});

test("previews are set once per text, published, and removed by an edit", async () => {
  const message = await send("https://example.org");
  const embed = { url: "https://example.org", title: "T", description: "", siteName: "", imageUrl: null };
  const set = (editedAt: string | null) =>
    node.internal("message.setEmbeds", { ...of(message), embeds: [embed], editedAt });
  expect(await set(null)).toEqual({ isSet: true });
  expect((await get(message)).embeds).toEqual([embed]);
  const { message: edited } = await node.as(author, "message.edit", { ...of(message), content: "nothing" });
  expect(edited.embeds).toBeUndefined();
  expect(await set(null)).toEqual({ isSet: false });
  expect(await set(edited.editedAt)).toEqual({ isSet: true });
});

test("a webhook posts under another name, with the permissions of its creator", async () => {
  const as = { name: "Build", avatarUrl: null };
  const posted = { channelId, authorId: author, content: `done <@${reader}>`, nonce: "hook", as };
  const { message } = await node.internal("message.post", posted);
  expect(message).toMatchObject({ as, mentions: { userIds: [reader] } });
  expect(await get(message)).toEqual(message);
  expect((await node.internal("message.post", posted)).message.id).toBe(message.id);
});

test("a message without text needs attachments, which must be files of the sender", async () => {
  const fileId = hexId("f11e", 1);
  const restricted = hexId("9", 1);
  node.permissions.set(restricted, MEMBER_PERMISSIONS & ~PERMISSIONS.attachFiles);
  const empty = { channelId, content: "", nonce: "empty" };
  expect(await refusal(author, "message.send", empty)).toMatchObject(["VALIDATION_FAILED", {}]);
  const withFile = { ...empty, attachmentIds: [fileId] };
  expect(await refusal(author, "message.send", withFile)).toMatchObject(["VALIDATION_FAILED", {}]);
  expect(await refusal(restricted, "message.send", withFile)).toBe("FORBIDDEN");
  const attachment = { fileId, name: "a", bytes: 1, contentType: "a/b", width: null, height: null };
  node.files.set(fileId, attachment);
  const { message } = await node.as(author, "message.send", withFile);
  expect(message.attachments).toEqual([attachment]);
  expect(await get(message)).toEqual(message);
  const sent = { channelId, authorId: author, nonce: "empty" };
  expect(await node.internal("message.findSent", sent)).toEqual({ attachments: [attachment] });
  await node.as(author, "message.delete", of(message));
  expect([...node.files]).toEqual([]);
  expect(await node.internal("message.findSent", sent)).toEqual({ attachments: [] });
});

test("a page around a time, also when messages are missing", async () => {
  const sent: Message[] = [];
  for (let i = 0; i < 12; i++) sent.push(await send(`${i}`));
  const messages = node.node.database.collection("messages");
  const hour = (i: number): Date => new Date(Date.UTC(2026, 0, 1, i));
  for (const [i, { id }] of sent.entries()) {
    await messages.updateOne({ _id: new mongoose.mongo.ObjectId(id) }, { $set: { createdAt: hour(i) } });
  }
  await messages.deleteMany({
    _id: { $in: sent.slice(3, 6).map(({ id }) => new mongoose.mongo.ObjectId(id)) },
  });
  const at = async (time: Date): Promise<string[]> => {
    const page = { channelId, atTime: time.toISOString(), limit: 3 };
    return (await node.as(reader, "message.list", page)).messages.map(({ content }) => content);
  };
  expect(await at(hour(8))).toEqual(["7", "8", "9"]);
  expect(await at(new Date(hour(8).getTime() + 1))).toEqual(["8", "9", "10"]);
  expect(await at(hour(4))).toEqual(["2", "6", "7"]);
  expect(await at(hour(-1))).toEqual(["0", "1", "2"]);
  expect(await at(hour(20))).toEqual(["9", "10", "11"]);
});

test("slow mode: exact waits, resends don't count, other users aren't affected", async () => {
  node.slowModeMs.set(channelId, 60_000);
  const params = { channelId, content: "one", nonce: "slow" };
  const { message } = await node.as(author, "message.send", params);
  const refused = (await refusal(author, "message.send", { ...params, nonce: "fast" })) as [string, unknown];
  expect(refused).toEqual(["SLOW_MODE", { retryAfterMs: expect.any(Number) }]);
  const { retryAfterMs } = refused[1] as { retryAfterMs: number };
  expect(retryAfterMs).toBeGreaterThan(50_000);
  expect(retryAfterMs).toBeLessThanOrEqual(60_000);
  expect((await node.as(author, "message.send", { ...params, resend: true })).message).toEqual(message);
  await send("another user", {}, reader);
});

test("counting in several channels: one full of mentions doesn't affect the others", async () => {
  const [full, few] = [channelId, hexId("c0c1", counter)];
  const text = `<@${muchMentioned}>`;
  await Promise.all(Array.from({ length: 3 * LIMITS.mentionsCounted + 20 }, () => send(text)));
  for (let i = 0; i < 3; i++) await send(text, { channelId: few });
  await send(text, { channelId: few }, muchMentioned);
  const keys = [mentionKey.user(muchMentioned)];
  const channels = [full, few, hexId("c0c2", counter)].map((id) => ({ channelId: id, afterSeq: 0, keys }));
  const count = async (...asked: ((typeof channels)[number] & { upToSeq?: number })[]) =>
    (await node.internal("message.countMentions", { userId: muchMentioned, channels: asked })).counts;
  expect(await count(...channels)).toEqual([LIMITS.mentionsCounted, 3, 0]);
  expect(await count({ ...channels[0]!, afterSeq: 310 }, { ...channels[1]!, afterSeq: 1 })).toEqual([10, 2]);
  expect(await count({ ...channels[0]!, afterSeq: 310, upToSeq: 315 }, channels[1]!)).toEqual([5, 3]);
});

test("the neighbors of a page of messages in many channels are read with one query", async () => {
  const sent: Message[] = [];
  for (const more of [0, 1, 2].map((n) => ({ channelId: hexId(`c0c${n}`, counter) })))
    for (const text of ["one", "two", "three"]) sent.push(await send(text, more));
  const reads: unknown[] = [];
  const note = ({ command }: { command: Record<string, unknown> }) => {
    if (command["find"] === "messages") reads.push(command);
  };
  const client = node.node.database.getClient();
  client.on("commandStarted", note);
  const asked = sent.map(({ id, ...place }) => ({
    messageId: id,
    channelId: place.channelId,
    seq: place.seq,
  }));
  const { context } = await node.internal("message.listContext", { messages: asked });
  client.off("commandStarted", note);
  expect(reads).toHaveLength(1);
  expect(context.map(({ before, after }) => [before?.content, after?.content])).toEqual(
    [0, 1, 2].flatMap(() => [
      [undefined, "two"],
      ["one", "three"],
      ["two", undefined],
    ]),
  );
  expect(context[1]!.before).toMatchObject({ id: sent[0]!.id, authorId: author, seq: 1 });
});

test("an answer that updates a message keeps what it doesn't have, and can remove the rest", async () => {
  const nonce = "card";
  const controls = [{ kind: "button" as const, id: "a", label: "A" }];
  const post = { channelId, authorId: author, content: "text", nonce, cards: [{ title: "t" }], controls };
  const { message } = await node.internal("message.post", post);
  const answer = (changes: Partial<Params<"message.answer">>) =>
    node.internal("message.answer", {
      ...of(message),
      authorId: author,
      userId: reader,
      nonce,
      as: "update",
      ...changes,
    });
  await answer({ cards: [{ title: "new" }] });
  expect(await get(message)).toMatchObject({ content: "text", cards: [{ title: "new" }], controls });
  expect((await get(message)).editedAt).toBeNull();
  await answer({ controls: [] });
  expect(await get(message)).not.toHaveProperty("controls");
  await answer({ content: "done", cards: [] });
  expect((await get(message)).content).toBe("done");
  expect(await get(message)).not.toHaveProperty("cards");
  await expect(answer({ as: "message" })).rejects.toMatchObject({ type: "VALIDATION_FAILED" });
  expect(await refusal(author, "message.edit", of(message))).toContain("VALIDATION_FAILED");
});

test("the markdown of cards mentions users, but not their titles", async () => {
  const cards = [
    { title: `<@${moderator}>`, text: `<@${reader}>`, fields: [{ name: "a", value: `<@${author}>` }] },
  ];
  const post = { channelId, authorId: moderator, content: "", nonce: "card", cards };
  const { message } = await node.internal("message.post", post);
  expect(message.mentions?.userIds).toEqual([reader, author]);
  const update = {
    ...of(message),
    authorId: moderator,
    userId: reader,
    nonce: "card",
    as: "update" as const,
  };
  await node.internal("message.answer", { ...update, content: "more" });
  expect((await get(message)).mentions?.userIds).toEqual([reader, author]);
});

test("a posted card can't show a file, because it has none", async () => {
  const cards = [{ imageFileId: "0".repeat(24) }];
  const post = { channelId, authorId: author, content: "x", nonce: "picture", cards };
  await expect(node.internal("message.post", post)).rejects.toMatchObject({ type: "VALIDATION_FAILED" });
});

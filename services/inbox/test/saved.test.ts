import { FanfareClient } from "@fanfare/client";
import { type EventPayload, LIMITS, type Message } from "@fanfare/contract";
import { must, type Person, post } from "@fanfare/testing";
import { Types } from "mongoose";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { type Instance, startInstance } from "../../../test/support/instance.ts";
import { join, newGroup } from "./new-group.ts";

let instance: Instance;
let owner: Person;
let me: Person & { username: string };
let groupId: string;
let channelId: string;

beforeAll(async () => {
  instance = await startInstance();
});
afterAll(() => instance?.stop());

beforeEach(async () => {
  ({ owner, me, groupId, channelId } = await newGroup(instance.url));
});

let nonces = 0;
async function send(content: string): Promise<Message> {
  const params = { channelId, content, nonce: String((nonces += 1)) };
  return (await must(instance.url, "message.send", params, owner.accessToken)).message;
}

function save(messageId: string, remindAt: string | null = null) {
  return must(instance.url, "saved.add", { channelId, messageId, remindAt }, me.accessToken);
}

async function savedTexts(text?: string): Promise<string[]> {
  const texts: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const params: { text?: string; limit: number; cursor?: string } = {
      ...(text !== undefined && { text }),
      limit: 2,
      ...(cursor !== undefined && { cursor }),
    };
    const page = await must(instance.url, "saved.listMessages", params, me.accessToken);
    texts.push(...page.items.map(({ message }) => message.content));
    cursor = page.nextCursor;
  }
  return texts;
}

const savedIds = async (): Promise<string[]> =>
  (await must(instance.url, "saved.list", {}, me.accessToken)).saved.map(({ messageId }) => messageId);

test("saved messages are listed from the most recently saved, once each, and only for the user who saved them", async () => {
  const messages = [await send("one"), await send("two"), await send("three")];
  for (const index of [1, 2, 0, 1]) await save(messages[index]!.id);
  expect(await savedTexts()).toEqual(["one", "three", "two"]);
  expect(await savedIds()).toEqual([0, 2, 1].map((index) => messages[index]!.id));
  expect((await must(instance.url, "saved.list", {}, owner.accessToken)).saved).toEqual([]);
  for (const _ of [1, 2])
    await must(instance.url, "saved.remove", { messageId: messages[2]!.id }, me.accessToken);
  expect(await savedTexts()).toEqual(["one", "two"]);
});

test("saved messages are found by their words, as in a search", async () => {
  const contents = ["A red fox", "Foxes", "a RED herring", "nothing", "red again", "from the sea"];
  for (const content of contents) await save((await send(content)).id);
  await send("red, not saved");
  expect(await savedTexts("red")).toEqual(["red again", "a RED herring", "A red fox"]);
  expect(await savedTexts("fox")).toEqual(["Foxes", "A red fox"]);
  expect(await savedTexts('"fox" red')).toEqual(["A red fox"]);
  expect(await savedTexts("from")).toEqual(["from the sea"]);
  for (const text of ["fox herring", "…"]) expect(await savedTexts(text)).toEqual([]);
  await must(instance.url, "group.kick", { groupId, userId: me.userId }, owner.accessToken);
  expect(await savedTexts("red")).toEqual([]);
});

test("deleted messages, deleted channels and those the user can no longer see are left out", async () => {
  const [kept, gone] = [await send("kept"), await send("gone")];
  for (const { id } of [kept, gone]) await save(id);
  await must(instance.url, "message.delete", { channelId, messageId: gone.id }, owner.accessToken);
  expect(await savedTexts()).toEqual(["kept"]);
  expect(await savedIds()).toEqual([kept.id]);

  const params = { groupId, userId: me.userId };
  await must(instance.url, "group.kick", params, owner.accessToken);
  expect(await savedTexts()).toEqual([]);
  await join(instance.url, { owner, groupId }, me);
  expect(await savedTexts()).toEqual(["kept"]);

  await must(instance.url, "channel.create", { groupId, name: "other" }, owner.accessToken);
  await must(instance.url, "channel.delete", { channelId }, owner.accessToken);
  await vi.waitFor(async () => expect(await savedIds()).toEqual([]), 30_000);
});

test.each([
  ["a message that doesn't exist", () => "f".repeat(24)],
  [
    "a deleted message",
    async () => {
      const { id } = await send("gone");
      await must(instance.url, "message.delete", { channelId, messageId: id }, owner.accessToken);
      return id;
    },
  ],
])("%s can't be saved", async (_, create) => {
  const params = { channelId, messageId: await create() };
  const answer = await post(instance.url, "saved.add", params, me.accessToken);
  expect(answer).toMatchObject({ ok: false, error: { type: "MESSAGE_NOT_FOUND" } });
});

async function connect() {
  const client = new FanfareClient({ url: instance.url });
  const account = { username: me.username, password: "correct horse" };
  client.useTokens(await must(instance.url, "user.login", account));
  await client.connect();
  const due: EventPayload<"saved.reminded">[] = [];
  client.on("saved.reminded", (payload) => due.push(payload));
  return { client, due };
}

test("reminders come once, at their time or when it is past, to all sessions; changed and removed ones don't", async () => {
  const { client, due } = await connect();
  const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();
  const [past, soon, removed, later] = [
    await send("past"),
    await send("soon"),
    await send("x"),
    await send("y"),
  ];
  const pastAt = inMs(-60_000);
  await save(past.id, pastAt);
  await save(soon.id, inMs(500));
  for (const { id } of [removed, later]) await save(id, inMs(1500));
  await must(instance.url, "saved.remove", { messageId: removed.id }, me.accessToken);
  await save(later.id, inMs(3_600_000));
  await vi.waitFor(() => expect(due).toHaveLength(2), 60_000);
  expect(due.map(({ saved }) => saved.messageId)).toEqual([past.id, soon.id]);
  expect(due[0]!.saved).toMatchObject({ channelId, remindAt: pastAt });
  // The next one shows that the first ones aren't repeated.
  await save(later.id, inMs(0));
  await vi.waitFor(() => expect(due).toHaveLength(3), 60_000);
  expect(due[2]!.saved.messageId).toBe(later.id);
  expect((await savedTexts()).sort()).toEqual(["past", "soon", "y"]);
  client.close();
}, 150_000);

test("more reminders than one query can read come at once", async () => {
  const { client, due } = await connect();
  const [userId, channel] = [me.userId, channelId].map((id) => new Types.ObjectId(id));
  const at = new Date(Date.now() - 60_000);
  await instance.collection("savedMessages").insertMany(
    Array.from({ length: LIMITS.pageMaxItems }, () => ({
      userId,
      messageId: new Types.ObjectId(),
      channelId: channel,
      savedAt: at,
      remindAt: at,
      dueAt: at,
    })),
  );
  const { id } = await send("one more");
  await save(id, new Date().toISOString());
  await vi.waitFor(() => expect(due.map(({ saved }) => saved.messageId)).toEqual([id]), 60_000);
  client.close();
}, 90_000);

test("a reminder that fails doesn't hold up others", async () => {
  const { client, due } = await connect();
  const [broken, whole] = [await send("broken"), await send("whole")];
  const [userId, messageId, channel] = [me.userId, broken.id, channelId].map((id) => new Types.ObjectId(id));
  const at = new Date(Date.now() - 60_000);
  // Without the time at which it was saved.
  const document = { userId, messageId, channelId: channel, remindAt: at, dueAt: at };
  await instance.collection("savedMessages").insertOne(document);
  await save(whole.id, new Date().toISOString());
  await vi.waitFor(() => expect(due.map(({ saved }) => saved.messageId)).toEqual([whole.id]), 60_000);
  await instance.collection("savedMessages").deleteOne({ messageId });
  client.close();
}, 90_000);

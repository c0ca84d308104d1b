import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Result } from "@fanfare/contract";
import { Types } from "mongoose";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createHolds, holdActions } from "../src/hold/holds.ts";
import { startMessageNode, type MessageNode } from "./message-node.ts";

const OTHER = "b".repeat(24);
const ADMIN = "c".repeat(24);
const SPAN = { from: "2020-01-01T00:00:00.000Z", to: "2100-01-01T00:00:00.000Z" };

let node: MessageNode;
let dataDir: string;
let userId: string;
let channelId: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "fanfare-holds-"));
  node = await startMessageNode({ DATA_DIR: dataDir });
});
afterAll(async () => {
  await node.stop();
  await rm(dataDir, { recursive: true, force: true });
});
beforeEach(() => {
  userId = new Types.ObjectId().toHexString();
  channelId = new Types.ObjectId().toHexString();
});

const send = async (content: string, by = userId, to = channelId): Promise<string> => {
  const { message } = await node.as(by, "message.send", { channelId: to, content, nonce: content });
  return message.id;
};
const edit = (messageId: string, content: string) =>
  node.as(userId, "message.edit", { channelId, messageId, content });
const remove = (messageId: string, by = userId) => node.as(by, "message.delete", { channelId, messageId });
const startHold = async (): Promise<string> => {
  const started = { userId, name: "ada", reason: "Lawsuit", byUserId: ADMIN };
  return (await node.internal("message.startHold", started)).hold.id;
};
const endHold = (holdId: string) => node.internal("message.endHold", { userId, holdId, byUserId: ADMIN });
const textsOf = ({ lines }: Pick<Result<"message.exportSent">, "lines">): string[] =>
  lines.map((line) => (line.type === "edit" ? line.content : line.message.content));
/** All pages of an export. */
const exported = async (name: "message.exportSent" | "message.exportHeld", by = userId) => {
  const texts: string[] = [];
  let pages = 0;
  for (let after: unknown = null; after !== null || pages === 0; pages += 1) {
    const page = await node.internal(name, { userId: by, ...SPAN, after: after as null });
    texts.push(...textsOf(page));
    after = page.next;
  }
  return { texts, pages };
};
const editsOf = (messageId: string) =>
  node.node.database.collection("messageEdits").countDocuments({ messageId: new Types.ObjectId(messageId) });

test("a message deleted under a hold is gone for users, and kept with its former texts until the hold ends", async () => {
  const messageId = await send("first");
  await edit(messageId, "second");
  const holdId = await startHold();
  await edit(messageId, "third");
  await remove(messageId);
  const { message } = await node.as(OTHER, "message.get", { channelId, messageId });
  expect(message).toMatchObject({ content: "", deletedAt: expect.any(String) });
  const edits = node.as(userId, "message.listEdits", { channelId, messageId, limit: 10 });
  await expect(edits).rejects.toMatchObject({ type: "MESSAGE_NOT_FOUND" });
  const own = await node.internal("message.exportUser", { userId, cursor: null });
  expect(JSON.stringify(own)).not.toContain("third");

  expect((await exported("message.exportHeld")).texts).toEqual(["third", "second", "first"]);
  expect((await exported("message.exportSent")).texts).toEqual([]);
  const second = await startHold();
  await endHold(holdId);
  await expect
    .poll(() => node.node.database.collection("jobs").countDocuments({ tries: { $gt: 0 } }))
    .toBe(0);
  expect((await exported("message.exportHeld")).texts).toHaveLength(3);
  await endHold(second);
  await expect.poll(async () => (await exported("message.exportHeld")).texts).toEqual([]);
  expect(await editsOf(messageId)).toBe(0);
  expect((await exported("message.exportSent")).texts).toEqual([""]);
});

test("a hold keeps nothing of others, and nothing deleted before it", async () => {
  const before = await send("before");
  await edit(before, "before, changed");
  await remove(before);
  const others = await send("of another", OTHER);
  await startHold();
  await remove(others, OTHER);
  for (const by of [userId, OTHER]) expect((await exported("message.exportHeld", by)).texts).toEqual([]);
  expect(await editsOf(before)).toBe(0);
});

test("a hold keeps what moderators and the removal of a channel delete", async () => {
  await startHold();
  const messageId = await send("moderated");
  await send("in the channel");
  await send("of another", OTHER);
  node.permissions.set(ADMIN, 2 ** 30 - 1);
  await remove(messageId, ADMIN);
  await node.internal("message.removeChannels", { channelIds: [channelId] });
  await expect
    .poll(() =>
      node.node.database.collection("messages").countDocuments({ channelId: new Types.ObjectId(channelId) }),
    )
    .toBe(0);
  expect((await exported("message.exportHeld")).texts).toEqual(["moderated", "in the channel"]);
  const placeOf = async () => {
    const page = await node.internal("message.exportHeld", { userId, ...SPAN, after: null });
    return page.places.map(({ name }) => name);
  };
  await expect.poll(placeOf).toEqual([`channel ${channelId}`, `channel ${channelId}`]);
});

test("former texts are only marked as held once their message is kept", async () => {
  const steps: string[] = [];
  const message = { _id: new Types.ObjectId(), authorId: new Types.ObjectId(userId), deletedAt: null };
  const failing = createHolds({
    holds: { heldAmong: async (ids: string[]) => new Set(ids) } as never,
    held: { keep: async () => Promise.reject(new Error("no write")) } as never,
    edits: { hold: async () => void steps.push("marked") },
  });
  await expect(failing.keep([message as never])).rejects.toThrow("no write");
  expect(steps).toEqual([]);
});

test("a hold that is being ended is released even if the process dies before it is done", async () => {
  const steps: unknown[] = [];
  const holdRepository = {
    find: async () => ({ userId, startedAt: new Date() }),
    end: async () => steps.push("ended"),
  };
  const enqueue = async (_key: string, _payload: object, dueAt?: Date) =>
    void steps.push(dueAt === undefined ? "now" : "later");
  const actions = holdActions({ holdRepository } as never, { enqueue } as never);
  const end = actions["message.endHold"] as unknown as (request: object) => Promise<unknown>;
  await end({ params: { userId, holdId: "d".repeat(24), byUserId: ADMIN } });
  expect(steps).toEqual(["later", "ended", "now"]);
});

test("an edit during the deletion is either part of what is kept, or refused", async () => {
  await startHold();
  for (let round = 0; round < 10; round += 1) {
    const messageId = await send(`old ${round}`);
    const [edited] = await Promise.allSettled([edit(messageId, `new ${round}`), remove(messageId)]);
    const { texts } = await exported("message.exportHeld");
    const last = edited.status === "fulfilled" ? `new ${round}` : `old ${round}`;
    expect(texts).toContain(last);
  }
});

test("exports go on where a page ended, also in the middle of the former texts of a message", async () => {
  const long = "x".repeat(3900);
  const messageId = await send("0");
  for (let version = 1; version <= 60; version += 1) await edit(messageId, `${version} ${long}`);
  const others = await Promise.all(Array.from({ length: 130 }, (_, n) => send(`other ${n}`)));
  await send("of another", OTHER);
  await send("elsewhere", userId, new Types.ObjectId().toHexString());
  const { texts, pages } = await exported("message.exportSent");
  expect(texts).toHaveLength(61 + 130 + 1);
  expect(new Set(texts).size).toBe(texts.length);
  expect(pages).toBeGreaterThan(1);
  await startHold();
  for (const id of [messageId, ...others]) await remove(id);
  const held = await exported("message.exportHeld");
  expect(held.texts).toHaveLength(61 + 130);
  expect(new Set(held.texts).size).toBe(held.texts.length);
  expect(held.pages).toBeGreaterThan(1);
});

test("the list of holds has who began and ended them, and ending one again changes nothing", async () => {
  const holdId = await startHold();
  const { hold } = await endHold(holdId);
  expect(hold).toMatchObject({ userId, name: "ada", reason: "Lawsuit", startedBy: ADMIN, endedBy: ADMIN });
  expect((await endHold(holdId)).hold).toEqual(hold);
  const { holds, nextId } = await node.internal("message.listHolds", { limit: 1 });
  expect(holds).toEqual([hold]);
  expect(nextId).toBe(holdId);
  await expect(endHold("0".repeat(24))).rejects.toMatchObject({ type: "HOLD_NOT_FOUND" });
});

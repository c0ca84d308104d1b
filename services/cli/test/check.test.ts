import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Channel } from "@fanfare/contract";
import { createWorld, must, type World } from "@fanfare/testing";
import { mongo } from "mongoose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { reindex } from "../src/commands/maintenance.ts";
import { withStoppedInstance } from "../src/open-instance.ts";
import { configOf, fanfare, newFolder, whileRunning } from "./temporary-instance.ts";

let folder: string;
let dataDir: string;
let world: World;
let thread: Channel;
const { ObjectId } = mongo;

const change = (work: (db: mongo.Db) => Promise<unknown>): Promise<unknown> =>
  withStoppedInstance(configOf(dataDir), ({ db }) => work(db));

beforeAll(async () => {
  folder = await newFolder();
  dataDir = join(folder, "data");
  await whileRunning(dataDir, async (url) => {
    world = await createWorld(url);
    const { channel, message, owner } = world;
    const write = (nonce: string) =>
      must(url, "message.send", { channelId: channel.id, content: `word${nonce}`, nonce }, owner.accessToken);
    await write("a");
    await write("b");
    const ids = { channelId: channel.id, messageId: message.id };
    await must(url, "message.react", { ...ids, emoji: "👍" }, owner.accessToken);
    await must(url, "channel.markRead", { channelId: channel.id, seq: 2 }, owner.accessToken);
    ({ channel: thread } = await must(url, "channel.openThread", ids, owner.accessToken));
    const aside = { channelId: thread.id, content: "aside", nonce: "c" };
    await must(url, "message.send", aside, owner.accessToken);
  });
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test("finds no problems in an instance that was used and stopped", async () => {
  expect(await fanfare(dataDir, ["check"])).toEqual({
    code: 0,
    out: "No problems found.\n",
    error: "",
  });
});

test("finds every problem and repairs those that need no data loss", async () => {
  const channelId = new ObjectId(world.channel.id);
  const groupId = new ObjectId(world.group.id);
  const missing = new ObjectId();
  const threadId = new ObjectId(thread.id);
  await change(async (db) => {
    await db.collection("groups").updateOne({ _id: groupId }, { $inc: { memberCount: 5 } });
    await db.collection("channelHeads").updateOne({ _id: channelId }, { $set: { seq: 7 } });
    await db.collection("channelHeads").deleteOne({ _id: threadId });
    await db.collection("members").insertOne({ groupId: missing, userId: new ObjectId(world.owner.userId) });
    await db.collection("roles").insertOne({ groupId: missing, name: "left" });
    await db.collection("files").insertOne({ channelId: missing, state: "deleting" });
    await db.collection("readMarkers").insertOne({ channelId: missing, userId: missing, seq: 1 });
    await db.collection("channels").insertOne({ groupId: missing, kind: "text", name: "left", position: 0 });
  });
  const first = await fanfare(dataDir, ["check"]);
  expect(first.code).toBe(2);
  expect(first.out).toContain("has memberCount 9, but 4 members");
  expect(first.out).toContain(`the head of channel ${world.channel.id} is seq 7`);
  for (const what of ["members", "roles", "readMarkers", "channels"])
    expect(first.out).toMatch(new RegExp(`^${what} \\w+ belongs to \\w+ ${missing.toHexString()}`, "m"));
  expect(first.out).not.toMatch(/^files /m);
  expect((await fanfare(dataDir, ["check"])).out).toBe(first.out);
  const repaired = await fanfare(dataDir, ["check", "--repair"]);
  expect(repaired.code).toBe(2);
  const left = await fanfare(dataDir, ["check"]);
  expect(left.out).toMatch(
    /^channels \w+ belongs to groups \w+, which does not exist \(not repairable\)\nProblems found: 1\./,
  );
  await change(async (db) => {
    await db.collection("channels").deleteOne({ groupId: missing });
    const restored = await db.collection("channelHeads").findOne({ _id: threadId });
    expect(restored).toMatchObject({ seq: 1, rev: 1, threadOf: groupId, changedAt: expect.any(Date) });
  });
  expect((await fanfare(dataDir, ["check"])).code).toBe(0);
});

test("finds gaps and duplicates in a log", async () => {
  const channelId = new ObjectId(world.channel.id);
  await change(async (db) => {
    const messages = db.collection("messages");
    const [, second, third] = await messages.find({ channelId }).sort({ seq: 1 }).toArray();
    await messages.dropIndexes();
    await messages.deleteOne({ _id: second!._id });
    await messages.insertOne({ ...third, _id: new ObjectId(), nonce: "twice" });
  });
  const { out, code } = await fanfare(dataDir, ["check"]);
  expect(code).toBe(2);
  expect(out).toContain("is missing the messages with seq 2 to 2");
  expect(out).toContain("has two messages with seq 3");
  expect(out).toContain("has two changes with rev 3");
  expect(out).toContain("is missing changes below rev");
});

test("reindex recreates the indexes and the search index from the messages", { tags: "long" }, async () => {
  const other = join(folder, "reindexed");
  const { token, channel } = await whileRunning(other, async (url) => {
    const { owner, channel } = await createWorld(url);
    const ids = { channelId: channel.id, nonce: "n" };
    await must(url, "message.send", { ...ids, content: "elephants" }, owner.accessToken);
    return { token: owner.accessToken, channel };
  });
  await withStoppedInstance(configOf(other), async ({ db }) => {
    await db.collection("messages").dropIndexes();
    const gone = { _id: new ObjectId(), place: new ObjectId(channel.id), rev: 1, tokens: ["gone"] };
    await db.command({ fanfareSearchPut: "searchEntries", entries: [gone], deleted: [] });
  });
  expect(await reindex(configOf(other))).toBe(1);
  await withStoppedInstance(configOf(other), async ({ db }) => {
    const found = async (token: string) => {
      const places = [new ObjectId(channel.id)];
      const range = { below: new ObjectId("f".repeat(24)), from: new ObjectId("0".repeat(24)), limit: 10 };
      const words = [{ tokens: [token] }];
      return (await db.command({ fanfareSearchFind: "searchEntries", places, words, ...range }))["ids"];
    };
    expect(await found("elephants")).toHaveLength(1);
    expect(await found("gone")).toEqual([]);
    expect(await db.collection("messages").indexes()).toContainEqual(
      expect.objectContaining({ name: "channel_seq", unique: true }),
    );
  });
  await whileRunning(other, async (url) => {
    const found = await must(url, "message.search", { channelId: channel.id, text: "elephants" }, token);
    expect(found.messages).toHaveLength(1);
  });
});

const PIXEL = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");

test("finds files without bytes and bytes without a file", async () => {
  const other = join(folder, "files");
  await whileRunning(other, async (url) => {
    const { owner, channel } = await createWorld(url);
    const put = async (path: string, body: string | Buffer<ArrayBuffer>): Promise<string> => {
      const headers = { authorization: `Bearer ${owner.accessToken}`, "content-type": "image/gif" };
      const response = await fetch(`${url}/api/${path}`, { method: "POST", headers, body });
      return ((await response.json()) as { data: { file: { fileId: string } } }).data.file.fileId;
    };
    await put(`file.upload?channelId=${channel.id}&name=a.txt`, "text");
    await put(`file.upload?channelId=${channel.id}&name=a.gif`, PIXEL);
    const fileId = await put("file.uploadPicture", PIXEL);
    await must(url, "user.setAvatar", { fileId }, owner.accessToken);
  });
  expect(await fanfare(other, ["check"])).toMatchObject({ code: 0, out: "No problems found.\n" });
  const files = join(other, "files");
  const names = (await readdir(files, { recursive: true, withFileTypes: true })).filter((one) =>
    one.isFile(),
  );
  expect(names.length).toBeGreaterThanOrEqual(3);
  for (const { parentPath, name } of names) await rm(join(parentPath, name));
  const stranger = `${"a".repeat(24)}.raw`;
  await writeFile(join(files, stranger), "");
  const { out, code } = await fanfare(other, ["check"]);
  expect(code).toBe(2);
  for (const { name } of names) expect(out).toContain(name);
  expect(out).toContain(`${stranger} is not in the database`);
});

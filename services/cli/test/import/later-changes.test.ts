import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { must } from "@fanfare/testing";
import type { mongo } from "mongoose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { withStoppedInstance } from "../../src/open-instance.ts";
import { configOf, fanfare, newFolder, whileRunning } from "../temporary-instance.ts";
import { mattermostLines, mattermostPost as post } from "./exports.ts";

const password = "correct horse";
let folder: string;
beforeAll(async () => {
  folder = await newFolder();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function instanceOf(name: string): Promise<string> {
  const dataDir = join(folder, name);
  await whileRunning(dataDir, async (url) => {
    for (const username of ["ada", "grace", "left"]) await must(url, "user.register", { username, password });
  });
  return dataDir;
}
const importLines = async (dataDir: string, lines: readonly object[]) => {
  const file = join(folder, "export.jsonl");
  await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const args = ["--from", "mattermost", "--owner", "ada", "--match-usernames", "--json"];
  const { code, out, error } = await fanfare(dataDir, ["import", file, ...args]);
  expect({ code, error }).toEqual({ code: 0, error: "" });
  return JSON.parse(out);
};
const enter = (url: string, username: string) => must(url, "user.login", { username, password });
const direct = (members: string[], user: string, message: string) => ({
  type: "direct_post",
  direct_post: { channel_members: members, user, message, create_at: 1_600_009_000_000 },
});

test("messages of private channels that are public here, and of group DMs with other members, are left out", async () => {
  const dataDir = await instanceOf("private");
  const { group } = await importLines(dataDir, mattermostLines());
  await whileRunning(dataDir, async (url) => {
    const { accessToken } = await enter(url, "ada");
    const { channels } = await must(url, "channel.list", { groupId: group.groupId as string }, accessToken);
    const { id: channelId } = channels.find(({ name }) => name === "Lab")!;
    await must(
      url,
      "channel.setOverride",
      { channelId, target: { type: "everyone" }, allow: 0, deny: 0 },
      accessToken,
    );
  });
  await withStoppedInstance(configOf(dataDir), async ({ db }) => {
    const other = await db
      .collection("users")
      .insertOne({ kind: "member", username: "other", usernameLower: "other", nickname: "o" });
    const changed = await db
      .collection("channels")
      .updateOne({ kind: "groupDirect" }, { $push: { memberIds: other.insertedId } } as object);
    expect(changed.modifiedCount).toBe(1);
  });
  const later = [
    ...mattermostLines(),
    post("lab", "grace", "a secret", 5),
    direct(["ada", "grace", "left"], "ada", "another secret"),
    direct(["ada", "grace"], "ada", "for grace"),
  ];
  const { notes, group: added } = await importLines(dataDir, later);
  expect(added.directs).toMatchObject({ messages: 1 });
  expect(notes).toContainEqual(expect.objectContaining({ code: "changedHere" }));
  await withStoppedInstance(configOf(dataDir), async ({ db }) => {
    expect(await db.collection("messages").countDocuments({ content: /^(?:a|another) secret$/ })).toBe(0);
    expect(await db.collection("messages").countDocuments({ content: "for grace" })).toBe(1);
  });
});

test("deleted group DMs and expired messages don't come back, and users stay who they were", async () => {
  const dataDir = await instanceOf("stay");
  await importLines(dataDir, mattermostLines());
  let grace: mongo.ObjectId;
  await withStoppedInstance(configOf(dataDir), async ({ db }) => {
    const users = db.collection("users");
    grace = (await users.findOne({ usernameLower: "grace" }))!._id;
    // Another account takes the former username.
    await users.updateOne({ _id: grace }, { $set: { username: "hopper", usernameLower: "hopper" } });
    await users.updateOne({ usernameLower: "left" }, { $set: { username: "grace", usernameLower: "grace" } });
    const dm = await db.collection("channels").findOneAndDelete({ kind: "groupDirect" });
    await db.collection("messages").deleteMany({ channelId: dm!._id });
    const channel = (await db.collection("channels").findOne({ name: "Town Square" }))!;
    const removed = await db.collection("messages").deleteOne({ channelId: channel._id, seq: 1 });
    expect(removed.deletedCount).toBe(1);
    await db.collection("channelHeads").updateOne({ _id: channel._id }, { $set: { retainedFrom: 2 } });
  });
  const later = [
    ...mattermostLines(),
    post("town-square", "grace", "by hopper", 60 * 24),
    direct(["ada", "grace"], "grace", "dm of hopper"),
  ];
  const { group } = await importLines(dataDir, later);
  expect(group).toMatchObject({
    kind: "added",
    messages: 1,
    deletedHere: 1,
    directs: { messages: 1, deletedHere: 1, overLimit: 0 },
  });
  await withStoppedInstance(configOf(dataDir), async ({ db }) => {
    expect(await db.collection("channels").countDocuments({ kind: "groupDirect" })).toBe(0);
    for (const content of ["by hopper", "dm of hopper"])
      expect((await db.collection("messages").findOne({ content }))!["authorId"]).toEqual(grace);
    expect(await db.collection("channels").countDocuments({ kind: "direct" })).toBe(1);
  });
});

test("deleted accounts don't become members again, and replies get into a thread that someone has opened", async () => {
  const dataDir = await instanceOf("thread");
  const { group } = await importLines(dataDir, mattermostLines());
  const groupId = group.groupId as string;
  await whileRunning(dataDir, async (url) => {
    const { accessToken } = await enter(url, "ada");
    const { channels } = await must(url, "channel.list", { groupId }, accessToken);
    const { id: channelId } = channels.find(({ name }) => name === "Town Square")!;
    const { messages } = await must(url, "message.list", { channelId }, accessToken);
    const root = messages.find(({ content }) => content.startsWith("second"))!;
    const opened = await must(url, "channel.openThread", { channelId, messageId: root.id }, accessToken);
    await must(
      url,
      "message.send",
      { channelId: opened.channel.id, content: "here", nonce: "1" },
      accessToken,
    );
  });
  await withStoppedInstance(configOf(dataDir), async ({ db }) => {
    const user = await db
      .collection("users")
      .findOneAndUpdate(
        { usernameLower: "grace" },
        { $set: { deletedAt: new Date() }, $unset: { usernameLower: 1, username: 1 } },
      );
    await db.collection("members").deleteMany({ userId: user!._id });
  });
  const later = mattermostLines().map((line) => {
    const { post: before } = line as { post?: { message?: string } };
    if (before?.message !== "second @ada.") return line;
    const reply = { user: "ada", message: "a late reply", create_at: 1_600_001_000_000 };
    return { type: "post", post: { ...before, replies: [reply] } };
  });
  const { group: added } = await importLines(dataDir, later);
  expect(added).toMatchObject({ messages: 1, members: 0 });
  await withStoppedInstance(configOf(dataDir), async ({ db }) => {
    const threads = await db.collection("channels").find({ kind: "thread" }).toArray();
    const reply = (await db.collection("messages").findOne({ content: "a late reply" }))!;
    const here = (await db.collection("messages").findOne({ content: "here" }))!;
    expect(reply["channelId"]).toEqual(here["channelId"]);
    expect(threads.map(({ _id }) => _id)).toContainEqual(reply["channelId"]);
    const stored = (await db.collection("groups").findOne({}))!;
    expect(stored["memberCount"]).toBe(await db.collection("members").countDocuments({}));
  });
});

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { must } from "@fanfare/testing";
import type { mongo } from "mongoose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { withStoppedInstance } from "../../src/open-instance.ts";
import {
  configOf,
  fanfare,
  makeOpenInstance,
  newFolder,
  password,
  removeInstances,
  whileRunning,
} from "../temporary-instance.ts";
import { mattermostLines, mattermostPost as post } from "./exports.ts";

let folder: string;
beforeAll(async () => {
  folder = await newFolder();
});
afterAll(() => removeInstances(folder));

async function instanceOf(name: string): Promise<string> {
  const dataDir = join(folder, name);
  await makeOpenInstance(dataDir, "ada", "grace", "left");
  return dataDir;
}
const importLines = async (dataDir: string, lines: readonly object[], into?: string) => {
  const file = join(folder, "export.jsonl");
  await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const place = into === undefined ? ["--owner", "ada"] : ["--into", into];
  const args = ["--from", "mattermost", ...place, "--match-usernames", "--json"];
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
  const { notes, group: added } = await importLines(dataDir, later, group.groupId as string);
  expect(added.directs).toMatchObject({ messages: 1 });
  expect(notes).toContainEqual(expect.objectContaining({ code: "changedHere" }));
  await withStoppedInstance(configOf(dataDir), async ({ db }) => {
    expect(await db.collection("messages").countDocuments({ content: /^(?:a|another) secret$/ })).toBe(0);
    expect(await db.collection("messages").countDocuments({ content: "for grace" })).toBe(1);
  });
});

test("deleted group DMs and expired messages don't come back, and users stay who they were", async () => {
  const dataDir = await instanceOf("stay");
  const { group: first } = await importLines(dataDir, mattermostLines());
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
  const { group } = await importLines(dataDir, later, first.groupId as string);
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
  const repliedAt = 1_600_001_000_000;
  const startedAt = Date.now();
  const later = mattermostLines().map((line) => {
    const { post: before } = line as { post?: { message?: string; replies?: object[] } };
    if (!/^(?:second @ada\.|first \*\*post)/.test(before?.message ?? "")) return line;
    const reply =
      before!.replies === undefined
        ? { user: "ada", message: "a late reply", create_at: 1_600_000_900_000 }
        : { user: "ada", message: "a later reply", create_at: repliedAt };
    const replies = [...(before!.replies ?? []), reply];
    return { type: "post", post: { ...before, replies } };
  });
  const { group: added } = await importLines(dataDir, later, groupId);
  expect(added).toMatchObject({ messages: 2, members: 0 });
  await withStoppedInstance(configOf(dataDir), async ({ db }) => {
    const threads = await db.collection("channels").find({ kind: "thread" }).toArray();
    const reply = (await db.collection("messages").findOne({ content: "a late reply" }))!;
    const here = (await db.collection("messages").findOne({ content: "here" }))!;
    expect(reply["channelId"]).toEqual(here["channelId"]);
    expect(threads.map(({ _id }) => _id)).toContainEqual(reply["channelId"]);
    // Threads are listed by their last message, as after replies here.
    const later = (await db.collection("messages").findOne({ content: "a later reply" }))!;
    const active = threads.find(({ _id }) => _id.equals(later["channelId"]))!;
    expect(active["lastActivityAt"]).toEqual(new Date(repliedAt));
    // Searches look for threads that were changed, which the imported ones are now.
    const head = (await db.collection("channelHeads").findOne({ _id: later["channelId"] }))!;
    expect(String(head["threadOf"])).toBe(groupId);
    expect(head["changedAt"].getTime()).toBeGreaterThan(startedAt);
    // Like a process that died between storing the thread and showing it at its message.
    const filter = { threadId: active._id };
    await db.collection("messages").updateOne(filter, { $unset: { threadId: 1 } });
    const stored = (await db.collection("groups").findOne({}))!;
    expect(stored["memberCount"]).toBe(await db.collection("members").countDocuments({}));
  });
  await importLines(dataDir, later, groupId);
  await withStoppedInstance(configOf(dataDir), async ({ db }) => {
    const threads = await db.collection("channels").find({ kind: "thread" }).toArray();
    for (const { _id: threadId } of threads)
      expect(await db.collection("messages").countDocuments({ threadId })).toBe(1);
  });
  expect((await fanfare(dataDir, ["check"])).out).toBe("No problems found.\n");
});

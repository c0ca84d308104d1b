import { createHash } from "node:crypto";
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { GroupFileLine } from "@fanfare/contract";
import { createGroupChecker, readGroupFile } from "@fanfare/group-file";
import { must, type World } from "@fanfare/testing";
import { mongo } from "mongoose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listCollections } from "../src/backup/format.ts";
import { withStoppedInstance } from "../src/open-instance.ts";
import { makeFullGroup, shape, type FullGroup } from "./full-group.ts";
import {
  configOf,
  fanfare,
  makeOpenInstance,
  newFolder,
  removeInstances,
  whileRunning,
} from "./temporary-instance.ts";

let folder: string;
let dataDir: string;
let file: string;
let world: World;
let ada: FullGroup["ada"];

beforeAll(async () => {
  folder = await newFolder();
  dataDir = join(folder, "data");
  await makeOpenInstance(dataDir);
  file = join(folder, "group.jsonl");
  await whileRunning(dataDir, async (url) => {
    ({ world, ada } = await makeFullGroup(url));
  });
  const exported = await fanfare(dataDir, ["export-group", world.group.id, file]);
  if (exported.code !== 0) throw new Error(exported.error);
});

afterAll(() => removeInstances(folder));

async function counts(of = dataDir): Promise<Record<string, number>> {
  return withStoppedInstance(configOf(of), async ({ db }) => {
    const names = await listCollections(db);
    const entries = names.map(async (name) => [name, await db.collection(name).countDocuments()] as const);
    const all = Object.fromEntries(await Promise.all(entries));
    delete all["unfinishedImports"];
    return all;
  });
}

const importedId = (out: string): string => /Imported as group ([0-9a-f]{24})/.exec(out)![1]!;

test("exporting an imported group produces the same file, except for ids and missing users", async () => {
  const args = ["import-group", file, "--owner", ada.username, "--match-usernames"];
  const { code, out, error } = await fanfare(dataDir, args);
  expect({ code, error }).toEqual({ code: 0, error: "" });
  const groupId = importedId(out);
  const again = join(folder, "again.jsonl");
  const exported = await fanfare(dataDir, ["export-group", groupId, again]);
  expect(exported).toMatchObject({ code: 0, out: expect.stringContaining("emoji are left out") });
  // Five of six members have no account here, and two of them have not written anything.
  const [before, after] = await Promise.all([shape(file), shape(again)]);
  expect(after.length).toBe(before.length - 7);
  for (const lines of [before, after])
    expect(lines[1]).toMatchObject({ type: "group", needsApproval: true, raidLimit: 20 });
  const withoutIds = (lines: GroupFileLine[]) =>
    lines
      .filter(({ type }) => !["group", "member", "user"].includes(type))
      .map((line) => JSON.stringify(line).replaceAll(/#\d+/g, "#"));
  expect(withoutIds(after)).toEqual(withoutIds(before));
  const second = await fanfare(dataDir, ["import-group", again, "--match-usernames"]);
  const third = join(folder, "third.jsonl");
  await fanfare(dataDir, ["export-group", importedId(second.out), third]);
  // Reactions are sorted by user id, and the order of ids created within a second is random.
  const inAnyOrder = (lines: GroupFileLine[]) => lines.map((line) => JSON.stringify(line)).toSorted();
  expect(inAnyOrder(await shape(third))).toEqual(inAnyOrder(after));
  expect((await fanfare(dataDir, ["check"])).out).toBe("No problems found.\n");
  await whileRunning(dataDir, async (url) => {
    const { channels } = await must(url, "channel.list", { groupId }, ada.accessToken);
    expect(channels.map(({ name }) => name)).toEqual(expect.arrayContaining(["More", "hidden"]));
    expect(channels.find(({ name }) => name === "Lounge")?.kind).toBe("voice");
    const channel = channels.find(({ kind, private: closed }) => kind === "text" && !closed)!;
    expect(channel.head).toEqual({ seq: 4, rev: 4 });
    const secret = channels.find(({ name }) => name === "hidden")!;
    expect(secret).toMatchObject({ private: true, head: { seq: 1, rev: 1 } });
    const { messages } = await must(url, "message.list", { channelId: channel.id }, ada.accessToken);
    const [first, second, , fourth] = messages.toSorted((a, b) => a.seq - b.seq);
    expect(first).toMatchObject({ content: "Here is the target.", pinnedBy: expect.any(String) });
    expect(first!.reactions).toMatchObject([{ emoji: "👍", count: 2 }]);
    expect(first!.authorId).not.toBe(world.target.userId);
    expect(second).toMatchObject({ replyTo: first!.id, mentions: { everyone: true } });
    expect(second!.content).toContain(`<@${ada.userId}>`);
    expect(fourth).toMatchObject({
      cards: [{ title: "Build 7", text: `For <@${ada.userId}>`, color: 255, footer: "CI" }],
      controls: [{ kind: "button", id: "retry", label: "Retry" }],
    });
    const thread = { channelId: first!.threadId! };
    expect((await must(url, "message.list", thread, ada.accessToken)).messages).toMatchObject([
      { content: "aside", seq: 1 },
    ]);
    const sent = { channelId: channel.id, content: "news", nonce: "n" };
    const { message } = await must(url, "message.send", sent, ada.accessToken);
    expect(message).toMatchObject({ seq: 5, rev: 5 });
    const behind = { cursors: [{ channelId: channel.id, afterRev: 4 }] };
    const synced = await must(url, "channel.sync", behind, ada.accessToken);
    expect(JSON.stringify(synced)).toContain("news");
    const found = { channelId: channel.id, text: "elephants" };
    expect((await must(url, "message.search", found, ada.accessToken)).messages).toHaveLength(1);
    const inThread = { groupId: channel.groupId!, text: "aside" };
    expect((await must(url, "message.search", inThread, ada.accessToken)).messages).toHaveLength(1);
  });
});

test("no user becomes an author or a member by name only", async () => {
  const { code, out } = await fanfare(dataDir, ["import-group", file, "--owner", ada.username]);
  expect(code).toBe(0);
  const groupId = importedId(out);
  expect(out).toContain("1 members. Users without an account here: 6.");
  await withStoppedInstance(configOf(dataDir), async ({ db }) => {
    const channels = await db
      .collection("channels")
      .find({ groupId: new mongo.ObjectId(groupId) })
      .toArray();
    const channelId = { $in: channels.map(({ _id }) => _id) };
    expect(
      await db.collection("messages").findOne({ channelId, authorId: new mongo.ObjectId(ada.userId) }),
    ).toBe(null);
  });
});

test("imports nothing without an owner", async () => {
  const before = await counts();
  const { code, error } = await fanfare(dataDir, ["import-group", file]);
  expect(code).toBe(1);
  expect(error).toContain("--owner");
  expect((await fanfare(dataDir, ["import-group", file, "--owner", "unknown-user"])).code).toBe(1);
  expect(await counts()).toEqual(before);
});

test("rejects a truncated, changed or invalid file with the line number, and writes nothing", async () => {
  const lines = (await readFile(file, "utf8")).split("\n");
  const before = await counts();
  const bad = join(folder, "bad.jsonl");
  const refused = async (text: string): Promise<string> => {
    await writeFile(bad, text);
    const { code, error } = await fanfare(dataDir, ["import-group", bad, "--owner", ada.username]);
    expect(code).toBe(1);
    expect(error).toContain("Nothing was changed");
    return error;
  };
  expect(await refused(lines.slice(0, -2).join("\n") + "\n")).toMatch(/line \d+: .*truncated/);
  // Adds a correct checksum.
  const sealed = (content: string[]): string => {
    const text = `${content.join("\n")}\n`;
    const sha256 = createHash("sha256").update(text).digest("hex");
    return `${text}${JSON.stringify({ type: "end", lines: content.length, sha256 })}\n`;
  };
  const content = lines.slice(0, -2);
  const of = (type: string) => content.findIndex((line) => line.startsWith(`{"type":"${type}"`));
  const without = (at: number) => sealed(content.toSpliced(at, 1));
  // Validates the text like an import does.
  const faultIn = async (text: string): Promise<unknown> => {
    const checker = createGroupChecker();
    try {
      for await (const line of readGroupFile(Readable.from([Buffer.from(text)]))) checker.add(line);
      return checker.finish();
    } catch (error) {
      return String(error);
    }
  };
  expect(await faultIn(lines.join("\n"))).toMatchObject({ group: { name: world.group.name } });
  expect(await faultIn(lines.join("\n").slice(0, -40))).toContain("truncated");
  expect(await faultIn([...lines.slice(0, 4), ...lines.slice(5)].join("\n"))).toMatch(/line \d+: /);
  expect(await faultIn(lines.join("\n").replace("Here is the", "Here is not"))).toContain("checksum");
  expect(await faultIn(lines.join("\n").replace('"position":', '"place":'))).toMatch(/line \d+: /);
  expect(await faultIn(["{", ...lines.slice(1)].join("\n"))).toContain("line 1: not valid JSON");
  expect(await faultIn(lines[0]!.replace('"version":1', '"version":9') + "\n")).toContain(
    "version 9 is not supported",
  );
  expect(await faultIn(without(of("group")))).toContain("line 2: the group must be first");
  expect(await faultIn(without(of("role")))).toMatch(/line \d+: the role of an override/);
  expect(await faultIn(without(of("user")))).toMatch(/line \d+: user \w+ is missing from the file/);
  // Only detected by the unique indexes, after much is already written.
  const message = content[of("message")]!;
  expect(await refused(sealed([...content, message]))).toContain("it contains duplicates");
  expect(await counts()).toEqual(before);
});

test("the next import removes the remains of an interrupted one", async () => {
  const before = await counts();
  const [groupId, channelId, userId] = [new mongo.ObjectId(), new mongo.ObjectId(), new mongo.ObjectId()];
  await withStoppedInstance(configOf(dataDir), async ({ db }) => {
    await db
      .collection("unfinishedImports")
      .insertOne({ groupId, channelIds: [channelId], userIds: [userId] });
    await db.collection("users").insertOne({ _id: userId, nickname: "left", kind: "guest" });
    await db.collection("channels").insertOne({ _id: channelId, groupId, kind: "text" });
    await db.collection("messages").insertOne({ channelId, seq: 1, revs: [1], nonce: "left" });
    await db.collection("members").insertOne({ groupId, userId });
  });
  const copy = join(folder, "copy.jsonl");
  await copyFile(file, copy);
  expect((await fanfare(dataDir, ["import-group", copy])).code).toBe(1);
  expect(await counts()).toEqual(before);
});

test("commands don't run jobs, whose services can be missing", async () => {
  const job = {
    _id: new mongo.ObjectId(),
    kind: "user.erase",
    key: ada.userId,
    payload: null,
    dueAt: new Date(0),
    heldUntil: new Date(0),
    fence: 0,
    tries: 0,
    requests: 1,
    createdAt: new Date(0),
  };
  const jobs = <T>(work: (all: mongo.Collection) => Promise<T>): Promise<T> =>
    withStoppedInstance(configOf(dataDir), ({ db }) => work(db.collection("jobs")));
  await jobs((all) => all.insertOne({ ...job }));
  const exported = join(folder, "beside-a-job.jsonl");
  expect(await fanfare(dataDir, ["export-group", world.group.id, exported])).toMatchObject({ code: 0 });
  expect(await fanfare(dataDir, ["reindex"])).toMatchObject({ code: 0, error: "" });
  expect(await jobs((all) => all.findOne({ _id: job._id }))).toEqual(job);
});

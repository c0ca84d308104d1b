import { mkdir, mkdtemp, readdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FanfareClient } from "@fanfare/client";
import { type ChatImport, LIMITS, type WireAnswer } from "@fanfare/contract";
import type { NodeContext } from "@fanfare/kernel";
import { startFanfare } from "@fanfare/node";
import { makeZip, must } from "@fanfare/testing";
import { mongo } from "mongoose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { configOf, fanfare, makeOpenInstance, removeInstances } from "../temporary-instance.ts";
import { discordFiles, mattermostExport, mattermostPost, slackExport } from "./exports.ts";

const password = "correct horse";

let folder: string;
let instance: Awaited<ReturnType<typeof startFanfare>>;
let url: string;
/** Access tokens by username; ada is the admin. */
const tokens = new Map<string, string>();
const userIds = new Map<string, string>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fanfare-admin-import-"));
  await makeOpenInstance(join(folder, "data"));
  instance = await startFanfare(configOf(join(folder, "data")));
  ({ url } = instance);
  for (const username of ["ada", "grace"]) {
    const { accessToken, user } = await must(url, "user.register", { username, password });
    tokens.set(username, accessToken);
    userIds.set(username, user.id);
  }
});
afterAll(async () => {
  await instance?.stop();
  await removeInstances(folder);
});

const token = (username = "ada"): string => tokens.get(username)!;
const zip = (files: Record<string, Buffer | string>): Buffer =>
  makeZip(Object.entries(files).map(([name, content]) => ({ name, content: Buffer.from(content) })));

type Uploaded = WireAnswer<{ import: ChatImport }>;
async function upload(params: Record<string, string>, body: Buffer, username?: string): Promise<Uploaded> {
  const response = await fetch(`${url}/api/admin.uploadExport?${new URLSearchParams(params).toString()}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token(username)}` },
    body: new Uint8Array(body),
  });
  return (await response.json()) as Uploaded;
}
async function uploaded(params: Record<string, string>, body: Buffer): Promise<string> {
  const answer = await upload(params, body);
  if (!answer.ok) throw new Error(JSON.stringify(answer.error));
  return answer.data.import.id;
}
/** Waits until the server has checked or imported it. */
async function settled(importId: string): Promise<ChatImport> {
  let found: ChatImport | undefined;
  await expect
    .poll(async () => {
      const { imports } = await must(url, "admin.listChatImports", {}, token());
      found = imports.find(({ id }) => id === importId);
      return found?.state;
    })
    .toMatch(/^(?:checked|done|failed)$/);
  return found!;
}
const run = (importId: string, more: object = {}) =>
  must(
    url,
    "admin.runChatImport",
    { importId, matchUsernames: true, createAccounts: false, again: false, ...more },
    token(),
  );
const noted = ({ report }: ChatImport, what: string) =>
  report?.notes.find((note) => note.what === what)?.count;

test("an admin checks an export and imports it, and its members see it at once", async () => {
  const archive = zip({ "import.jsonl": mattermostExport(), "data/20200913/x/plan.pdf": "the plan" });
  const checkedArchive = async () => {
    const id = await uploaded({ origin: "mattermost", fileName: "export.zip" }, archive);
    await settled(id);
    return id;
  };
  const importId = await checkedArchive();
  const checked = await settled(importId);
  expect(checked).toMatchObject({ state: "checked", groupId: null, error: null, accounts: 2 });
  expect(checked.report!.imported).toEqual(
    expect.arrayContaining([
      { code: "messages", what: "messages", count: 4 },
      { code: "files", what: "files", count: 1 },
      { code: "directConversations", what: "direct conversations", count: 2 },
      { code: "directMessages", what: "direct messages", count: 3 },
    ]),
  );
  expect(checked.step).toBe(null);
  // The check has changed nothing.
  expect((await must(url, "group.listMine", {}, token())).groups).toEqual([]);

  await run(importId);
  const done = await settled(importId);
  expect(done).toMatchObject({ state: "done", error: null });
  const groupId = done.groupId!;
  const { groups } = await must(url, "group.listMine", {}, token("grace"));
  expect(groups).toMatchObject([{ id: groupId, name: "Core Team", memberCount: 2 }]);
  const { channels } = await must(url, "channel.list", { groupId }, token("grace"));
  const channelId = channels.find(({ name }) => name === "Town Square")!.id;
  const { messages } = await must(url, "message.list", { channelId }, token("grace"));
  const first = messages.find(({ threadId }) => threadId !== undefined)!;
  const thread = await must(url, "message.list", { channelId: first.threadId! }, token("grace"));
  expect(thread.messages[0]).toMatchObject({ content: "a reply", attachments: [{ name: "plan.pdf" }] });
  const sent = { channelId, content: "news", nonce: "n" };
  expect((await must(url, "message.send", sent, token("grace"))).message.seq).toBe(messages.length + 1);
  const { entries } = await must(url, "admin.auditLog", { limit: 50 }, token());
  expect(entries.map(({ action }) => action)).toEqual(
    expect.arrayContaining(["admin.startExportUpload", "admin.runChatImport"]),
  );
  expect(entries.find(({ action }) => action === "admin.runChatImport")).toMatchObject({
    params: { directMessages: true },
    outcome: "done",
  });
  // Direct messages are shown at once, and only to their participants.
  const { channels: directs } = await must(url, "channel.listDirect", { limit: 10 }, token("grace"));
  expect(directs.map(({ kind }) => kind)).toEqual(["groupDirect", "direct"]);
  const log = await must(url, "group.auditLog", { groupId }, token());
  expect(log.entries.map(({ action }) => action)).toEqual(["admin.startGroupImport"]);

  const accounts = ["ada", "grace"].map((name) => ({ name, username: name }));
  for (const { report } of [checked, done])
    expect(report).toMatchObject({
      destination: { groupId: null, name: "Core Team" },
      matches: { by: "username", count: 2, accounts },
    });

  // A later export adds to the group, unless the admin wants a second one. People see its messages at once.
  const client = new FanfareClient({ url });
  // Without the event, clients find messages only after a while.
  let resyncs = 0;
  client.on("resync", () => void (resyncs += 1));
  await client.login({ username: "grace", password });
  await client.connect();
  const [group, direct] = [channelId, directs[1]!.id].map((id) => client.channel(id));
  await Promise.all([group!.load(), direct!.load()]);
  const said = [
    mattermostPost("town-square", "ada", "a week later", 1),
    {
      type: "direct_post",
      direct_post: {
        channel_members: ["ada", "grace"],
        user: "ada",
        message: "privately",
        create_at: 1_600_002_000_000,
      },
    },
  ];
  const lines = `${mattermostExport()}${said.map((line) => `${JSON.stringify(line)}\n`).join("")}`;
  const laterId = await uploaded({ origin: "mattermost", fileName: "later.jsonl" }, Buffer.from(lines));
  const destination = { groupId, name: "Core Team" };
  expect((await settled(laterId)).report!.destination).toEqual(destination);
  const secondId = await checkedArchive();
  await run(laterId);
  const later = await settled(laterId);
  expect(later).toMatchObject({ state: "done", error: null, groupId, report: { destination } });
  expect(noted(later, "messages that were already imported")).toBe(7);
  await expect.poll(() => resyncs).toBe(2);
  await expect.poll(() => group!.messages.at(-1)?.content).toBe("a week later");
  await expect.poll(() => direct!.messages.at(-1)?.content).toBe("privately");
  client.close();
  await run(secondId, { again: true, matchUsernames: false, createAccounts: true, directMessages: false });
  const third = await settled(secondId);
  expect(third).toMatchObject({ state: "done", error: null });
  expect(third.groupId).not.toBe(groupId);
  expect(third.report!.imported).toContainEqual({ code: "newAccounts", what: "new accounts", count: 2 });
});

test("guests stay in group DMs when their group is deleted, and no longer", async () => {
  const { database } = instance.context as NodeContext;
  const groupId = new mongo.ObjectId(
    (await must(url, "group.listMine", {}, token("grace"))).groups.find(({ name }) => name === "Core Team")!
      .id,
  );
  const guests = database.collection<{ importedIn: mongo.ObjectId[] }>("users");
  const [left] = await guests.find({ nickname: "left", importedIn: groupId }).toArray();
  const ofGroup = () => database.collection("importedPlaces").countDocuments({ groupId });
  expect(await ofGroup()).toBeGreaterThan(0);
  await must(url, "group.delete", { groupId: String(groupId) }, token());
  await expect.poll(() => database.collection("groups").countDocuments({ _id: groupId })).toBe(0);
  expect(await ofGroup()).toBe(0);
  const { importedIn } = (await guests.findOne({ _id: left!._id }))!;
  expect(importedIn).toHaveLength(1);
  // The last of its people with an account leaves it.
  const [_id] = importedIn;
  const userId = userIds.get("ada")!;
  const alone = { memberIds: [new mongo.ObjectId(userId)] };
  await database.collection("channels").updateOne({ _id: _id! }, { $set: alone });
  await must(url, "channel.removeFromDirect", { channelId: String(_id), userId }, token());
  await expect.poll(() => guests.countDocuments({ _id: left!._id })).toBe(0);
});

test("an archive of a Discord server has its downloaded media", async () => {
  const general = JSON.parse(discordFiles()["general.json"]!);
  general.messages[2].attachments[0].url = "general.json_Files/b-1A2B3.json";
  const archive = zip({
    "club/general.json": JSON.stringify(general),
    "club/thread.json": discordFiles()["thread.json"]!,
    "club/general.json_Files/b-1A2B3.json": "{}",
  });
  const checked = await settled(await uploaded({ origin: "discord", fileName: "club.zip" }, archive));
  expect(checked).toMatchObject({ state: "checked" });
  expect(checked.report!.imported).toContainEqual({ code: "files", what: "files", count: 1 });
  await must(url, "admin.deleteChatImport", { importId: checked.id }, token());
});

test.each([
  [
    "something else",
    { origin: "slack", fileName: "a.zip" },
    Buffer.from("not an archive"),
    "not a ZIP archive",
  ],
  [
    "a dump that is not packed",
    { origin: "tailchat", fileName: "a.bson" },
    Buffer.from("x"),
    "into a ZIP file",
  ],
  [
    "an archive that leads out of its folder",
    { origin: "discord", fileName: "a.zip" },
    zip({ "../../evil.json": "{}" }),
    "leads out of it",
  ],
  [
    "an archive with a file in a file",
    { origin: "discord", fileName: "a.zip" },
    zip({ a: "x", "a/b.json": "{}" }),
    "two files at one path",
  ],
  [
    "a dump of something else",
    { origin: "rocketchat", fileName: "a.zip" },
    zip({ "a.txt": "" }),
    "no users.bson",
  ],
  [
    "an unknown team",
    { origin: "mattermost", fileName: "a.jsonl", team: "x" },
    Buffer.from(mattermostExport()),
    "no team",
  ],
])("the check explains what is wrong with %s", async (_, params, body, reason) => {
  const importId = await uploaded(params, body);
  const failure =
    reason === "no team" ? { code: "chooseTeam", details: { names: '"core"' } } : { code: "unreadable" };
  const error = expect.stringContaining(reason);
  expect(await settled(importId)).toMatchObject({ state: "failed", error, failure });
  await must(url, "admin.deleteChatImport", { importId }, token());
  const { imports } = await must(url, "admin.listChatImports", {}, token());
  expect(imports.map(({ id }) => id)).not.toContain(importId);
});

test("only admins can upload exports, and a refused one isn't stored", async () => {
  const params = { origin: "slack", fileName: "export.zip" };
  expect(await upload(params, slackExport(), "grace")).toMatchObject({ error: { type: "FORBIDDEN" } });
  expect(await upload({ ...params, origin: "irc" }, slackExport())).toMatchObject({
    error: { type: "VALIDATION_FAILED" },
  });
  const importId = await uploaded(params, slackExport());
  await settled(importId);
  await must(url, "admin.deleteChatImport", { importId }, token());
  await expect(run(importId)).rejects.toThrow("IMPORT_NOT_FOUND");
  const { filesDir } = configOf(join(folder, "data"));
  const stored = await readdir(filesDir, { recursive: true });
  expect(stored.filter((name) => name.includes(importId))).toEqual([]);
});

test("uploads are limited in size and number", async () => {
  const start = (bytes: number) =>
    must(url, "admin.startExportUpload", { origin: "slack", fileName: "a.zip", bytes }, token());
  await expect(start(LIMITS.exportMaxBytes + 1)).rejects.toThrow("FILE_TOO_LARGE");
  const { imports } = await must(url, "admin.listChatImports", {}, token());
  const open = imports.filter(({ state }) => state !== "done").length;
  const begun: string[] = [];
  for (let left = LIMITS.chatImports - open; left > 0; left--) begun.push((await start(1)).importId);
  await expect(start(1)).rejects.toThrow("LIMIT_REACHED");
  for (const importId of begun) await must(url, "admin.deleteChatImport", { importId }, token());
});

test("an export with the name of a temporary file has all its messages and files", async () => {
  for (const fileName of ["group.jsonl", "files.jsonl", "sorted-0", ".."]) {
    const importId = await uploaded({ origin: "mattermost", fileName }, Buffer.from(mattermostExport()));
    const checked = await settled(importId);
    expect(checked.report!.imported).toContainEqual({ code: "messages", what: "messages", count: 4 });
    if (fileName !== "group.jsonl") {
      await must(url, "admin.deleteChatImport", { importId }, token());
      continue;
    }
    await run(importId, { again: true });
    const { groupId, report } = await settled(importId);
    expect(report!.imported).toContainEqual({ code: "messages", what: "messages", count: 4 });
    const { channels } = await must(url, "channel.list", { groupId: groupId! }, token());
    const heads = channels.map(({ head }) => head?.seq ?? 0);
    expect(heads.reduce((sum, seq) => sum + seq, 0)).toBeGreaterThan(1);
  }
});

test("a check whose job is missing gets it again, and one that was killed too often fails", async () => {
  const importId = await uploaded({ origin: "slack", fileName: "a.zip" }, slackExport());
  await settled(importId);
  const imports = (instance.context as NodeContext).database.collection("chatImports");
  const id = new mongo.ObjectId(importId);
  const stuck = { state: "checking", changedAt: new Date(Date.now() - 2 * 60 * 60 * 1000) };
  await imports.updateOne({ _id: id }, { $set: { ...stuck, tries: 7 } });
  await sweep();
  expect(await settled(importId)).toMatchObject({ state: "checked" });
  await imports.updateOne({ _id: id }, { $set: { ...stuck, tries: 8 } });
  await sweep();
  const error = expect.stringContaining("stopped each time");
  const failure = { code: "serverFailed" };
  expect(await settled(importId)).toMatchObject({ state: "failed", error, failure });
  await must(url, "admin.deleteChatImport", { importId }, token());
});

test("exports without a record and temporary files of killed tries are deleted", async () => {
  const { context } = instance;
  const { filesDir } = configOf(join(folder, "data"));
  const start = { origin: "slack" as const, fileName: "a.zip", bytes: 1 };
  const { importId } = await must(url, "admin.startExportUpload", start, token());
  await must(url, "admin.deleteChatImport", { importId }, token());
  // The upload is complete only then.
  const shard = join(filesDir, importId.slice(-2));
  await mkdir(shard, { recursive: true });
  await writeFile(join(shard, `${importId}.raw`), "x");
  await (context as NodeContext).services.admin.cancelExportUpload({ importId });
  const killed = join(filesDir, "imports", importId);
  await mkdir(killed, { recursive: true });
  await writeFile(join(killed, "group.jsonl"), "private");
  // The process died before it deleted the export of a completed import.
  const doneId = await uploaded(
    { origin: "mattermost", fileName: "a.jsonl" },
    Buffer.from(mattermostExport()),
  );
  await settled(doneId);
  const id = new mongo.ObjectId(doneId);
  const imports = (context as NodeContext).database.collection("chatImports");
  await imports.updateOne({ _id: id }, { $set: { state: "done" } });
  await sweep();
  const left = async () =>
    (await readdir(filesDir, { recursive: true })).filter(
      (name) => name.includes(importId) || name.includes(doneId),
    );
  await expect.poll(left).toEqual([]);
});

test("what a failed import left is removed with it", async () => {
  const importId = await uploaded(
    { origin: "mattermost", fileName: "a.jsonl" },
    Buffer.from(mattermostExport()),
  );
  await settled(importId);
  const { database } = instance.context as NodeContext;
  const [groupId, channelId] = [new mongo.ObjectId(), new mongo.ObjectId()];
  await database.collection("unfinishedImports").insertOne({ groupId, channelIds: [channelId], userIds: [] });
  await database.collection("messages").insertOne({ channelId, seq: 1, revs: [1], nonce: "left" });
  const failed = { state: "failed", run: { owner: "ada" } };
  const id = new mongo.ObjectId(importId);
  await database.collection("chatImports").updateOne({ _id: id }, { $set: failed });
  await must(url, "admin.deleteChatImport", { importId }, token());
  await expect.poll(() => database.collection("messages").countDocuments({ channelId })).toBe(0);
  await expect.poll(() => database.collection("unfinishedImports").countDocuments()).toBe(0);
});

/** Runs the job that removes old exports. */
async function sweep(): Promise<void> {
  const { database } = instance.context as NodeContext;
  await database
    .collection("jobs")
    .updateOne({ kind: "admin.removeOldExports" }, { $set: { dueAt: new Date(0) } });
  await expect
    .poll(() =>
      database
        .collection("jobs")
        .countDocuments({ kind: "admin.removeOldExports", dueAt: { $gt: new Date() } }),
    )
    .toBe(1);
}

test("an export is only added to the group that its report shows", async () => {
  const team = { type: "team", team: { name: "race", display_name: "Race", type: "O" } };
  const channel = { type: "channel", channel: { team: "race", name: "town-square", type: "O" } };
  const posts = ["first", "second"].map((message, n) => ({
    type: "post",
    post: { team: "race", channel: "town-square", user: "ada", message, create_at: 1_600_000_000_000 + n },
  }));
  const uploadOf = async (lines: readonly object[]) => {
    const body = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    const { id, report } = await settled(
      await uploaded({ origin: "mattermost", fileName: "race.jsonl" }, body),
    );
    expect(report!.destination).toMatchObject({ groupId: null });
    return id;
  };
  const [early, same, later] = [
    await uploadOf([team, channel, posts[0]!]),
    await uploadOf([team, channel, posts[0]!]),
    await uploadOf([team, channel, ...posts]),
  ];
  await run(early);
  const { groupId } = await settled(early);
  // Like a try after one that died when the group was complete.
  await run(same);
  expect(await settled(same)).toMatchObject({ state: "done", groupId });
  await run(later);
  const refused = await settled(later);
  expect(refused).toMatchObject({ state: "failed", failure: { code: "otherDestination" } });
  await run(later, { again: true });
  const made = await settled(later);
  expect(made.state).toBe("done");
  expect(made.groupId).not.toBe(groupId);
});

test("exports that no one has imported are deleted after a week", async () => {
  const importId = await uploaded({ origin: "slack", fileName: "a.zip" }, slackExport());
  await settled(importId);
  const { database } = instance.context as NodeContext;
  const id = new mongo.ObjectId(importId);
  const changedAt = new Date(Date.now() - 8 * 24 * 60 * 60 * 1000);
  await database.collection("chatImports").updateOne({ _id: id }, { $set: { changedAt } });
  await database
    .collection("jobs")
    .updateOne({ kind: "admin.removeOldExports" }, { $set: { dueAt: new Date(0) } });
  await expect
    .poll(async () => (await must(url, "admin.listChatImports", {}, token())).imports.map((one) => one.id))
    .not.toContain(importId);
  const stored = await readdir(configOf(join(folder, "data")).filesDir, { recursive: true });
  expect(stored.filter((name) => name.includes(importId))).toEqual([]);
});

test("imports that were started are completed after a restart of the server, one after the other", async () => {
  const slack = await uploaded({ origin: "slack", fileName: "Club.zip" }, slackExport());
  const discord = await uploaded({ origin: "discord", fileName: "club.zip" }, zip(discordFiles()));
  for (const importId of [slack, discord]) await settled(importId);
  await Promise.all([run(slack), run(discord)]);
  await instance.stop();
  instance = await startFanfare(configOf(join(folder, "data")));
  ({ url } = instance);
  for (const importId of [slack, discord]) expect(await settled(importId)).toMatchObject({ state: "done" });
  const { groups } = await must(url, "group.listMine", {}, token());
  expect(groups.map(({ name }) => name)).toEqual(expect.arrayContaining(["Club", "The Club"]));
});

test("`fanfare check` doesn't report uploaded exports as unknown files", async () => {
  await settled(await uploaded({ origin: "slack", fileName: "Other.zip" }, slackExport()));
  await instance.stop();
  expect((await fanfare(join(folder, "data"), ["check"])).out).toBe("No problems found.\n");
  instance = await startFanfare(configOf(join(folder, "data")));
  ({ url } = instance);
});

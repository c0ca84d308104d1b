import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { importGroup, survey } from "@fanfare/chat-import";
import { createImportedFiles } from "@fanfare/file";
import { makeZip, must } from "@fanfare/testing";
import { createImportedAccounts } from "@fanfare/user";
import { mongo } from "mongoose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { withStoppedInstance, withStoppedNode } from "../../src/open-instance.ts";
import {
  configOf,
  fanfare,
  makeOpenInstance,
  password,
  removeInstances,
  whileRunning,
} from "../temporary-instance.ts";
import { mattermostLines, slackExport } from "./exports.ts";

const MESSAGES = 1500;

let folder: string;
let dataDir: string;
let file: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fanfare-again-"));
  dataDir = join(folder, "data");
  await makeOpenInstance(dataDir, "ada");
  const posts = Array.from({ length: MESSAGES }, (_, n) => ({
    type: "post",
    post: {
      team: "core",
      channel: "town-square",
      user: n % 2 === 0 ? "ada" : "grace",
      message: `message ${n}`,
      create_at: 1_700_000_000_000 + n,
      reactions: n < 20 ? [{ user: "grace", emoji_name: "thumbsup" }] : [],
      // Storing the first of them fails, after more than a thousand messages.
      attachments: n === 1200 || n === MESSAGES - 1 ? [{ path: `${n}.txt` }] : [],
    },
  }));
  const lines = [...mattermostLines(), ...posts].map((line) => JSON.stringify(line)).join("\n");
  file = join(folder, "export.zip");
  const contents = { "import.jsonl": lines, "data/1200.txt": "first", [`data/${MESSAGES - 1}.txt`]: "last" };
  await writeFile(
    file,
    makeZip(Object.entries(contents).map(([name, content]) => ({ name, content: Buffer.from(content) }))),
  );
});
afterAll(() => removeInstances(folder));

const run = (...args: string[]) =>
  fanfare(dataDir, ["import", file, "--from", "mattermost", "--owner", "ada", "--create-accounts", ...args]);
const counts = () =>
  withStoppedInstance(configOf(dataDir), async ({ db }) => {
    const count = (name: string) => db.collection(name).countDocuments();
    return {
      groups: await count("groups"),
      users: await count("users"),
      messages: await count("messages"),
      reactions: await count("reactions"),
      files: await count("files"),
      unfinished: await count("unfinishedImports"),
    };
  });

/** Puts a file where the folder of files has to be. */
async function blockUploads(): Promise<() => Promise<void>> {
  const { filesDir } = configOf(dataDir);
  await rm(filesDir, { recursive: true, force: true });
  await writeFile(filesDir, "");
  return () => rm(filesDir);
}

test("an interrupted import continues, and stores nothing twice", async () => {
  const unblock = await blockUploads();
  const failed = await run();
  expect(failed.code).toBe(1);
  expect(failed.error).toContain("Run the same command again to continue it.");
  await unblock();
  // Like a process that died between storing messages and raising the heads of their channels.
  await withStoppedInstance(configOf(dataDir), ({ db }) => db.collection("channelHeads").deleteMany({}));
  const left = await counts();
  expect(left).toMatchObject({ groups: 0, unfinished: 1, users: 4 });
  expect(left.messages).toBeGreaterThanOrEqual(1000);

  const { code, out, error } = await run("--json");
  expect({ code, error }).toEqual({ code: 0, error: "" });
  const { group } = JSON.parse(out);
  expect(group).toMatchObject({ kind: "continued", accounts: 2, files: { stored: 2 } });
  const done = await counts();
  expect(done).toMatchObject({ groups: 1, files: 2, unfinished: 0, messages: group.messages + 3 });
  expect((await fanfare(dataDir, ["check"])).out).toBe("No problems found.\n");
  await whileRunning(dataDir, async (url) => {
    const { accessToken } = await must(url, "user.login", { username: "ada", password });
    const groupId = group.groupId as string;
    const { channels } = await must(url, "channel.list", { groupId }, accessToken);
    const channelId = channels.find(({ name }) => name === "Town Square")!.id;
    const { messages } = await must(url, "message.list", { channelId, limit: 50 }, accessToken);
    const last = messages.toSorted((a, b) => b.seq - a.seq)[0]!;
    expect(last).toMatchObject({ seq: MESSAGES + 2, content: `message ${MESSAGES - 1}` });
    expect(last.attachments).toMatchObject([{ name: `${MESSAGES - 1}.txt` }]);
    const { users } = await must(url, "admin.listUsers", { query: "grace" }, accessToken);
    expect(users).toHaveLength(1);
  });
});

test("an import waits for another one, and leaves what it continues alone", async () => {
  const held = { _id: "running", owner: "another", heldUntil: new Date(Date.now() + 60_000) };
  const groupFile = join(folder, "group.jsonl");
  expect((await fanfare(dataDir, ["import", file, "--from", "mattermost", "--out", groupFile])).code).toBe(0);
  await withStoppedNode(configOf(dataDir), async (node) => {
    const db = node.database.db!;
    const storing = createImportedFiles(node);
    const target = { db, imported: createImportedAccounts(node), storing, policy: node.policy };
    const surveyed = await survey(groupFile, null);
    const options = { owner: "ada", matchUsernames: false, emails: new Map(), people: new Map() };
    const origin = {
      files: { bytes: 0, of: async () => [], open: () => Promise.reject(new Error("no files")) },
      directs: null,
      source: { key: "lease", options: [], sample: null, into: null },
    };
    const leases = db.collection<typeof held>("imports");
    await leases.insertOne(held);
    await expect(importGroup(target, surveyed, options, origin)).rejects.toThrow("Another import is running");
    await leases.updateOne({ _id: "running" }, { $set: { heldUntil: new Date(0) } });

    // Another process takes over while this one doesn't notice.
    const messages = () => db.collection("messages").countDocuments();
    const before = await messages();
    let takenOver: Promise<unknown> | undefined;
    const onProgress = ({ messages: stored }: { messages: number }) => {
      if (stored === 1000) takenOver = leases.updateOne({ _id: "running" }, { $set: { owner: "another" } });
    };
    const lost = importGroup(target, surveyed, options, { ...origin, onProgress });
    await expect(lost).rejects.toThrow("the import was interrupted");
    await takenOver;
    expect(await messages()).toBeGreaterThanOrEqual(before + 1000);
    await leases.deleteOne({ _id: "running" });
    expect(await importGroup(target, surveyed, options, origin)).toMatchObject({ kind: "continued" });
    await storing.close();
  });
});

test("the same export adds nothing, until its group is deleted", async () => {
  const before = await counts();
  const repeated = await run("--json");
  expect(JSON.parse(repeated.out)).toMatchObject({
    imported: {},
    group: { kind: "added", messages: 0, members: 0, accounts: 0, placeholders: 0 },
  });
  expect(await counts()).toEqual(before);
  const { out } = await run("--name", "Renamed");
  expect(out).toMatch(/^Added to group \w+: .*\n\nNothing new was imported\.\n\nLeft out or changed:\n/);
  expect(out).toMatch(/\nIt has no new members\.\n$/);
  expect(JSON.parse((await run("--again", "--json")).out).group).toMatchObject({ kind: "new" });
  await whileRunning(dataDir, async (url) => {
    const { accessToken } = await must(url, "user.login", { username: "ada", password });
    const { groups } = await must(url, "group.listMine", {}, accessToken);
    expect(groups).toHaveLength(3);
    for (const { id: groupId } of groups) await must(url, "group.delete", { groupId }, accessToken);
    await expect.poll(async () => (await must(url, "admin.listGroups", {}, accessToken)).groups).toEqual([]);
  });
  expect(JSON.parse((await run("--json")).out).group).toMatchObject({ kind: "new" });
});

test("another import removes what an interrupted one left", { tags: "long" }, async () => {
  dataDir = join(folder, "second");
  await makeOpenInstance(dataDir, "ada");
  const slack = join(folder, "Club.zip");
  await writeFile(slack, slackExport());
  const unblock = await blockUploads();
  expect((await run()).code).toBe(1);
  await unblock();
  expect((await counts()).messages).toBeGreaterThanOrEqual(1000);
  expect(await fanfare(dataDir, ["import", slack, "--from", "slack", "--owner", "ada"])).toMatchObject({
    code: 0,
  });
  expect(await counts()).toMatchObject({ groups: 1, messages: 9, files: 0, unfinished: 0 });
  expect((await fanfare(dataDir, ["check"])).out).toBe("No problems found.\n");
});

test("a file that is already stored is neither read nor counted again", async () => {
  const config = configOf(dataDir);
  const [ownerId, channelId, groupId, fileId] = [1, 2, 3, 4].map((n) => String(n).repeat(24));
  const text = Buffer.from("hello");
  await withStoppedNode(config, async (node) => {
    const storing = createImportedFiles(node);
    let opened = 0;
    const place = { ownerId: ownerId!, channelId: channelId!, groupId: groupId!, nonce: "imported-1" };
    const file = {
      ...place,
      fileId: fileId!,
      name: "../hello.txt",
      bytes: text.length,
      createdAt: new Date(),
      async open() {
        opened += 1;
        return Readable.from([text]);
      },
    };
    const usage = async () =>
      (await node.database.collection("fileUsage").findOne({ _id: `user:${ownerId}` } as object))?.["bytes"];
    const first = await storing.store(file);
    expect(first).toMatchObject({ outcome: "stored", attachment: { name: ".._hello.txt", bytes: 5 } });
    expect(await storing.store(file)).toEqual(first);
    expect({ opened, bytes: await usage() }).toEqual({ opened: 1, bytes: 5 });
    const broken = { ...file, fileId: "5".repeat(24) };
    expect(await storing.store({ ...broken, bytes: 9 })).toEqual({ outcome: "damaged" });
    expect(await storing.store({ ...broken, bytes: 3 })).toEqual({ outcome: "damaged" });
    expect(
      await storing.store({ ...broken, open: () => Promise.reject(new Error("cannot be read")) }),
    ).toEqual({ outcome: "damaged" });
    expect(await usage()).toBe(5);
    await storing.removeOf([channelId!]);
    expect({
      bytes: await usage(),
      files: await node.database
        .collection("files")
        .countDocuments({ channelId: new mongo.ObjectId(channelId) }),
    }).toEqual({ bytes: 0, files: 0 });
    await storing.close();
  });
});

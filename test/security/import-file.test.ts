import { createHash } from "node:crypto";
import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { must } from "@fanfare/testing";
import { mongo } from "mongoose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listCollections } from "../../services/cli/src/backup/format.ts";
import { withStoppedInstance } from "../../services/cli/src/open-instance.ts";
import { configOf, fanfare, newFolder, whileRunning } from "../../services/cli/test/temporary-instance.ts";

// A hostile export file, sent to an operator who imports it on the command line.

const TIME = "2026-01-01T00:00:00.000Z";
const [GROUP, CHANNEL, AUTHOR] = ["a".repeat(24), "b".repeat(24), "c".repeat(24)];

let folder: string;
let dataDir: string;
/** The whole content of the database before any import. */
let before: string;
let victim: { userId: string; groupId: string; channelId: string; messageId: string };

beforeAll(async () => {
  folder = await newFolder();
  dataDir = join(folder, "data");
  await whileRunning(dataDir, async (url) => {
    const account = { username: "owner", password: "correct horse" };
    const { user, accessToken } = await must(url, "user.register", account);
    const { group, channels } = await must(url, "group.create", { name: "Victim" }, accessToken);
    const channelId = channels[0]!.id;
    const said = { channelId, content: "untouched", nonce: "n" };
    const { message } = await must(url, "message.send", said, accessToken);
    victim = { userId: user.id, groupId: group.id, channelId, messageId: message.id };
  });
  before = await dumpDatabase();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const header = { type: "header", format: "fanfare-group", version: 1 };
const group = {
  type: "group",
  id: GROUP,
  name: "Sent",
  description: "",
  ownerId: AUTHOR,
  defaultChannelId: CHANNEL,
  defaultPermissions: null,
  retentionDays: null,
  wordFilter: null,
  createdAt: TIME,
};
const channel = {
  type: "channel",
  id: CHANNEL,
  kind: "text",
  name: "general",
  topic: "",
  sectionId: null,
  position: 0,
  slowModeSeconds: 0,
  overrides: [],
  thread: null,
  createdAt: TIME,
};
const message = {
  type: "message",
  id: "d".repeat(24),
  channelId: CHANNEL,
  authorId: AUTHOR,
  content: "hello",
  replyTo: null,
  createdAt: TIME,
  editedAt: null,
  deletedAt: null,
  editCount: 0,
};
const user = { type: "user", id: AUTHOR, username: "somebody", nickname: "Somebody" };

/** Adds the last line, with the right line count and checksum. */
function seal(lines: readonly (object | string)[]): string {
  const text = lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join("");
  const sha256 = createHash("sha256").update(text).digest("hex");
  return `${text}${JSON.stringify({ type: "end", lines: lines.length, sha256 })}\n`;
}

async function importFile(content: string) {
  const file = join(folder, "sent.jsonl");
  await writeFile(file, content);
  return fanfare(dataDir, ["import-group", file, "--owner", "owner"]);
}

/** All documents except the time of the instance's last start. */
async function dumpDatabase(): Promise<string> {
  return withStoppedInstance(configOf(dataDir), async ({ db }) => {
    const names = (await listCollections(db)).filter((name) => name !== "unfinishedImports").toSorted();
    const found = await Promise.all(
      names.map((name) => db.collection(name).find().sort({ _id: 1 }).toArray()),
    );
    return JSON.stringify(names.map((name, index) => [name, found[index]]));
  });
}

const withFields = (line: object, more: object) => ({ ...line, ...more });
const corrupted = (of: "group" | "channel" | "message" | "user", more: object | string) => {
  const lines = { group, channel, message, user };
  const change = (line: object) => (typeof more === "string" ? more : withFields(line, more));
  return [header, ...Object.entries(lines).map(([name, line]) => (name === of ? change(line) : line))];
};
const withRawJson = (line: object, json: string) => JSON.stringify(line).replace(/\}$/, `,${json}}`);

/**
 * Misuse of the parser, of a query, of another group and of the terminal (two), and one file nested too deep.
 */
const SHORT_RUN = new Set([
  "a prototype",
  "IDs that are query operators",
  "the ID of another group's channel",
  "a name with terminal escapes",
  "a key with terminal escapes",
  "endless nesting",
]);

describe("import-group names the line, and changes nothing", () => {
  const files: [string, readonly (object | string)[]][] = [
    ["a prototype", corrupted("message", withRawJson(message, '"__proto__":{"admin":true}'))],
    [
      "a key of a prototype",
      corrupted("group", withRawJson(group, '"constructor":{"prototype":{"admin":true}}')),
    ],
    ["an unknown key", corrupted("user", { admin: true, passwordHash: "x" })],
    ["IDs that are prototype names", corrupted("user", { id: "__proto__" })],
    ["IDs that are paths", corrupted("channel", { id: "../../../../etc/passwd" })],
    ["IDs that are query operators", corrupted("message", { channelId: { $ne: null } })],
    ["the ID of another group's channel", corrupted("message", { channelId: "e".repeat(24) })],
    ["permissions that don't exist", corrupted("group", { defaultPermissions: 2 ** 30 })],
    [
      "invalid numbers",
      corrupted("channel", JSON.stringify(channel).replace('"position":0', '"position":1e999')),
    ],
    ["a name with terminal escapes", corrupted("group", { name: "\u001b]0;owned\u0007\u001b[2J" })],
    ["a name that changes the text direction", corrupted("user", { nickname: "\u202egnp.exe" })],
    ["a key with terminal escapes", corrupted("user", { "\u001b[2J\u001b]0;owned\u0007": 1 })],
    [
      "an emoji with HTML",
      [
        ...corrupted("user", {}),
        { type: "reaction", messageId: message.id, emoji: "<b>x</b>", userId: AUTHOR },
      ],
    ],
    [
      "endless nesting",
      corrupted("group", `{"type":"group","name":${"[".repeat(200_000)}${"]".repeat(200_000)}}`),
    ],
  ];

  for (const [what, lines] of files)
    test(`rejects ${what}`, { tags: SHORT_RUN.has(what) ? [] : "long" }, async () => {
      const { code, out, error } = await importFile(seal(lines));
      expect(code).toBe(1);
      expect(error).toMatch(/line \d+: .*Nothing was changed/);
      expect(error.length).toBeLessThan(1000);
      // eslint-disable-next-line no-control-regex
      expect(`${out}${error}`).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    });

  test("rejects a line that doesn't end", async () => {
    const content = `${JSON.stringify(header)}\n{"type":"group","name":"${"x".repeat(64 * 1024 * 1024)}`;
    const { code, error } = await importFile(content);
    expect(code).toBe(1);
    expect(error).toContain("line 2: the line is too long");
  });

  test("none of them has changed the database", async () => {
    expect(await dumpDatabase()).toBe(before);
  });
});

test("names that look like paths are stored as plain names", async () => {
  const lines = [
    header,
    withFields(group, { name: "../../../../etc/cron.d/x" }),
    withFields(channel, { name: "..\\..\\x" }),
    message,
    user,
  ];
  const files = await readdir(folder);
  const { code, error } = await importFile(seal(lines));
  expect({ code, error }).toEqual({ code: 0, error: "" });
  expect((await readdir(folder)).toSorted()).toEqual([...new Set([...files, "sent.jsonl"])].toSorted());
});

test("IDs of existing documents refer to nothing that exists", async () => {
  const lines = [
    header,
    withFields(group, { id: victim.groupId, ownerId: victim.userId, defaultChannelId: victim.channelId }),
    withFields(channel, { id: victim.channelId }),
    withFields(message, {
      id: victim.messageId,
      channelId: victim.channelId,
      authorId: victim.userId,
      content: "forged",
    }),
    withFields(user, { id: victim.userId, username: "stranger", nickname: "Stranger" }),
  ];
  const { code, error } = await importFile(seal(lines));
  expect({ code, error }).toEqual({ code: 0, error: "" });
  await withStoppedInstance(configOf(dataDir), async ({ db }) => {
    const messages = db.collection("messages");
    const untouched = await messages.findOne({ _id: new mongo.ObjectId(victim.messageId) });
    expect(untouched).toMatchObject({ content: "untouched" });
    const forged = await messages.find({ content: "forged" }).toArray();
    expect(forged).toHaveLength(1);
    expect(forged[0]!["authorId"].toHexString()).not.toBe(victim.userId);
    expect(forged[0]!["channelId"].toHexString()).not.toBe(victim.channelId);
  });
});

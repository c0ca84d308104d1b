import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { discordHistory, mattermostHistory, slackHistory, userId } from "@fanfare/chat-import";
import { makeZip, must } from "@fanfare/testing";
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
import { convert, type Converted } from "./convert.ts";
import { discordDirects, discordFiles, mattermostExport, slackExport } from "./exports.ts";

let folder: string;
let file: string;
beforeAll(async () => {
  folder = await newFolder();
  file = join(folder, "export.zip");
  const contents = { "import.jsonl": mattermostExport(), "data/20200913/y/secret.txt": "for your eyes" };
  await writeFile(
    file,
    makeZip(Object.entries(contents).map(([name, content]) => ({ name, content: Buffer.from(content) }))),
  );
});
afterAll(() => removeInstances(folder));

/** An instance with these accounts; the first is the admin. */
async function instanceOf(name: string, ...usernames: string[]): Promise<string> {
  const dataDir = join(folder, name);
  await makeOpenInstance(dataDir, ...usernames);
  return dataDir;
}
const run = (dataDir: string, ...args: string[]) =>
  fanfare(dataDir, ["import", file, "--from", "mattermost", "--json", ...args]);
const imported = async (dataDir: string, ...args: string[]) => {
  const { code, out, error } = await run(dataDir, ...args);
  expect({ code, error }).toEqual({ code: 0, error: "" });
  return JSON.parse(out);
};
const enter = (url: string, username: string) => must(url, "user.login", { username, password });
const messagesOf = async (url: string, channelId: string, token: string) =>
  (await must(url, "message.list", { channelId, limit: 50 }, token)).messages.toSorted(
    (a, b) => a.seq - b.seq,
  );
const listOf = async (url: string, token: string) =>
  (await must(url, "channel.listDirect", { limit: 20 }, token)).channels;

const shown = (messages: Converted["directs"][string] = []) =>
  messages.map(({ line, reactions, files }) => ({
    content: line.content,
    by: line.authorId,
    at: line.createdAt,
    isEdited: line.editedAt !== null,
    isReply: line.replyTo === messages[0]?.line.id,
    reactions: reactions.map(({ emoji, userId: by }) => [emoji, by]),
    files: files.map(({ name }) => name),
  }));

test.each([
  {
    from: "Slack",
    converted: () => convert(slackHistory, { "Club.zip": slackExport() }),
    keys: ["U1", "U2", "U3"],
    at: "2017-07-14T02:40:22.000Z",
    emoji: "❤️",
    files: [],
    others: {},
  },
  {
    from: "Mattermost",
    converted: () =>
      convert(
        mattermostHistory,
        { "import.jsonl": mattermostExport() },
        {},
        { "data/20200913/y/secret.txt": "!" },
      ),
    keys: ["ada", "grace", "left"],
    at: "2020-09-13T12:33:20.000Z",
    emoji: "❤️",
    files: ["secret.txt"],
    others: {},
  },
  {
    from: "Discord",
    converted: () => convert(discordHistory, { ...discordDirects(), ...discordFiles() }),
    keys: ["300000000000000001", "300000000000000002", "300000000000000009"],
    at: "2021-03-01T10:00:00.000Z",
    emoji: "👍",
    files: [],
    others: { "300000000000000001 direct 810000000000000003": ["is anyone there?"] },
  },
])("direct messages of $from keep authors, times, edits, replies, reactions and files", async (expected) => {
  const { directs, lines, users, of } = await expected.converted();
  const [ada, grace, third] = expected.keys as [string, string, string];
  const { others } = expected;
  expect(Object.keys(directs).toSorted()).toEqual(
    [`${ada} ${grace}`, `${ada} ${grace} ${third}`, ...Object.keys(others)].toSorted(),
  );
  for (const [key, texts] of Object.entries(others))
    expect(directs[key]!.map(({ line }) => line.content)).toEqual(texts);
  const [first, reply] = shown(directs[`${ada} ${grace}`]);
  expect(first).toMatchObject({
    by: userId(ada),
    at: expected.at,
    isEdited: true,
    reactions: [[expected.emoji, userId(grace)]],
  });
  expect(reply).toMatchObject({
    content: "a private reply",
    by: userId(grace),
    isReply: true,
    files: expected.files,
  });
  expect(shown(directs[`${ada} ${grace} ${third}`])[0]!.content).toBe("the three of us");
  // A group file has the names of people, and nothing of what they have written to each other.
  expect(JSON.stringify(lines)).not.toMatch(/private|three of us/);
  expect(of("user").map(({ id }) => id)).toContain(userId(third));
  expect(users.get(third)?.isMember ?? false).toBe(false);
});

test("exports of direct messages need a server", async () => {
  await expect(convert(discordHistory, discordDirects())).rejects.toThrow("at least one file of a server");
});

test("only participants read imported direct messages, after those that they have", async () => {
  const dataDir = await instanceOf("read", "ada", "grace", "other");
  let channelId = "";
  await whileRunning(dataDir, async (url) => {
    const ada = await enter(url, "ada");
    const grace = await enter(url, "grace");
    const opened = await must(url, "channel.openDirect", { userId: grace.user.id }, ada.accessToken);
    channelId = opened.channel.id;
    await must(url, "message.send", { channelId, content: "on Fanfare", nonce: "1" }, ada.accessToken);
  });
  const { imported: counts, group } = await imported(dataDir, "--owner", "ada", "--match-usernames");
  expect(counts).toMatchObject({ "direct conversations": 2, "direct messages": 3, files: 1, messages: 4 });
  expect(group.members).toBe(2);
  await whileRunning(dataDir, async (url) => {
    const ada = await enter(url, "ada");
    const grace = await enter(url, "grace");
    const messages = await messagesOf(url, channelId, grace.accessToken);
    expect(messages.map(({ content }) => content)).toEqual(["on Fanfare", "private", "a private reply"]);
    const [, said, reply] = messages;
    expect(said).toMatchObject({
      authorId: ada.user.id,
      createdAt: "2020-09-13T12:33:20.000Z",
      editedAt: "2020-09-13T12:34:10.000Z",
      reactions: [{ emoji: "❤️", count: 1, userIds: [grace.user.id] }],
    });
    expect(reply).toMatchObject({ replyTo: said!.id, attachments: [{ name: "secret.txt" }] });
    const fileId = reply!.attachments![0]!.fileId;
    const { url: path } = await must(url, "file.getUrl", { fileId }, ada.accessToken);
    expect(await (await fetch(`${url}${path}`)).text()).toBe("for your eyes");
    const [first, second] = await listOf(url, ada.accessToken);
    expect([first!.id, second!.kind]).toEqual([channelId, "groupDirect"]);
    // The message on Fanfare is still unread by grace; others are read.
    expect(second).toMatchObject({ lastReadSeq: 1, head: { seq: 1 } });
    expect((await listOf(url, grace.accessToken))[0]).toMatchObject({ lastReadSeq: 0, head: { seq: 3 } });
    const { accessToken: other } = await enter(url, "other");
    expect(await listOf(url, other)).toEqual([]);
    for (const id of [channelId, second!.id])
      await expect(messagesOf(url, id, other)).rejects.toThrow("CHANNEL_NOT_FOUND");
    await expect(must(url, "file.getUrl", { fileId }, other)).rejects.toThrow("FILE_NOT_FOUND");
    // They are like others from now on, and stay when the group is deleted.
    await must(url, "message.send", { channelId, content: "later", nonce: "2" }, grace.accessToken);
    await must(url, "group.delete", { groupId: group.groupId as string }, ada.accessToken);
  });
  expect((await fanfare(dataDir, ["check"])).out).toBe("No problems found.\n");
  // Another import, such as of another team of the same server, has the same direct messages.
  const again = await imported(dataDir, "--owner", "ada", "--match-usernames", "--again");
  expect(again.group.directs).toMatchObject({ messages: 1, known: 2 });
  await whileRunning(dataDir, async (url) => {
    const { accessToken } = await enter(url, "ada");
    expect((await messagesOf(url, channelId, accessToken)).map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
  });
});

test("an account that someone claims later has its direct messages", async () => {
  const dataDir = await instanceOf("claim", "ada");
  await imported(dataDir, "--owner", "ada", "--match-usernames", "--create-accounts");
  await whileRunning(dataDir, async (url) => {
    const { accessToken } = await enter(url, "ada");
    const { users } = await must(url, "admin.listUsers", { query: "grace" }, accessToken);
    const { link } = await must(url, "admin.sendPasswordReset", { userId: users[0]!.id }, accessToken);
    await must(url, "user.resetPassword", { token: link!.split("token=")[1]!, newPassword: password });
    const grace = await enter(url, "grace");
    const [, direct] = await listOf(url, grace.accessToken);
    const texts = (await messagesOf(url, direct!.id, grace.accessToken)).map(({ content }) => content);
    expect(texts).toEqual(["private", "a private reply"]);
  });
});

test("direct messages of which no one could read a word, or that the operator leaves out, aren't stored", async () => {
  const dataDir = await instanceOf("without", "ada", "grace", "owner");
  const guests = await imported(dataDir, "--owner", "owner");
  expect(guests.group.directs).toMatchObject({ messages: 0, withoutAccount: 2 });
  const without = await imported(
    dataDir,
    "--owner",
    "ada",
    "--match-usernames",
    "--again",
    "--without-direct-messages",
  );
  expect(without.notes).toContainEqual(expect.objectContaining({ code: "directsLeftOut", count: 3 }));
  const direct = await withStoppedInstance(configOf(dataDir), ({ db }) =>
    db.collection("channels").countDocuments({ kind: /direct/i }),
  );
  expect(direct).toBe(0);
});

test("an import that is interrupted at direct messages continues", async () => {
  const dataDir = await instanceOf("interrupted", "ada", "grace");
  const { filesDir } = configOf(dataDir);
  await rm(filesDir, { recursive: true, force: true });
  await writeFile(filesDir, "");
  const failed = await run(dataDir, "--owner", "ada", "--match-usernames");
  expect(failed).toMatchObject({ code: 1, error: expect.stringContaining("Run the same command again") });
  await rm(filesDir);
  const { group } = await imported(dataDir, "--owner", "ada", "--match-usernames");
  // The first report is of all that was imported.
  expect(group).toMatchObject({ kind: "added", messages: 4, known: 0, directs: { files: { stored: 1 } } });
  expect((await fanfare(dataDir, ["check"])).out).toBe("No problems found.\n");
  expect((await imported(dataDir, "--owner", "ada", "--match-usernames")).group.directs).toMatchObject({
    messages: 0,
    known: 3,
  });
});

import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Channel, Message } from "@fanfare/contract";
import { must } from "@fanfare/testing";
import { mongo } from "mongoose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { withStoppedInstance } from "../../src/open-instance.ts";
import { configOf, fanfare, makeInstance, newFolder, whileRunning } from "../temporary-instance.ts";
import { discordFiles, mattermostExport, slackExport } from "./exports.ts";

let folder: string;
let dataDir: string;
const files: Record<string, string[]> = {};

beforeAll(async () => {
  folder = await newFolder();
  dataDir = join(folder, "data");
  await makeInstance(dataDir, "ada", "grace", "other");
  const write = async (from: string, contents: Record<string, Buffer | string>) => {
    files[from] = Object.keys(contents).map((name) => join(folder, name));
    for (const [name, content] of Object.entries(contents)) await writeFile(join(folder, name), content);
  };
  await write("slack", { "Club Slack export.zip": slackExport() });
  await write("discord", discordFiles());
  await write("mattermost", { "import.jsonl": mattermostExport() });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const run = (from: string, ...args: string[]) =>
  fanfare(dataDir, ["import", ...files[from]!, "--from", from, ...args]);

/** What a member sees of the group with the name. */
async function seenBy(username: string, name: string, channel = "general") {
  let seen!: {
    channels: Channel[];
    members: number;
    read: (channelId: string) => Promise<Message[]>;
    pins: Message[];
  };
  const pages = new Map<string, Message[]>();
  await whileRunning(dataDir, async (url) => {
    const { accessToken } = await must(url, "user.login", { username, password: "correct horse" });
    const { groups } = await must(url, "group.listMine", {}, accessToken);
    const groupId = groups.findLast((one) => one.name === name)!.id;
    const { channels } = await must(url, "channel.list", { groupId }, accessToken);
    const { members } = await must(url, "group.listMembers", { groupId }, accessToken);
    const read = async (channelId: string): Promise<void> => {
      const { messages } = await must(url, "message.list", { channelId }, accessToken);
      pages.set(
        channelId,
        messages.toSorted((a, b) => a.seq - b.seq),
      );
      for (const { threadId } of messages) if (threadId !== undefined) await read(threadId);
    };
    for (const { id, kind } of channels) if (kind === "text") await read(id);
    const { id: channelId } = channels.find((one) => one.name === channel)!;
    const { messages: pins } = await must(url, "message.listPins", { channelId }, accessToken);
    seen = { channels, members: members.length, pins, read: async (id) => pages.get(id) ?? [] };
  });
  return seen;
}

const EXPORTS = [
  {
    from: "slack",
    name: "Club",
    channel: "general",
    root: "Hello",
    at: "2017-07-14T02:40:10.000Z",
    replies: ["first reply", "everyone should see this"],
    secret: "secret",
  },
  {
    from: "discord",
    name: "The Club",
    channel: "general",
    root: "Hello",
    at: "2021-02-01T10:00:00.000Z",
    replies: ["in the thread"],
    secret: null,
  },
  {
    from: "mattermost",
    name: "Core Team",
    channel: "Town Square",
    root: "first",
    at: "2020-09-13T12:28:20.000Z",
    replies: ["a reply\n\n📎 plan.pdf"],
    secret: "Lab",
  },
];
for (const { from, name, channel, root, at, replies, secret } of EXPORTS)
  test(
    `members see the messages of ${from} with threads, reactions, pins and times`,
    { tags: from === "slack" ? [] : "long" },
    async () => {
      const { code, out, error } = await run(from, "--owner", "ada", "--match-usernames");
      expect({ code, error }).toEqual({ code: 0, error: "" });
      expect(out).toMatch(/^Imported:$/m);
      const { channels, members, read, pins } = await seenBy("grace", name, channel);
      expect(members).toBe(2);
      const messages = await read(channels.find((one) => one.name === channel)!.id);
      const first = messages.find(({ content }) => content.startsWith(root))!;
      expect(first).toMatchObject({ createdAt: at, editedAt: expect.any(String) });
      expect(first.reactions).toEqual(expect.arrayContaining([expect.objectContaining({ emoji: "👍" })]));
      expect(pins.map(({ id }) => id)).toEqual([first.id]);
      expect((await read(first.threadId!)).map(({ content }) => content)).toEqual(replies);
      expect(channels.some((one) => one.name === secret)).toBe(secret !== null);
      expect((await fanfare(dataDir, ["check"])).out).toBe("No problems found.\n");
    },
  );

test("without matching, authors are guests and only the owner is a member", async () => {
  const { code, out } = await run("slack", "--owner", "other", "--name", "Guests", "--again", "--json");
  expect(code).toBe(0);
  const report = JSON.parse(out);
  expect(report).toMatchObject({
    imported: { channels: 2, "private channels": 1, threads: 1, messages: 9, pins: 1 },
    group: { members: 1, messages: 9 },
  });
  const { channels, read } = await seenBy("other", "Guests");
  expect(
    (await read(channels.find((one) => one.name === "secret")!.id)).map(({ content }) => content),
  ).toEqual(["between us"]);
  // So that they are removed with the group, and don't count as users.
  const guests = await withStoppedInstance(configOf(dataDir), ({ db }) =>
    db
      .collection("users")
      .find({ kind: "guest", importedIn: new mongo.ObjectId(report.group.groupId as string) })
      .toArray(),
  );
  expect(guests.map(({ nickname }) => nickname as string)).toContain("Grace H.");
});

test("a dry run changes nothing, and a conversion can be imported later", async () => {
  const file = join(folder, "group.jsonl");
  expect((await run("slack", "--dry-run")).out).toMatch(
    /2 {2}direct conversations\n {2}3 {2}direct messages/,
  );
  const dry = await run("slack", "--dry-run", "--without-files", "--without-direct-messages");
  // Its group has most of it.
  expect(dry.out).toMatch(/^In the export:$/m);
  expect(dry.out).not.toMatch(/imported:/im);
  expect(dry.out).not.toContain("direct conversations");
  const converted = await run("slack", "--out", file, "--name", "Later");
  expect(converted.code).toBe(0);
  const destination = /^Adds to group (\w+): Club \(with --into \1\)\n\n/;
  expect(dry.out).toMatch(destination);
  const listed = dry.out.replace(destination, "").replace("In the export:", "Would be imported:");
  expect(converted.out).toBe(`${listed}\nWrote ${file}.\n`);
  expect((await readFile(file, "utf8")).split("\n")[0]).toContain("fanfare-group");
  expect((await run("slack", "--out", file)).error).toContain("already exists");
  expect(await fanfare(dataDir, ["import-group", file, "--owner", "other"])).toMatchObject({ code: 0 });
});

const UNUSABLE: { what: string; more: Record<string, string>; reason: string; tags: string[] }[] = [
  { what: "an invalid configuration", more: { PORT: "none" }, reason: "PORT", tags: [] },
  {
    what: "a database that can't be opened",
    more: { DATA_DIR: "broken" },
    reason: "The group is unknown",
    tags: ["long"],
  },
];
for (const { what, more, reason, tags } of UNUSABLE)
  test(`a dry run with ${what} reports everything but the group`, { tags }, async () => {
    const env = { ...more };
    if (more["DATA_DIR"] !== undefined) {
      env["DATA_DIR"] = join(folder, more["DATA_DIR"]);
      await mkdir(env["DATA_DIR"]);
      await writeFile(join(env["DATA_DIR"], "db"), "not a folder");
    }
    const args = ["import", ...files["slack"]!, "--from", "slack", "--dry-run"];
    const { code, out, error } = await fanfare(dataDir, args, env);
    expect(error).toContain(reason);
    expect({ code, start: out.split("\n")[0] }).toEqual({ code: 0, start: "Would be imported:" });
    expect(await fanfare(dataDir, args)).toMatchObject({ code: 0, error: "" });
  });

test("refuses without an owner, and explains what is wrong with an export", async () => {
  expect((await run("slack")).error).toContain("--owner");
  const wrong = await fanfare(dataDir, [
    "import",
    files["slack"]![0]!,
    "--from",
    "discord",
    "--owner",
    "ada",
  ]);
  expect(wrong).toMatchObject({ code: 1, out: "" });
  expect(wrong.error).toMatch(/The export cannot be imported: .*Nothing was changed\./);
  const missing = await fanfare(dataDir, [
    "import",
    join(folder, "none.zip"),
    "--from",
    "slack",
    "--owner",
    "ada",
  ]);
  expect(missing.error).toBe(`${join(folder, "none.zip")} cannot be read: no such file or directory.\n`);
});

test("names what is missing on the command line, and the command's help", async () => {
  const export_ = files["slack"]![0]!;
  const errorOf = async (...args: string[]) => (await fanfare(dataDir, args)).error;
  expect(await errorOf("import", export_)).toBe("--from is missing.\nSee: fanfare import --help\n");
  expect(await errorOf("import", export_, "--from", "slack", "--into", "1", "--owner", "ada")).toBe(
    "--into and --owner can't be used together.\nSee: fanfare import --help\n",
  );
  expect(await errorOf("imprt", export_)).toMatch(/^Unknown .*imprt.*\nSee: fanfare --help\n$/);
});

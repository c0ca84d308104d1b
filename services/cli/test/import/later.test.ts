import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { must } from "@fanfare/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  fanfare,
  makeOpenInstance,
  newFolder,
  password,
  removeInstances,
  whileRunning,
} from "../temporary-instance.ts";
import { mattermostLines, mattermostPost as post } from "./exports.ts";

let folder: string;
let dataDir: string;
beforeAll(async () => {
  folder = await newFolder();
  dataDir = join(folder, "data");
  await makeOpenInstance(dataDir, "ada", "grace");
});
afterAll(() => removeInstances(folder));

const importLines = async (name: string, lines: readonly object[], ...more: string[]) => {
  const file = join(folder, name);
  await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const owner = more.includes("--into") ? [] : ["--owner", "ada"];
  const args = ["--from", "mattermost", ...owner, "--match-usernames", "--json", ...more];
  const { code, out, error } = await fanfare(dataDir, ["import", file, ...args]);
  return { code, error, report: code === 0 ? JSON.parse(out) : null };
};
const enter = async (url: string, username: string) =>
  (await must(url, "user.login", { username, password })).accessToken;

/** The export a week later. */
const laterLines = () => [
  ...mattermostLines().map((line) => {
    const { post: before } = line as { post?: { message?: string } };
    if (before?.message !== "second @ada.") return line;
    const reply = { user: "ada", message: "a late reply", create_at: 1_600_001_000_000 };
    return { type: "post", post: { ...before, message: "changed there", replies: [reply] } };
  }),
  { type: "channel", channel: { team: "core", name: "new", display_name: "New Channel", type: "O" } },
  {
    type: "user",
    user: { username: "eve", teams: [{ name: "core", channels: [{ name: "new" }] }] },
  },
  post("town-square", "eve", "hello from eve", 1),
  post("lab", "grace", "more between us", 2),
  post("new", "eve", "in the new channel", 3, { reactions: [{ user: "ada", emoji_name: "tada" }] }),
  {
    type: "direct_post",
    direct_post: {
      channel_members: ["ada", "grace"],
      user: "grace",
      message: "a later word",
      create_at: 1_600_001_300_000,
    },
  },
];

test("a later export adds what is new to the group, and leaves alone what people did there", async () => {
  const first = await importLines("first.jsonl", mattermostLines());
  const { groupId } = first.report.group as { groupId: string };
  let townSquare = "";
  await whileRunning(dataDir, async (url) => {
    const [ada, grace] = [await enter(url, "ada"), await enter(url, "grace")];
    const { channels } = await must(url, "channel.list", { groupId }, ada);
    const idOf = (name: string) => channels.find((one) => one.name === name)!.id;
    townSquare = idOf("Town Square");
    await must(url, "channel.delete", { channelId: idOf("Lab") }, ada);
    await must(url, "message.send", { channelId: townSquare, content: "on Fanfare", nonce: "1" }, grace);
    await must(url, "group.leave", { groupId }, grace);
    // Owners can't have more groups than this, but can add to those that they have.
    await must(url, "admin.setPolicy", { groupsOwnedPerUser: 1 }, ada);
  });
  const over = await importLines("first.jsonl", mattermostLines(), "--again");
  expect(over).toMatchObject({ code: 1, error: expect.stringContaining("already owns 1 groups") });

  const { report } = await importLines("later.jsonl", laterLines(), "--create-accounts", "--into", groupId);
  expect(report.group).toMatchObject({
    groupId,
    kind: "added",
    messages: 3,
    known: 3,
    deletedHere: 2,
    members: 1,
    formerMembers: 1,
    accounts: 1,
    directs: { messages: 1, known: 3 },
  });
  expect(report.imported).toEqual({
    users: 1,
    channels: 1,
    threads: 1,
    messages: 3,
    reactions: 1,
    "direct conversations": 1,
    "direct messages": 1,
    "new accounts": 1,
  });
  expect((await fanfare(dataDir, ["check"])).out).toBe("No problems found.\n");
  await whileRunning(dataDir, async (url) => {
    const ada = await enter(url, "ada");
    const { groups } = await must(url, "group.listMine", {}, ada);
    expect(groups).toMatchObject([{ id: groupId, memberCount: 2 }]);
    const { channels } = await must(url, "channel.list", { groupId }, ada);
    expect(channels.map(({ name }) => name)).toEqual(["Town Square", "New Channel"]);
    const read = async (channelId: string) =>
      (await must(url, "message.list", { channelId }, ada)).messages.toSorted((a, b) => a.seq - b.seq);
    const messages = await read(townSquare);
    expect(messages.map(({ seq, content }) => [seq, content.replace(/<@\w+>/, "@ada")])).toEqual([
      [1, "first **post** 🎉"],
      [2, "second @ada."],
      [3, "on Fanfare"],
      [4, "hello from eve"],
    ]);
    expect(messages[3]!.createdAt).toBe(new Date(1_600_001_060_000).toISOString());
    // A thread about a message that was there before.
    expect((await read(messages[1]!.threadId!)).map(({ content }) => content)).toEqual(["a late reply"]);
    expect(await read(channels[1]!.id)).toMatchObject([
      { content: "in the new channel", reactions: [{ emoji: "🎉", count: 1 }] },
    ]);
    await must(url, "message.send", { channelId: townSquare, content: "and on", nonce: "2" }, ada);
  });
  const repeated = await importLines("later.jsonl", laterLines(), "--create-accounts", "--into", groupId);
  expect(repeated.report.group).toMatchObject({ messages: 0, known: 6, members: 0, accounts: 0 });
  expect(repeated.report.imported).toEqual({});
  expect((await fanfare(dataDir, ["check"])).out).toBe("No problems found.\n");
});

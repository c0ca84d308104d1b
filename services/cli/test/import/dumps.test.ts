import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { must } from "@fanfare/testing";
import { mongo } from "mongoose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { userId } from "@fanfare/chat-import";
import { rocketChatHistory } from "@fanfare/chat-import";
import { tailchatHistory } from "@fanfare/chat-import";
import { withStoppedInstance } from "../../src/open-instance.ts";
import {
  configOf,
  fanfare,
  makeOpenInstance,
  password,
  removeInstances,
  whileRunning,
} from "../temporary-instance.ts";
import { convertFiles } from "./convert.ts";

// Documents as in https://github.com/RocketChat/Rocket.Chat/tree/develop/packages/core-typings/src and
// https://github.com/msgbyte/tailchat/tree/master/server/models. All names and texts are invented.

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fanfare-dumps-"));
});
afterAll(() => removeInstances(folder));

const bson = (documents: readonly object[]): Buffer =>
  Buffer.concat(documents.map((one) => mongo.BSON.serialize(one)));
async function dumpOf(name: string, collections: Record<string, Buffer>): Promise<string> {
  const path = join(folder, name);
  await mkdir(path);
  for (const [file, content] of Object.entries(collections)) await writeFile(join(path, file), content);
  return path;
}

const [ada, grace] = [
  { _id: "u1", username: "ada", name: "Ada" },
  { _id: "u2", username: "grace", name: "Grace" },
];
const at = (seconds: number) => new Date(1_600_000_000_000 + 1000 * seconds);
const rocketChat = () => ({
  "users.bson": bson([
    {
      ...ada,
      type: "user",
      active: true,
      roles: ["user", "admin"],
      emails: [{ address: "ada@example.org" }],
    },
    {
      ...grace,
      type: "user",
      active: true,
      roles: ["user"],
      emails: [{ address: "grace@example.org", verified: true }],
    },
    { _id: "rocket.cat", username: "rocket.cat", name: "Rocket.Cat", type: "bot", active: true },
  ]),
  "rocketchat_room.bson": bson([
    { _id: "GENERAL", t: "c", name: "general", topic: "All", ts: at(0), u: ada },
    { _id: "r2", t: "p", name: "lab", fname: "The Lab", ts: at(1), u: grace },
    { _id: "u1u2", t: "d", ts: at(2), uids: ["u1", "u2"], usernames: ["ada", "grace"] },
    // Older servers have the members only in the subscriptions.
    { _id: "d3", t: "d", ts: at(3) },
    { _id: "l1", t: "l", ts: at(4) },
  ]),
  "rocketchat_subscription.bson": bson([
    { _id: "s1", rid: "r2", u: grace },
    ...["u1", "u2", "u3"].map((id) => ({ _id: `d3${id}`, rid: "d3", u: { _id: id } })),
  ]),
  "rocketchat_message.bson.gz": gzipSync(
    bson([
      { _id: "m3", rid: "GENERAL", tmid: "m1", msg: "a reply", ts: at(30), u: grace },
      { _id: "m0", rid: "GENERAL", t: "uj", msg: "grace", ts: at(5), u: grace },
      {
        _id: "m1",
        rid: "GENERAL",
        msg: "Hello @grace, *all* :tada:",
        ts: at(10),
        u: ada,
        tcount: 1,
        editedAt: at(15),
        pinned: true,
        pinnedAt: at(20),
        pinnedBy: grace,
        reactions: { ":thumbsup:": { usernames: ["ada", "grace"] }, ":party:": { usernames: ["ada"] } },
      },
      {
        _id: "m2",
        rid: "GENERAL",
        msg: "[ ](https://chat.example.org/channel/general?msg=m1) yes",
        ts: at(20),
        u: grace,
        attachments: [
          {
            text: "Hello",
            author_name: "ada",
            message_link: "https://chat.example.org/channel/general?msg=m1",
          },
          { title: "plan.pdf", title_link: "/file-upload/f1/plan.pdf", type: "file" },
        ],
      },
      { _id: "m4", rid: "r2", msg: "between us", ts: at(40), u: grace },
      {
        _id: "m5",
        rid: "u1u2",
        msg: "private",
        ts: at(50),
        u: grace,
        tcount: 1,
        editedAt: at(51),
        reactions: { ":heart:": { usernames: ["ada"] } },
      },
      { _id: "m7", rid: "u1u2", tmid: "m5", msg: "a private reply", ts: at(52), u: ada },
      { _id: "m8", rid: "d3", msg: "the three of us", ts: at(53), u: ada },
      { _id: "m6", rid: "r2", t: "e2e", msg: "c2VjcmV0", ts: at(60), u: grace },
    ]),
  ),
});

test("Rocket.Chat: messages keep authors, times, threads, reactions and pins", async () => {
  const { of, texts, note, users, directs, lines } = await convertFiles(rocketChatHistory, [
    await dumpOf("rocketchat", rocketChat()),
  ]);
  const [said, answer] = directs["u1 u2"]!;
  expect(said).toMatchObject({
    line: { content: "private", authorId: userId("u2"), createdAt: at(50).toISOString() },
    reactions: [{ emoji: "❤️", userId: userId("u1") }],
  });
  expect(said!.line.editedAt).toBe(at(51).toISOString());
  expect(answer!.line).toMatchObject({ content: "a private reply", replyTo: said!.line.id });
  expect(directs["u1 u2 u3"]).toMatchObject([{ line: { content: "the three of us" } }]);
  expect(JSON.stringify(lines)).not.toMatch(/private|three of us/);
  expect(texts("general")).toEqual([
    `Hello <@${userId("u2")}>, **all** 🎉`,
    "yes\n\n> **ada**\n> Hello\n\n📎 plan.pdf",
  ]);
  expect(texts(null)).toEqual(["a reply"]);
  expect(texts("The Lab")).toEqual(["between us"]);
  const first = of("message").find(({ content }) => content.startsWith("Hello"))!;
  expect(first).toMatchObject({
    authorId: userId("u1"),
    createdAt: at(10).toISOString(),
    editedAt: at(15).toISOString(),
    pinned: { at: at(20).toISOString(), by: userId("u2") },
    threadId: of("channel").find(({ kind }) => kind === "thread")!.id,
  });
  expect(of("reaction").map(({ emoji, userId: by }) => [emoji, by])).toEqual([
    ["👍", userId("u1")],
    ["👍", userId("u2")],
    [":party:", userId("u1")],
  ]);
  expect(of("channel").find(({ name }) => name === "The Lab")!.overrides).toHaveLength(2);
  expect(of("group")).toMatchObject([{ ownerId: userId("u1") }]);
  expect(users.get("u2")).toMatchObject({ username: "grace", email: "grace@example.org" });
  expect(note("encrypted messages")).toBe(1);
  expect(note("notices about channels")).toBe(1);
  expect(note("support conversations")).toBe(1);
});

test("Tailchat: one group of the server, with sections, replies and reactions", async () => {
  const idAt = (seconds: number, n: number) =>
    mongo.ObjectId.createFromHexString((1_600_000_000 + seconds).toString(16) + String(n).padStart(16, "0"));
  const [one, two, club, other] = [idAt(0, 1), idAt(0, 2), idAt(1, 3), idAt(1, 4)];
  const general = String(idAt(2, 5));
  const [three, converse] = [idAt(0, 10), idAt(3, 11)];
  const [first, second, third] = [idAt(10, 6), idAt(20, 7), idAt(30, 8)];
  const message = { groupId: club, converseId: idAt(2, 5), hasRecall: false };
  const dump = await dumpOf("tailchat", {
    "users.bson": bson([
      { _id: one, username: "ada", nickname: "Ada", email: "ada@example.org", type: "normalUser" },
      { _id: three, username: "eve", type: "normalUser" },
      { _id: two, nickname: "Grace", email: "grace@example.org", type: "normalUser" },
    ]),
    "groups.bson": bson([
      {
        _id: club,
        name: "Club",
        owner: one,
        members: [{ userId: one }, { userId: two }],
        panels: [
          { id: "s", name: "Talk", type: 1 },
          { id: general, name: "general", parentId: "s", type: 0 },
          { id: "w", name: "Web", type: 2 },
        ],
      },
      { _id: other, name: "Other", owner: one, members: [], panels: [] },
    ]),
    "converses.bson": bson([
      { _id: converse, type: "DM", members: [one, three] },
      { _id: idAt(3, 12), type: "Multi", name: "Us", members: [one, two, three] },
      { _id: idAt(3, 13), type: "DM", members: [three, idAt(0, 14)] },
    ]),
    "messages.bson": bson([
      {
        ...message,
        _id: first,
        author: one,
        content: `[at=${String(two)}]Grace[/at] [b]see[/b] [url=https://example.org/a]this[/url] 2*3*4`,
        reactions: [{ name: ":+1:", author: two }],
      },
      {
        ...message,
        _id: second,
        author: two,
        content: "yes",
        meta: { reply: { _id: String(first), content: "see" } },
      },
      { ...message, _id: third, author: two, content: "gone", hasRecall: true },
      { _id: idAt(50, 1), converseId: converse, author: three, content: "private", hasRecall: false },
      {
        _id: idAt(51, 2),
        converseId: converse,
        author: one,
        content: "a private reply",
        meta: { reply: { _id: String(idAt(50, 1)) } },
        reactions: [{ name: "👍", author: three }],
      },
      { _id: idAt(52, 3), converseId: idAt(3, 12), author: two, content: "the three of us" },
      { _id: idAt(53, 4), converseId: idAt(3, 13), author: three, content: "between others" },
      { ...message, _id: idAt(40, 9), groupId: other, author: two, content: "elsewhere" },
    ]),
  });
  await expect(convertFiles(tailchatHistory, [dump])).rejects.toThrow("Choose one with --team");
  const { of, texts, note, users, directs, lines } = await convertFiles(tailchatHistory, [dump], {
    team: "Club",
  });
  const [private1, private2] = directs[`${String(one)} ${String(three)}`]!;
  expect(private1!.line).toMatchObject({ content: "private", createdAt: at(50).toISOString() });
  expect(private2).toMatchObject({
    line: { content: "a private reply", replyTo: private1!.line.id },
    reactions: [{ emoji: "👍", userId: userId(String(three)) }],
  });
  expect(Object.values(directs).flat()).toHaveLength(3);
  expect(JSON.stringify(lines)).not.toMatch(/private|three of us|between others/);
  expect(users.get(String(three))).toMatchObject({ username: "eve", isMember: false });
  expect(users.get(String(two))).toMatchObject({ name: "Grace", email: "grace@example.org" });
  expect(texts("general")).toEqual([
    `<@${userId(String(two))}> **see** [this](https://example.org/a) 2\\*3\\*4`,
    "yes",
    "",
  ]);
  const [said, answer, deleted] = of("message");
  expect(said).toMatchObject({ createdAt: at(10).toISOString(), authorId: userId(String(one)) });
  expect(answer).toMatchObject({ replyTo: said!.id });
  expect(deleted!.deletedAt).not.toBe(null);
  expect(of("reaction")).toMatchObject([{ emoji: "👍", userId: userId(String(two)) }]);
  expect(of("channel").map(({ kind, name }) => [kind, name])).toEqual([
    ["section", "Talk"],
    ["text", "general"],
  ]);
  expect(note("panels of plug-ins")).toBe(1);
});

test.each([
  ["a document that is cut off", (whole: Buffer) => whole.subarray(0, -5), "is cut off"],
  [
    "an impossible length",
    (whole: Buffer) => Buffer.concat([whole, Buffer.from([255, 255, 255, 127, 0])]),
    "impossible length",
  ],
  ["another file", () => Buffer.from("hello, this is text"), "impossible length"],
])("refuses %s", async (what, change, reason) => {
  const files = rocketChat();
  const dump = await dumpOf(what, {
    ...files,
    "rocketchat_room.bson": change(files["rocketchat_room.bson"]),
  });
  await expect(convertFiles(rocketChatHistory, [dump])).rejects.toThrow(reason);
});

test("refuses a file, and a folder of something else", async () => {
  const dump = await dumpOf("empty", { "notes.txt": Buffer.from("hello") });
  await expect(convertFiles(rocketChatHistory, [dump])).rejects.toThrow("no rooms");
  await expect(convertFiles(tailchatHistory, [join(dump, "notes.txt")])).rejects.toThrow("name the folder");
});

test("the command imports dumps", async () => {
  const dataDir = join(folder, "data");
  await makeOpenInstance(dataDir, "ada");
  await withStoppedInstance(configOf(dataDir), async ({ db }) => {
    const verified = { emailLower: "ada@example.org", emailVerifiedAt: new Date() };
    await db.collection("users").updateOne({ usernameLower: "ada" }, { $set: verified });
  });
  const args = ["--owner", "ada", "--match-usernames"];
  const dumps = [
    [join(folder, "rocketchat"), "--from", "rocketchat"],
    [join(folder, "tailchat"), "--from", "tailchat", "--team", "Club"],
  ];
  for (const dump of dumps)
    expect(await fanfare(dataDir, ["import", ...dump, ...args])).toMatchObject({ code: 0, error: "" });
  await whileRunning(dataDir, async (url) => {
    const { accessToken, user } = await must(url, "user.login", { username: "ada", password });
    const { groups } = await must(url, "group.listMine", {}, accessToken);
    expect(groups.map(({ name }) => name).toSorted()).toEqual(["Club", "Rocket.Chat"]);
    for (const { id: groupId } of groups) {
      const { channels } = await must(url, "channel.list", { groupId }, accessToken);
      const channelId = channels.find(({ name }) => name === "general")!.id;
      const { messages } = await must(url, "message.list", { channelId }, accessToken);
      const first = messages.toSorted((a, b) => a.seq - b.seq)[0]!;
      expect(first).toMatchObject({ authorId: user.id, createdAt: at(10).toISOString() });
      expect(first.reactions?.[0]).toMatchObject({ emoji: "👍" });
    }
  });
});

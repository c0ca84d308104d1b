import { LIMITS } from "@fanfare/contract";
import { makeZip } from "@fanfare/testing";
import { expect, test } from "vitest";
import { userId } from "@fanfare/chat-import";
import { slackHistory } from "@fanfare/chat-import";
import { convert, convertFolder, zipOf } from "./convert.ts";
import { slackExport, slackFiles } from "./exports.ts";

const archive = "The Club Slack export Jul 1 2017 - Jul 31 2017.zip";
const converted = (content: Buffer) => convert(slackHistory, { [archive]: content });
const withFile = (path: string, value: unknown) => converted(zipOf({ ...slackFiles(), [path]: value }));

test("messages keep authors, markup, times, edits and reactions", async () => {
  const { of, texts, note } = await converted(slackExport());
  expect(of("group")).toMatchObject([
    { name: "The Club", createdAt: "2017-07-14T02:40:00.000Z", ownerId: userId("U1") },
  ]);
  expect(texts("general")).toEqual([
    `Hello <@${userId("U2")}>, see **this** in #old: [the page](https://example.org/a?b=1&c=2) \\<3 🎉`,
    "a file\n\n[Plan](https://files.slack.com/files-pri/T1-F1/plan.pdf)",
    "reply to nothing",
    "> [Build 7](https://ci.example.org/7)\n> It **failed**.",
    "from elsewhere, not `*code*`",
  ]);
  const [first, , , build] = of("message").filter(({ content }) => texts("general").includes(content));
  expect(first).toMatchObject({
    authorId: userId("U1"),
    createdAt: "2017-07-14T02:40:10.000Z",
    editedAt: "2017-07-14T02:41:00.000Z",
    pinned: { at: "2017-07-14T02:55:00.000Z", by: userId("U2") },
  });
  expect(of("reaction").map(({ emoji, userId: by }) => [emoji, by])).toEqual([
    ["👍", userId("U1")],
    ["👍", userId("U2")],
    ["👋🏼", userId("U2")],
    [":party_parrot:", userId("U1")],
  ]);
  expect(of("user").find(({ id }) => id === build!.authorId)).toMatchObject({
    nickname: "Builds",
    username: null,
  });
  expect(note("reactions of unknown users")).toBe(2);
});

test("an unpacked export is read like the archive", async () => {
  const files = Object.entries(slackFiles()).map(([path, value]) => [
    `The Club Slack export/${path}`,
    JSON.stringify(value),
  ]);
  const { lines } = await convertFolder(slackHistory, Object.fromEntries(files));
  const { lines: packed } = await converted(slackExport());
  expect(lines.slice(1)).toEqual(packed.slice(1));
});

test("threads, private and archived channels stay what they are", async () => {
  const { of, texts, note } = await converted(slackExport());
  expect(texts(null)).toEqual(["first reply", "everyone should see this"]);
  const channels = of("channel");
  const thread = channels.find(({ kind }) => kind === "thread")!;
  const root = of("message").find(({ threadId }) => threadId === thread.id)!;
  expect(thread.thread).toMatchObject({
    rootMessageId: root.id,
    createdBy: userId("U1"),
    lastActivityAt: "2017-07-15T02:50:10.000Z",
  });
  const archived = channels.find(({ name }) => name === "Archived")!;
  expect(channels.find(({ name }) => name === "old")).toMatchObject({
    sectionId: archived.id,
    topic: "Before",
  });
  expect(channels.find(({ name }) => name === "general")).toMatchObject({
    topic: "All & more",
    overrides: [],
  });
  const secret = channels.find(({ name }) => name === "secret")!;
  expect(secret.overrides.map((one) => ("id" in one ? one.id : one.type))).toEqual([
    "everyone",
    userId("U2"),
  ]);
  expect(of("member").map((one) => one.userId)).toEqual([userId("U1"), userId("U2")]);
  expect(JSON.stringify(of("message"))).not.toContain("private words");
  expect(note("joins and leaves")).toBe(1);
  expect(note("replies in channels")).toBe(1);
  expect(note("messages without a time")).toBe(2);
});

test("the token of an export is not in the group", async () => {
  expect(JSON.stringify((await converted(slackExport())).lines)).not.toContain("xoxe");
});

test("a message that is too long becomes several, and one with too many reactions keeps the first", async () => {
  const names = [
    "wave",
    "tada",
    "fire",
    "eyes",
    "heart",
    "rocket",
    "bug",
    "cat",
    "dog",
    "pizza",
    "beer",
    "apple",
  ];
  const more = ["car", "bus", "key", "bell", "gift", "moon", "star", "sunny", "cloud", "snowman", "umbrella"];
  const long = {
    user: "U1",
    ts: "1500000500.000000",
    text: `\`\`\`\n${"code and more\n".repeat(2000)}\`\`\``,
    reactions: [...names, ...more].map((name) => ({ name, users: ["U1"], count: 1 })),
  };
  const { texts, of, note } = await withFile("secret/2017-07-15.json", [long]);
  const parts = texts("secret").slice(1);
  expect(parts.length).toBe(3);
  for (const part of parts) {
    expect(part.length).toBeLessThanOrEqual(LIMITS.messageMaxChars);
    expect(part).toMatch(/^```\n[^`]*```$/);
  }
  expect(parts.join("").match(/code and more/g)).toHaveLength(2000);
  expect(note("long messages")).toBe(1);
  expect(
    new Set(
      of("reaction")
        .slice(4)
        .map(({ emoji }) => emoji),
    ).size,
  ).toBe(LIMITS.reactionsPerMessage);
  expect(note("reactions over the limit")).toBe(3);
});

test("values of other types are left out", async () => {
  const { texts, of } = await withFile("secret/2017-07-15.json", [
    {
      user: "U1",
      ts: "1500000500.000000",
      text: 7,
      files: "x",
      reactions: [{ name: 1 }, null],
      attachments: { a: 1 },
    },
    { user: ["U1"], ts: "1500000501.000000", text: "still here", edited: "x", thread_ts: {} },
    { user: "U1", ts: "1e400", text: "never" },
    { user: "U1", ts: "99999999999999.0", text: "too late" },
    { user: "__proto__", ts: "1500000502.000000", text: "<@__proto__> <@constructor>" },
    { user: "U1", ts: "1500000503.000000", text: "\ud800 half" },
    {
      user: "U1",
      ts: "1500000504.000000",
      text: "odd reaction",
      reactions: [{ name: "<b>x</b>", users: ["U2"] }],
    },
    null,
    [],
  ]);
  expect(texts("secret")).toEqual([
    "between us",
    "still here",
    expect.stringContaining("constructor"),
    "\ufffd half",
    "odd reaction",
  ]);
  expect(of("reaction")).toHaveLength(4);
});

test("more channels than a group can have are left out", async () => {
  const channels = Array.from({ length: LIMITS.channelsPerGroup + 10 }, (_, n) => ({
    id: `X${n}`,
    name: `c${n}`,
    created: 1,
  }));
  const { of, note } = await withFile("channels.json", channels);
  expect(of("channel").filter(({ kind }) => kind !== "thread")).toHaveLength(LIMITS.channelsPerGroup);
  expect(note("channels")).toBe(11);
});

test("only the newest pins of a channel are kept", async () => {
  const ts = Array.from({ length: 60 }, (_, n) => `15001000${String(n).padStart(2, "0")}.000000`);
  const pins = ts.map((id, n) => ({ id, created: 1_500_200_000 + n, user: "U1" }));
  const files = { ...slackFiles(), "channels.json": [{ id: "C1", name: "general", created: 1, pins }] };
  const day = ts.map((one) => ({ user: "U1", ts: one, text: one }));
  const { of, note } = await converted(zipOf({ ...files, "general/2017-07-16.json": day }));
  const pinned = of("message").filter((one) => one.pinned !== undefined);
  expect(pinned.map(({ content }) => content)).toEqual(ts.slice(10));
  expect(note("older pins")).toBe(10);
});

test.each([
  ["text", Buffer.from("not an archive"), "not a ZIP archive"],
  ["another archive", zipOf({ "a.json": [] }), "no channels.json"],
  [
    "invalid JSON",
    makeZip([{ name: "channels.json", content: Buffer.from("[{") }]),
    "channels.json: it is cut off",
  ],
  ["an object instead of a list", zipOf({ "channels.json": {} }), "channels.json: it is not a list"],
  [
    "a file that unpacks to more than the archive says",
    makeZip([{ name: "channels.json", content: Buffer.alloc(100_000, " "), statedBytes: 10 }]),
    "larger than the archive says",
  ],
  [
    "an archive that unpacks to far more than its size",
    makeZip([{ name: "channels.json", content: Buffer.from("[]"), statedBytes: 2_000_000_000 }]),
    "unpacks to far more than its size",
  ],
  [
    "an endless object",
    makeZip([{ name: "channels.json", content: Buffer.from(`[{"id":"${"x".repeat(17 * 1024 * 1024)}"}]`) }]),
    "more than 16 MiB",
  ],
])("refuses %s", async (_, content, reason) => {
  await expect(converted(content)).rejects.toThrow(reason);
});

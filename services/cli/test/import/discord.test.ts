import { expect, test } from "vitest";
import { discordHistory } from "@fanfare/chat-import";
import { userId } from "@fanfare/chat-import";
import { convert, convertFolder } from "./convert.ts";
import { discordFiles } from "./exports.ts";

const [ada, grace] = ["300000000000000001", "300000000000000002"].map(userId);
const converted = (files: Record<string, string>) => convert(discordHistory, files);

test("messages keep authors, times, edits, replies, pins and reactions", async () => {
  const { of, texts, note } = await converted(discordFiles());
  expect(of("group")).toMatchObject([{ name: "The Club", createdAt: "2021-01-01T00:00:00.000Z" }]);
  expect(texts("general")).toEqual([
    `Hello <@${grace}> **all** :party:`,
    "an answer\n\n[b.png](https://cdn.discordapp.com/a/b.png)",
    "> [News](https://example.org/news)\n> Some\n> **A**\n> 1",
  ]);
  const [first, second] = of("message").filter(({ content }) => texts("general").includes(content));
  expect(first).toMatchObject({
    authorId: ada,
    createdAt: "2021-02-01T10:00:00.000Z",
    editedAt: "2021-02-01T10:05:00.500Z",
    pinned: { at: "2021-02-01T10:00:00.000Z", by: ada },
  });
  expect(second).toMatchObject({ authorId: grace, replyTo: first!.id });
  expect(of("reaction").map(({ emoji, userId: by }) => [emoji, by])).toEqual([
    ["👍", ada],
    ["👍", grace],
    [":party:", grace],
  ]);
  expect(note("reactions of unknown users")).toBe(4);
  expect(note("notices about channels")).toBe(2);
  expect(note("entries without an ID, name or author")).toBe(1);
  expect(of("member").map((one) => one.userId)).toEqual([ada, grace]);
});

test("a folder stands for the exports in it", async () => {
  const { lines } = await converted(discordFiles());
  const folder = await convertFolder(discordHistory, {
    ...discordFiles(),
    "general.json_Files/data.json": "{}",
    "__MACOSX/._general.json": "",
    "notes.txt": "",
  });
  expect(folder.lines).toEqual(lines);
});

test("a thread belongs to its message, and a category becomes a section", async () => {
  const { of, texts } = await converted(discordFiles());
  expect(texts(null)).toEqual(["in the thread"]);
  const thread = of("channel").find(({ kind }) => kind === "thread")!;
  expect(of("message").find(({ threadId }) => threadId === thread.id)).toMatchObject({
    id: thread.thread!.rootMessageId,
    content: expect.stringContaining("Hello"),
  });
  const section = of("channel").find(({ kind }) => kind === "section")!;
  expect(of("channel").find(({ name }) => name === "general")).toMatchObject({
    sectionId: section.id,
    topic: "Anything",
  });
  expect(section.name).toBe("Talk");
});

test("a thread without its channel becomes a channel", async () => {
  const { "thread.json": thread } = discordFiles();
  const { of, texts } = await converted({ "thread.json": thread! });
  expect(of("channel").map(({ kind, name }) => [kind, name])).toEqual([
    ["section", "general"],
    ["text", "Plans"],
  ]);
  expect(texts("Plans")).toEqual(["in the thread"]);
});

test("voice channels stay voice channels", async () => {
  const general = JSON.parse(discordFiles()["general.json"]!);
  general.channel.type = "GuildVoiceChat";
  const { of, texts } = await converted({ "general.json": JSON.stringify(general) });
  expect(of("channel").map(({ kind, name }) => [kind, name])).toEqual([
    ["section", "Talk"],
    ["voice", "general"],
  ]);
  expect(texts("general")).toHaveLength(3);
});

test("a file that is given twice is imported once", async () => {
  const { "general.json": general } = discordFiles();
  const { texts, note } = await converted({ "a.json": general!, "b.json": general! });
  expect(texts("general")).toHaveLength(3);
  expect(note("messages that the export has twice")).toBe(3);
});

test("raw mentions and times of Discord are readable", async () => {
  const general = JSON.parse(discordFiles()["general.json"]!);
  general.messages[1].content = "<@!300000000000000002> <@300000000000000009> at <t:1600000000:R>";
  const { texts } = await converted({ "general.json": JSON.stringify(general) });
  expect(texts("general")[0]).toBe(`<@${grace}> <@300000000000000009> at Sun, 13 Sep 2020 12:26:40 GMT`);
});

test.each([
  ["text", "hello", "no list with the name messages"],
  ["other JSON", JSON.stringify({ messages: [] }), "not JSON of DiscordChatExporter"],
  ["a file that is cut off", discordFiles()["general.json"]!.slice(0, -200), "cut off"],
  [
    "damaged JSON",
    discordFiles()["general.json"]!.replace('"isBot": false', '"isBot": fals'),
    "not valid JSON",
  ],
])("refuses %s", async (_, content, reason) => {
  await expect(converted({ "a.json": content })).rejects.toThrow(reason);
});

test("refuses files of two servers", async () => {
  const other = discordFiles()["general.json"]!.replace(/"guild": \{\s*"id": "\d+"/, '"guild": {"id": "1"');
  await expect(converted({ ...discordFiles(), "other.json": other })).rejects.toThrow(
    "other.json is of another server",
  );
});

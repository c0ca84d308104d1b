import { expect, test } from "vitest";
import { userId } from "@fanfare/chat-import";
import { mattermostHistory } from "@fanfare/chat-import";
import { makeZip } from "@fanfare/testing";
import { convert, convertFolder } from "./convert.ts";
import { mattermostExport, mattermostLines } from "./exports.ts";

const [ada, grace] = ["ada", "grace"].map(userId);
const converted = (content: Buffer | string, name = "import.jsonl", team?: string) =>
  convert(mattermostHistory, { [name]: content }, { team });
const linesOf = (lines: readonly object[]) => lines.map((line) => JSON.stringify(line)).join("\n");

test("posts in any order become messages in the order of time", async () => {
  const { of, texts, note } = await converted(mattermostExport());
  expect(of("group")).toMatchObject([
    { name: "Core Team", ownerId: ada, createdAt: "2020-09-13T12:28:10.000Z" },
  ]);
  expect(texts("Town Square")).toEqual(["first **post** 🎉", `second <@${ada}>.`]);
  const first = of("message").find(({ content }) => content.startsWith("first"))!;
  expect(first).toMatchObject({
    authorId: ada,
    createdAt: "2020-09-13T12:28:20.000Z",
    editedAt: "2020-09-13T12:29:10.000Z",
    pinned: { by: ada },
  });
  expect(of("reaction").map(({ emoji, userId: by, messageId }) => [emoji, by, messageId])).toEqual([
    ["👍", grace, first.id],
    [":party:", ada, first.id],
  ]);
  expect(note("notices about channels")).toBe(1);
  expect(note("entries without an ID, name or author")).toBe(1);
});

test("replies are in threads, and private channels stay private", async () => {
  const content = mattermostExport().replace('"username":"grace",', '$&"email":"grace@example.org",');
  const { of, texts, users, lines } = await converted(content);
  expect(texts(null)).toEqual(["a reply\n\n📎 plan.pdf"]);
  const lab = of("channel").find(({ name }) => name === "Lab")!;
  expect(lab.overrides.map((one) => ("id" in one ? one.id : one.type))).toEqual(["everyone", grace]);
  expect(of("user").map(({ username, nickname }) => [username, nickname])).toEqual([
    ["ada", "Ada"],
    ["grace", "Grace H."],
    [null, "left"],
  ]);
  expect(users.get("grace")).toMatchObject({ email: "grace@example.org", isMember: true });
  expect(JSON.stringify(lines)).not.toContain("@example.org");
});

test("a channel without messages has the same time, and so the same id, in each conversion", async () => {
  const empty = { type: "channel", channel: { team: "core", name: "empty", type: "O" } };
  const { of } = await converted(linesOf([...mattermostLines(), empty]));
  const times = of("channel").map(({ createdAt }) => createdAt);
  const channel = of("channel").find(({ name }) => name === "empty")!;
  expect(channel.createdAt).toBe(times.toSorted()[0]);
  expect(new Date(channel.createdAt).getFullYear()).toBeLessThan(2026);
});

test("an unpacked archive is read like the file of lines, with its files", async () => {
  const files = { "import.jsonl": mattermostExport(), "data/20200913/x/plan.pdf": "the plan" };
  const { lines, contents } = await convertFolder(mattermostHistory, files);
  expect(lines).toEqual(
    (await convert(mattermostHistory, { "import.jsonl": mattermostExport() }, {}, files)).lines,
  );
  expect(contents).toEqual({ "plan.pdf": "the plan" });
});

test("reads archives, and one of several teams", async () => {
  const team = { type: "team", team: { name: "other", display_name: "Other" } };
  const other = {
    type: "channel",
    channel: { team: "other", name: "town-square", display_name: "Elsewhere", type: "O" },
  };
  const content = Buffer.from(linesOf([...mattermostLines(), team, other]));
  const zip = makeZip([
    { name: "import.jsonl", content },
    { name: "data/20200913/x/plan.pdf", content: Buffer.from("pdf") },
  ]);
  await expect(converted(zip, "export.zip")).rejects.toThrow('Choose one with --team: "core", "other"');
  await expect(converted(zip, "export.zip", "none")).rejects.toThrow('no team "none"');
  const { of, note } = await converted(zip, "export.zip", "other");
  expect(of("channel").map(({ name }) => name)).toEqual(["Elsewhere"]);
  expect(note("channels of other teams")).toBe(2);
});

test.each([
  ["text", "hello\n", "line 1 is not valid JSON"],
  ["no team", '{"type":"version","version":1}\n', "it has no team"],
  ["a cut off line", mattermostExport().slice(0, -30), "is not valid JSON"],
  [
    "a line that doesn't end",
    `{"type":"post","post":{"message":"${"x".repeat(17 * 1024 * 1024)}`,
    "too long",
  ],
])("refuses %s", async (_, content, reason) => {
  await expect(converted(content)).rejects.toThrow(reason);
});

import { mkdir, mkdtemp, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { makeZip, must } from "@fanfare/testing";
import { mongo } from "mongoose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { discordHistory } from "@fanfare/chat-import";
import { mattermostHistory } from "@fanfare/chat-import";
import { rocketChatHistory } from "@fanfare/chat-import";
import { slackHistory } from "@fanfare/chat-import";
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
import { convert, convertFiles } from "./convert.ts";
import { discordFiles, mattermostExport, mattermostLines, mattermostPost, slackFiles } from "./exports.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fanfare-files-"));
});
afterAll(() => removeInstances(folder));

const zip = (files: Record<string, Buffer | string>): Buffer =>
  makeZip(Object.entries(files).map(([name, content]) => ({ name, content: Buffer.from(content) })));
const bson = (documents: readonly object[]): Buffer =>
  Buffer.concat(documents.map((one) => mongo.BSON.serialize(one)));

/** Writes files into a new folder, and returns its path. */
async function folderOf(name: string, files: Record<string, Buffer | string>): Promise<string> {
  const path = join(folder, name);
  for (const [file, content] of Object.entries(files)) {
    await mkdir(join(path, file, ".."), { recursive: true });
    await writeFile(join(path, file), content);
  }
  return path;
}

const slackZip = (files: Record<string, Buffer | string>): Buffer =>
  zip({
    ...Object.fromEntries(Object.entries(slackFiles()).map(([path, value]) => [path, JSON.stringify(value)])),
    ...files,
  });

test.each([
  ["slack-advanced-exporter", "__uploads/F1/plan.pdf"],
  ["slackdump", "general/attachments/F1-plan.pdf"],
])("Slack: files that %s has added are attachments", async (_, path) => {
  const { contents, texts, note } = await convert(slackHistory, {
    "a.zip": slackZip({ [path]: "the plan" }),
  });
  expect(contents).toEqual({ "plan.pdf": "the plan" });
  expect(texts("general")).toContain("a file");
  expect(note("missing files")).toBe(0);
});

test("Slack: files can be in a folder, and larger ones are links", async () => {
  const media = await folderOf("slack-media", { "__uploads/F1/plan.pdf": "the plan" });
  const inFolder = await convert(slackHistory, { "a.zip": slackZip({}) }, { media });
  expect(inFolder.contents).toEqual({ "plan.pdf": "the plan" });
  const large = await convert(slackHistory, {
    "a.zip": slackZip({ "__uploads/F1/plan.pdf": "x".repeat(101) }),
  });
  expect(large.contents).toEqual({});
  expect(large.texts("general")).toContain(
    "a file\n\n[Plan](https://files.slack.com/files-pri/T1-F1/plan.pdf)",
  );
  expect(large.note("large files")).toBe(1);
});

const discordWith = (url: string): string => {
  const general = JSON.parse(discordFiles()["general.json"]!);
  general.messages[2].attachments[0].url = url;
  return JSON.stringify(general);
};

test.each([
  ["a path", "general.json_Files/b-1A2B3.png"],
  ["a path of Windows", "general.json_Files\\b-1A2B3.png"],
])("Discord: downloaded media at %s are attachments", async (_, url) => {
  const files = { "general.json": discordWith(url) };
  const { contents, texts } = await convert(
    discordHistory,
    files,
    {},
    {
      "general.json_Files/b-1A2B3.png": "picture",
    },
  );
  expect(contents).toEqual({ "b.png": "picture" });
  expect(texts("general")).toContain("an answer");
});

test("an export can't name files outside of its folder", async () => {
  const secret = join(folder, "secret.txt");
  await writeFile(secret, "secret");
  const export_ = await folderOf("outside", { "general.json": "" });
  await symlink(secret, join(export_, "link.png"));
  for (const url of ["../secret.txt", secret, "link.png", "a/../../secret.txt", ".", "\0", ""]) {
    await writeFile(join(export_, "general.json"), discordWith(url));
    const { contents, note, texts } = await convertFiles(discordHistory, [join(export_, "general.json")]);
    expect(contents).toEqual({});
    expect(note("missing files")).toBe(1);
    expect(texts("general")).toContain("an answer\n\n📎 b.png");
  }
});

test("Mattermost: files are in the archive, or beside the lines", async () => {
  const files = { "data/20200913/x/plan.pdf": "the plan" };
  const archive = zip({ "import.jsonl": mattermostExport(), ...files });
  const packed = await convert(mattermostHistory, { "export.zip": archive });
  expect(packed.contents).toEqual({ "plan.pdf": "the plan" });
  expect(packed.texts(null)).toEqual(["a reply"]);
  const lines = { "import.jsonl": mattermostExport() };
  expect((await convert(mattermostHistory, lines, {}, files)).contents).toEqual(packed.contents);
  const empty = zip({ "import.jsonl": mattermostExport(), "data/20200913/x/plan.pdf": "" });
  expect((await convert(mattermostHistory, { "export.zip": empty })).note("empty files")).toBe(1);
});

test("a message with many files becomes several", async () => {
  const paths = Array.from({ length: 12 }, (_, n) => `x/${n}.txt`);
  const lines = mattermostLines().map((line) => {
    const { post } = line as { post?: { message?: string } };
    const attachments = paths.map((path) => ({ path }));
    return post?.message === "between us" ? { type: "post", post: { ...post, attachments } } : line;
  });
  const { texts, contents } = await convert(mattermostHistory, {
    "export.zip": zip({
      "import.jsonl": lines.map((line) => JSON.stringify(line)).join("\n"),
      ...Object.fromEntries(paths.map((path) => [`data/${path}`, path])),
    }),
  });
  expect(texts("Lab")).toEqual(["between us", ""]);
  expect(Object.keys(contents)).toHaveLength(12);
});

test.each([
  ["", (content: Buffer) => content],
  [".gz", gzipSync],
])("Rocket.Chat: files are in the database (.bson%s), or in the folder of uploads", async (ending, pack) => {
  const author = { _id: "u1", username: "ada", name: "Ada" };
  const at = new Date(1_600_000_000_000);
  const message = (attachments: object[]) => ({
    _id: "m1",
    rid: "GENERAL",
    msg: "see",
    ts: at,
    u: author,
    attachments,
  });
  const dump = {
    "users.bson": bson([{ ...author, type: "user", active: true, roles: ["admin"] }]),
    "rocketchat_room.bson": bson([{ _id: "GENERAL", t: "c", name: "general", ts: at }]),
    "rocketchat_message.bson": bson([
      message([
        { title: "plan.pdf", title_link: "/file-upload/f1/plan.pdf", type: "file" },
        { title: "gap.bin", title_link: "/file-upload/f2/gap.bin", type: "file" },
        { title: "a.png", image_url: "/file-upload/f3/a.png", description: "a picture" },
      ]),
    ]),
    [`rocketchat_uploads.chunks.bson${ending}`]: pack(
      bson([
        { _id: new mongo.ObjectId(), files_id: "f1", n: 1, data: new mongo.Binary(Buffer.from("plan")) },
        { _id: new mongo.ObjectId(), files_id: "f2", n: 1, data: new mongo.Binary(Buffer.from("no start")) },
        { _id: new mongo.ObjectId(), files_id: "f1", n: 0, data: new mongo.Binary(Buffer.from("the ")) },
      ]),
    ),
  };
  const media = await folderOf(`ufs${ending}`, { "f3.png": "picture" });
  const folderOfDump = await folderOf(`rc${ending}`, dump);
  const { contents, texts, note } = await convertFiles(rocketChatHistory, [folderOfDump], { media });
  expect(contents).toEqual({ "plan.pdf": "the plan", "a.png": "picture" });
  expect(texts("general")).toEqual(["see\n\na picture\n\n📎 gap.bin"]);
  expect(note("missing files")).toBe(1);
});

for (const name of ["rocketchat_message.bson.gz", "rocketchat_uploads.chunks.bson.gz"])
  test(
    `a dump whose ${name} unpacks to far more than its size is refused`,
    { tags: name === "rocketchat_message.bson.gz" ? [] : "long" },
    async () => {
      const user = { _id: "u1", username: "ada", name: "Ada", type: "user", active: true, roles: ["admin"] };
      const filler = bson([{ files_id: "f1", n: 0, data: new mongo.Binary(Buffer.alloc(8 * 1024 * 1024)) }]);
      const dump = await folderOf(`bomb ${name}`, {
        "users.bson": bson([user]),
        "rocketchat_room.bson": bson([{ _id: "GENERAL", t: "c", name: "general", ts: new Date() }]),
        // Packed parts that follow each other unpack to one file: 160 MiB, from less than 0.2 MiB.
        [name]: Buffer.concat(Array.from({ length: 20 }, () => gzipSync(filler))),
      });
      await expect(convertFiles(rocketChatHistory, [dump])).rejects.toThrow(
        "unpacks to far more than its size",
      );
    },
  );

test("Rocket.Chat: a packed bucket that doesn't fit on the disk is refused before it is unpacked", async () => {
  const dump = await folderOf("large bucket", {
    "users.bson": bson([{ _id: "u1", username: "ada", type: "user", active: true }]),
    "rocketchat_room.bson": bson([{ _id: "GENERAL", t: "c", name: "general", ts: new Date() }]),
    "rocketchat_uploads.files.bson.gz": gzipSync(bson([{ _id: "f1", length: 2 ** 50 }])),
    "rocketchat_uploads.chunks.bson.gz": gzipSync(bson([])),
  });
  const needed = `needs about ${2 ** 30} MiB of free space in ${tmpdir()}`;
  await expect(convertFiles(rocketChatHistory, [dump])).rejects.toThrow(needed);
});

test("Tailchat: files are in a copy of its bucket", async () => {
  const id = (n: number) => mongo.ObjectId.createFromHexString(`5f5e1000${String(n).padStart(16, "0")}`);
  const panel = id(3);
  const said = (n: number, content: string) => ({
    _id: id(n),
    groupId: id(2),
    converseId: panel,
    author: id(1),
    content,
  });
  const dump = await folderOf("tailchat", {
    "users.bson": bson([{ _id: id(1), username: "ada", type: "normalUser" }]),
    "groups.bson": bson([
      {
        _id: id(2),
        name: "Club",
        owner: id(1),
        members: [{ userId: id(1) }],
        panels: [{ id: String(panel), name: "general", type: 0 }],
      },
    ]),
    "messages.bson": bson([
      said(5, "[img]{BACKEND}/static/files/u1/aa.png[/img]"),
      said(6, "see [card type=file url={BACKEND}/static/files/u1/bb.pdf]plan.pdf[/card]"),
      said(7, "[img]https://example.org/static/../../x.png[/img]"),
    ]),
  });
  const media = await folderOf("bucket", { "files/u1/aa.png": "picture", "files/u1/bb.pdf": "plan" });
  const { contents, texts } = await convertFiles(tailchatHistory, [dump], { media });
  expect(contents).toEqual({ "image.png": "picture", "plan.pdf": "plan" });
  expect(texts("general")).toEqual(["", "see", "[Image](https://example.org/x.png)"]);
});

/** One red pixel. */
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
  "base64",
);

test("members see and download the files of an import, and nothing is left when its group is deleted", async () => {
  const dataDir = join(folder, "data");
  const file = join(folder, "export.zip");
  const plan = "20200913/x/plan.pdf";
  const more = ["x/red.png", "x/broken.png", "x/page.html", "x/lost.txt"];
  const lines = mattermostLines().map((line) => {
    const { post } = line as { post?: { message?: string } };
    const attachments = more.map((path) => ({ path }));
    return post?.message === "second @ada." ? { type: "post", post: { ...post, attachments } } : line;
  });
  await writeFile(
    file,
    zip({
      "import.jsonl": lines.map((line) => JSON.stringify(line)).join("\n"),
      [`data/${plan}`]: "%PDF-1.7 the plan",
      "data/x/red.png": PNG,
      "data/x/broken.png": PNG.subarray(0, 40),
      "data/x/page.html": "<script>alert(1)</script>",
    }),
  );
  await makeOpenInstance(dataDir, "ada", "grace", "other");
  const args = ["import", file, "--from", "mattermost", "--owner", "ada", "--match-usernames"];
  const dry = await fanfare(dataDir, [...args, "--dry-run", "--json"]);
  expect(JSON.parse(dry.out)).toMatchObject({ imported: { files: 4 } });
  const { code, out, error } = await fanfare(dataDir, [...args, "--json"]);
  expect({ code, error }).toEqual({ code: 0, error: "" });
  const { imported, notes, group } = JSON.parse(out);
  expect(imported).toMatchObject({ files: 4 });
  expect(group.files).toEqual({ stored: 4, damaged: 0, full: 0 });
  expect(notes).toContainEqual(expect.objectContaining({ what: "missing files", count: 2 }));
  expect((await fanfare(dataDir, ["check"])).out).toBe("No problems found.\n");

  await whileRunning(dataDir, async (url) => {
    const { accessToken } = await must(url, "user.login", { username: "grace", password });
    const groupId = group.groupId as string;
    const { channels } = await must(url, "channel.list", { groupId }, accessToken);
    const channelId = channels.find(({ name }) => name === "Town Square")!.id;
    const { messages } = await must(url, "message.list", { channelId }, accessToken);
    const second = messages.find(({ content }) => content.startsWith("second"))!;
    expect(second.content).toMatch(/^second <@[0-9a-f]{24}>\.\n\n📎 lost\.txt$/);
    const attachments = second.attachments!;
    expect(attachments).toMatchObject([
      { name: "red.png", contentType: "image/png", width: 1, height: 1 },
      { name: "broken.png", contentType: "application/octet-stream", width: null },
      { name: "page.html", contentType: "application/octet-stream" },
    ]);
    const fileIds = attachments.map(({ fileId }) => fileId);
    const { urls } = await must(url, "file.getUrls", { channelId, fileIds }, accessToken);
    const page = await fetch(`${url}${urls.find(({ fileId }) => fileId === fileIds[2])!.url}`);
    expect(page.headers.get("content-disposition")).toContain("attachment");
    expect(await page.text()).toBe("<script>alert(1)</script>");
    const picture = await fetch(`${url}${urls.find(({ fileId }) => fileId === fileIds[0])!.thumbnailUrl!}`);
    expect(picture.headers.get("content-type")).toBe("image/webp");
    const first = messages.find(({ threadId }) => threadId !== undefined)!;
    const thread = await must(url, "message.list", { channelId: first.threadId! }, accessToken);
    expect(thread.messages[0]).toMatchObject({ content: "a reply", attachments: [{ name: "plan.pdf" }] });
    // They count, and non-members can't get them.
    expect((await must(url, "file.getUsage", {}, accessToken)).usedBytes).toBeGreaterThan(0);
    const other = await must(url, "user.login", { username: "other", password });
    await expect(must(url, "file.getUrl", { fileId: fileIds[0]! }, other.accessToken)).rejects.toThrow(
      "FILE_NOT_FOUND",
    );
    const ada = await must(url, "user.login", { username: "ada", password });
    await must(url, "group.delete", { groupId }, ada.accessToken);
    await expect
      .poll(async () => (await must(url, "file.listMine", { limit: 50 }, accessToken)).files)
      .toEqual([]);
  });
});

test("an import whose files don't fit on the disk is refused before anything is stored", async () => {
  const dataDir = join(folder, "data");
  const large = await folderOf("large", { "data/large.bin": "" });
  // It has no content on the disk, and a thousand messages have it.
  await truncate(join(large, "data/large.bin"), 2 ** 32);
  const attachments = Array.from({ length: 8 }, () => ({ path: "large.bin" }));
  const posts = Array.from({ length: 1024 }, (_, minutes) =>
    mattermostPost("town-square", "ada", "see", minutes, { attachments }),
  );
  const lines = [...mattermostLines(), ...posts].map((line) => `${JSON.stringify(line)}\n`).join("");
  await writeFile(join(large, "import.jsonl"), lines);
  const args = ["import", join(large, "import.jsonl"), "--from", "mattermost", "--owner", "ada", "--again"];
  const messages = () =>
    withStoppedInstance(configOf(dataDir), ({ db }) => db.collection("messages").countDocuments());
  const before = await messages();
  const refused = await fanfare(dataDir, args, { FILE_MAX_BYTES: String(2 ** 32) });
  const needed = `It needs about ${2 ** 25} MiB of free space in ${configOf(dataDir).filesDir}`;
  expect(refused).toMatchObject({ code: 1, error: expect.stringContaining(needed) });
  expect(await messages()).toBe(before);
});

test("files are left out when the instance has no space left for them", async () => {
  const dataDir = join(folder, "data");
  const limit = (bytes: number | null) =>
    whileRunning(dataDir, async (url) => {
      const { accessToken } = await must(url, "user.login", { username: "ada", password });
      await must(url, "admin.setPolicy", { fileQuotaInstanceBytes: bytes }, accessToken);
    });
  await limit(10);
  const args = ["--from", "mattermost", "--owner", "ada", "--name", "Full", "--json"];
  const { out } = await fanfare(dataDir, ["import", join(folder, "export.zip"), ...args]);
  const { group, notes } = JSON.parse(out);
  expect(group.files).toEqual({ stored: 0, damaged: 0, full: 4 });
  expect(notes).toContainEqual(expect.objectContaining({ what: "files over the quota", count: 4 }));
  const contents = await withStoppedInstance(configOf(dataDir), ({ db }) =>
    db.collection("messages").distinct("content", { content: /plan\.pdf/ }),
  );
  expect(contents).toEqual(["a reply\n\n📎 plan.pdf"]);
  await limit(null);
});

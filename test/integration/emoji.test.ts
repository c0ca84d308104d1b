import { LIMITS, PERMISSIONS, type ErrorCode, type Params, type WireAnswer } from "@fanfare/contract";
import { createWorld, must, post, type Person, type World } from "@fanfare/testing";
import { Types } from "mongoose";
import sharp from "sharp";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { fileOf, uploadPicture } from "../../services/file/test/upload.ts";
import { drawAnimation, drawSquare, uploadEmoji } from "../support/emoji.ts";
import { startInstance, type Instance } from "../support/instance.ts";

// A group's own emoji: in messages and reactions they are `:name:`.

let instance: Instance;
let url: string;
let world: World;
let groupId: string;
beforeAll(async () => {
  instance = await startInstance();
  url = instance.url;
});
afterAll(() => instance?.stop());
beforeEach(async () => {
  world = await createWorld(url);
  groupId = world.group.id;
});

const codeOf = (answer: WireAnswer<unknown>): ErrorCode | "ok" => (answer.ok ? "ok" : answer.error.type);
const uploadOf = async (who: Person, picture: Buffer) =>
  fileOf(await uploadPicture(url, who, picture)).fileId;
const tryAdd = async (name: string, changed: Partial<Params<"emoji.add">> = {}, who = world.owner) => {
  const fileId = changed.fileId ?? (await uploadEmoji(url, who));
  return post(url, "emoji.add", { groupId, name, fileId, ...changed }, who.accessToken);
};
const add = async (name: string) => {
  const fileId = await uploadEmoji(url, world.owner);
  return (await must(url, "emoji.add", { groupId, name, fileId }, world.owner.accessToken)).emoji;
};
const list = async () => (await must(url, "emoji.list", { groupId }, world.member.accessToken)).emoji;
const nameOf = ({ name }: { name: string }) => name;

test("is public, at most as large as it is shown, and keeps its proportions and frames", async () => {
  const fileId = await uploadOf(world.owner, await drawAnimation(300, 150));
  const { emoji } = await must(url, "emoji.add", { groupId, name: "blink", fileId }, world.owner.accessToken);
  expect(emoji).toMatchObject({ id: fileId, groupId, name: "blink", createdBy: world.owner.userId });
  const response = await fetch(url + emoji.url);
  expect(response.headers.get("content-type")).toBe("image/webp");
  const picture = sharp(Buffer.from(await response.arrayBuffer()), { animated: true });
  const { width, pageHeight, pages } = await picture.metadata();
  expect([width, pageHeight, pages]).toEqual([LIMITS.emojiSidePixels, LIMITS.emojiSidePixels / 2, 2]);
  expect(await list()).toEqual([emoji]);
});

test("names are unique in a group, and adding one again changes nothing", async () => {
  const emoji = await add("parrot");
  expect(await tryAdd("parrot", { fileId: emoji.id })).toMatchObject({ ok: true, data: { emoji } });
  expect(codeOf(await tryAdd("parrot"))).toBe("EMOJI_NAME_TAKEN");
  for (const name of ["p", "x".repeat(33), "Parrot", "a b", ":aa:", "表情"])
    expect([name, codeOf(await tryAdd(name))]).toEqual([name, "VALIDATION_FAILED"]);
  const answers = await Promise.all([tryAdd("fast"), tryAdd("fast"), tryAdd("fast")]);
  expect(answers.map(codeOf).sort()).toEqual(["EMOJI_NAME_TAKEN", "EMOJI_NAME_TAKEN", "ok"]);
  expect((await list()).map(nameOf).sort()).toEqual(["fast", "parrot"]);
  // Another group can have the same name.
  world = await createWorld(url);
  groupId = world.group.id;
  expect(codeOf(await tryAdd("parrot"))).toBe("ok");
});

test("refuses large files, files of others, files that aren't pictures, and more than the limit", async () => {
  const large = await sharp(await drawSquare("teal", 400))
    .png({ compressionLevel: 0 })
    .toBuffer();
  expect(large.length).toBeGreaterThan(LIMITS.emojiMaxBytes);
  expect(await tryAdd("large", { fileId: await uploadOf(world.owner, large) })).toMatchObject({
    error: { type: "FILE_TOO_LARGE", data: { maxBytes: LIMITS.emojiMaxBytes } },
  });
  expect(codeOf(await tryAdd("foreign", { fileId: await uploadEmoji(url, world.member) }))).toBe(
    "FILE_NOT_FOUND",
  );
  expect(codeOf(await uploadPicture(url, world.owner, "<svg/>"))).toBe("IMAGE_REFUSED");
  const { id } = await add("one");
  const stored = instance.collection("emoji");
  const one = await stored.findOne({ _id: new Types.ObjectId(id) });
  const copies = Array.from({ length: LIMITS.emojiPerGroup - 1 }, (_, at) => ({ name: `copy${at}` }));
  await stored.insertMany(copies.map(({ name }) => ({ ...one, _id: new Types.ObjectId(), name })));
  expect(await tryAdd("more")).toMatchObject({
    error: { type: "LIMIT_REACHED", data: { limit: "emojiPerGroup", max: LIMITS.emojiPerGroup } },
  });
});

test("members with the permission to manage emoji rename and delete them, and the audit log says who", async () => {
  const { member, owner } = world;
  const emoji = await add("parrot");
  const other = await add("other");
  const ofEmoji = { groupId, emojiId: emoji.id };
  expect(codeOf(await post(url, "emoji.delete", ofEmoji, member.accessToken))).toBe("FORBIDDEN");
  const permissions = PERMISSIONS.manageEmoji;
  const { role } = await must(
    url,
    "role.create",
    { groupId, name: "Artists", permissions },
    owner.accessToken,
  );
  const assigned = { groupId, roleId: role.id, userId: member.userId };
  await must(url, "role.assign", assigned, owner.accessToken);
  const rename = async (name: string) => post(url, "emoji.rename", { ...ofEmoji, name }, member.accessToken);
  expect(codeOf(await rename("other"))).toBe("EMOJI_NAME_TAKEN");
  expect(await rename("bird")).toEqual({ ok: true, data: { emoji: { ...emoji, name: "bird" } } });
  await must(url, "emoji.delete", ofEmoji, member.accessToken);
  expect(codeOf(await rename("gone"))).toBe("EMOJI_NOT_FOUND");
  expect(codeOf(await post(url, "emoji.delete", ofEmoji, member.accessToken))).toBe("EMOJI_NOT_FOUND");
  expect(await list()).toEqual([other]);
  const { entries } = await must(url, "group.auditLog", { groupId }, owner.accessToken);
  const ofMember = entries.filter(({ actorId }) => actorId === member.userId);
  expect(ofMember).toMatchObject([
    { action: "emoji.delete", targetId: emoji.id, before: { name: "bird" }, after: null },
    { action: "emoji.rename", targetId: emoji.id, before: { name: "parrot" }, after: { name: "bird" } },
  ]);
});

describe("a reaction", () => {
  const react = async (emoji: string, { accessToken } = world.member) => {
    const { channel, message } = world;
    return post(url, "message.react", { channelId: channel.id, messageId: message.id, emoji }, accessToken);
  };
  const reactions = async () => {
    const { channel, message, member } = world;
    const params = { channelId: channel.id, messageId: message.id };
    return (await must(url, "message.get", params, member.accessToken)).message.reactions ?? [];
  };

  test("can be an emoji of the group, also in its threads, and stays when the emoji is deleted", async () => {
    const { owner, member, channel, message } = world;
    const { id: emojiId } = await add("parrot");
    expect(codeOf(await react(":parrot:"))).toBe("ok");
    await vi.waitFor(async () =>
      expect(await reactions()).toEqual([{ emoji: ":parrot:", count: 1, userIds: [member.userId] }]),
    );
    const ids = { channelId: channel.id, messageId: message.id };
    const thread = (await must(url, "channel.openThread", ids, member.accessToken)).channel;
    const text = { channelId: thread.id, content: "In a thread :parrot:", nonce: "thread" };
    const reply = (await must(url, "message.send", text, member.accessToken)).message;
    const inThread = { channelId: thread.id, messageId: reply.id, emoji: ":parrot:" };
    await must(url, "message.react", inThread, member.accessToken);

    await must(url, "emoji.delete", { groupId, emojiId }, owner.accessToken);
    expect(codeOf(await react(":parrot:", owner))).toBe("EMOJI_NOT_FOUND");
    expect(await reactions()).toMatchObject([{ emoji: ":parrot:", count: 1 }]);
    await must(url, "message.unreact", { ...ids, emoji: ":parrot:" }, member.accessToken);
    await vi.waitFor(async () => expect(await reactions()).toEqual([]));
  });

  test("can't be an emoji that the group doesn't have, nor one of a group in a direct message", async () => {
    const { member, target } = world;
    await add("parrot");
    for (const emoji of [":unknown:", ":__proto__:"])
      expect(codeOf(await react(emoji))).toBe("EMOJI_NOT_FOUND");
    for (const emoji of ["parrot", ":Parrot:", ":parrot", ":p:", ":parrot::parrot:"])
      expect([emoji, codeOf(await react(emoji))]).toEqual([emoji, "VALIDATION_FAILED"]);
    const opened = await must(url, "channel.openDirect", { userId: target.userId }, member.accessToken);
    const channelId = opened.channel.id;
    const text = { channelId, content: "Hello", nonce: "direct" };
    const { message } = await must(url, "message.send", text, member.accessToken);
    const inDirect = { channelId, messageId: message.id, emoji: ":parrot:" };
    expect(codeOf(await post(url, "message.react", inDirect, member.accessToken))).toBe("EMOJI_NOT_FOUND");
  });
});

test("deleting the group deletes its emoji and their files", async () => {
  const { owner } = world;
  const { id } = await add("parrot");
  const ofGroup = groupId;
  world = await createWorld(url);
  groupId = world.group.id;
  const kept = await add("parrot");
  await must(url, "group.delete", { groupId: ofGroup }, owner.accessToken);
  await vi.waitFor(async () => {
    const { files } = await must(url, "file.listMine", {}, owner.accessToken);
    expect(files.map(({ fileId }) => fileId)).not.toContain(id);
  });
  expect(await list()).toEqual([kept]);
  expect((await fetch(url + kept.url)).status).toBe(200);
});

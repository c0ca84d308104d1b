import { LIMITS, MEMBER_PERMISSIONS, PERMISSIONS, type ErrorCode, type Params } from "@fanfare/contract";
import { createWorld, must, post, type World } from "@fanfare/testing";
import sharp from "sharp";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { fileOf, uploadPicture } from "../../services/file/test/upload.ts";
import { drawAnimation, uploadEmoji } from "../support/emoji.ts";
import { startInstance, type Instance } from "../support/instance.ts";

// A group's stickers and GIFs: each is a message of its own.

let instance: Instance;
let url: string;
let world: World;
let groupId: string;
let nonce = 0;
beforeAll(async () => {
  instance = await startInstance();
  url = instance.url;
});
afterAll(() => instance?.stop());
beforeEach(async () => {
  world = await createWorld(url);
  groupId = world.group.id;
});

type Kind = Params<"emoji.add">["kind"];
const add = async (kind: Kind, name: string, picture?: Buffer) => {
  const fileId =
    picture === undefined
      ? await uploadEmoji(url, world.owner)
      : fileOf(await uploadPicture(url, world.owner, picture)).fileId;
  return post(url, "emoji.add", { groupId, kind, name, fileId }, world.owner.accessToken);
};
const added = async (kind: Kind, name: string, picture?: Buffer) => {
  const answer = await add(kind, name, picture);
  if (!answer.ok) throw new Error(answer.error.type);
  return answer.data.emoji;
};
const trySend = async (sent: Partial<Params<"message.send">>, who = world.member) => {
  nonce += 1;
  const params = { channelId: world.channel.id, content: "", nonce: `sticker ${nonce}`, ...sent };
  return post(url, "message.send", params, who.accessToken);
};
const send = async (sent: Partial<Params<"message.send">>) => {
  const answer = await trySend(sent);
  if (!answer.ok) throw new Error(answer.error.type);
  return answer.data.message;
};
const codeOf = (answer: Awaited<ReturnType<typeof post>>): ErrorCode | "ok" =>
  answer.ok ? "ok" : answer.error.type;

test("pictures are drawn for their kind, and have long names in any language", async () => {
  const animation = await drawAnimation(600, 300);
  const sticker = await added("sticker", "加油！ Party parrot", animation);
  expect(sticker).toMatchObject({
    kind: "sticker",
    name: "加油！ Party parrot",
    width: LIMITS.stickerSidePixels,
    height: LIMITS.stickerSidePixels / 2,
  });
  const gif = await added("gif", "x".repeat(LIMITS.stickerNameMaxChars), animation);
  expect(gif).toMatchObject({ width: LIMITS.gifWidthPixels, height: LIMITS.gifWidthPixels / 2 });
  const picture = sharp(Buffer.from(await (await fetch(url + gif.url)).arrayBuffer()), { animated: true });
  expect(await picture.metadata()).toMatchObject({ format: "webp", width: gif.width, pages: 2 });
  const { emoji } = await must(url, "emoji.list", { groupId }, world.member.accessToken);
  expect(emoji.map(({ kind }) => kind).sort()).toEqual(["gif", "sticker"]);
});

test("have sizes of their own, and names that nothing else in the group has", async () => {
  const large = await sharp({ create: { width: 420, height: 420, channels: 4, background: "teal" } })
    .png({ compressionLevel: 0 })
    .toBuffer();
  expect(large.length).toBeGreaterThan(LIMITS.stickerMaxBytes);
  expect(await add("sticker", "large", large)).toMatchObject({
    error: { type: "FILE_TOO_LARGE", data: { maxBytes: LIMITS.stickerMaxBytes } },
  });
  expect(codeOf(await add("gif", "large", large))).toBe("ok");
  expect(codeOf(await add("emoji", "large"))).toBe("EMOJI_NAME_TAKEN");
  expect(codeOf(await add("emoji", "Large"))).toBe("VALIDATION_FAILED");
  const { id } = await added("sticker", "Large");
  const rename = { groupId, emojiId: id, name: "Not an emoji" };
  expect(codeOf(await post(url, "emoji.rename", rename, world.member.accessToken))).toBe("FORBIDDEN");
  await must(url, "emoji.rename", rename, world.owner.accessToken);
  const { entries } = await must(url, "group.auditLog", { groupId }, world.owner.accessToken);
  expect(entries[0]).toMatchObject({
    action: "emoji.rename",
    before: { name: "Large", kind: "sticker" },
    after: { name: "Not an emoji", kind: "sticker" },
  });
});

test("the limit of one kind does not count others", { tags: "long" }, async () => {
  for (let at = 0; at < LIMITS.stickersPerGroup; at += 1) await added("sticker", `copy ${at}`);
  expect(await add("sticker", "one more")).toMatchObject({
    error: { type: "LIMIT_REACHED", data: { limit: "stickersPerGroup" } },
  });
  expect(codeOf(await add("gif", "one more"))).toBe("ok");
});

test("a message with one has its name as the text, mentions no one, and can't be edited", async () => {
  const { owner, member, message: target } = world;
  const { id } = await added("sticker", "@everyone");
  const sent = await send({ stickerId: id, content: "something else", replyTo: target.id });
  expect(sent).toMatchObject({
    content: "@everyone",
    sticker: { id, kind: "sticker" },
    mentions: { userIds: [world.target.userId], roleIds: [], everyone: false },
  });
  const one = { channelId: sent.channelId, messageId: sent.id };
  const edit = { ...one, content: "changed" };
  expect(codeOf(await post(url, "message.edit", edit, member.accessToken))).toBe("FORBIDDEN");
  const thread = (await must(url, "channel.openThread", one, member.accessToken)).channel;
  const reply = await send({ channelId: thread.id, stickerId: id, alsoInChannel: true });
  expect(reply).toMatchObject({ content: "@everyone", sticker: { id } });
  const { messages } = await must(url, "message.list", { channelId: sent.channelId }, member.accessToken);
  expect(messages.at(-1)).toMatchObject({ content: "@everyone", sticker: { id }, replyIn: thread.id });

  await must(url, "emoji.delete", { groupId, emojiId: id }, owner.accessToken);
  expect((await must(url, "message.get", one, member.accessToken)).message).toEqual({
    ...sent,
    rev: expect.any(Number),
    threadId: thread.id,
  });
  await must(url, "message.delete", one, member.accessToken);
  const after = await must(url, "message.list", { channelId: sent.channelId }, owner.accessToken);
  expect(after.messages.filter((one) => one.sticker !== undefined)).toMatchObject([{ replyIn: thread.id }]);
});

test("a retry finds the message of a sticker that was deleted since", async () => {
  const { id } = await added("gif", "wave");
  const first = await send({ stickerId: id, nonce: "again" });
  await must(url, "emoji.delete", { groupId, emojiId: id }, world.owner.accessToken);
  expect(await send({ stickerId: id, nonce: "again", resend: true })).toEqual(first);
  expect(codeOf(await trySend({ stickerId: id }))).toBe("EMOJI_NOT_FOUND");
});

test("can be sent only in the group that has it, by members who can attach files", async () => {
  const { owner, member, target } = world;
  const { id: emojiId } = await added("emoji", "parrot");
  const { id } = await added("sticker", "dance");
  const reaction = { channelId: world.channel.id, messageId: world.message.id, emoji: ":dance:" };
  const reacted = await post(url, "message.react", reaction, member.accessToken);
  expect(codeOf(reacted)).toBe("EMOJI_NOT_FOUND");
  expect(codeOf(await trySend({ stickerId: emojiId }))).toBe("EMOJI_NOT_FOUND");
  expect(codeOf(await trySend({ stickerId: id }, world.muted))).toBe("MUTED");
  const { channel } = await must(url, "channel.openDirect", { userId: target.userId }, member.accessToken);
  expect(codeOf(await trySend({ channelId: channel.id, stickerId: id }))).toBe("EMOJI_NOT_FOUND");
  const poll = { options: ["Yes", "No"], allowsSeveral: false };
  expect(codeOf(await trySend({ stickerId: id, content: "Which?", poll }))).toBe("VALIDATION_FAILED");
  const permissions = MEMBER_PERMISSIONS & ~PERMISSIONS.attachFiles;
  await must(url, "role.setDefault", { groupId, permissions }, owner.accessToken);
  await vi.waitFor(async () => expect(codeOf(await trySend({ stickerId: id }))).toBe("FORBIDDEN"));
  expect(codeOf(await trySend({ stickerId: id }, owner))).toBe("ok");

  const elsewhere = await createWorld(url);
  const there = { channelId: elsewhere.channel.id, stickerId: id };
  expect(codeOf(await trySend(there, elsewhere.owner))).toBe("EMOJI_NOT_FOUND");
});

import { PERMISSIONS, type ActionName, type Params } from "@fanfare/contract";
import { createWorld, must, post, type Person, type World } from "@fanfare/testing";
import { fileOf, upload } from "../../services/file/test/upload.ts";
import { startInstance, type Instance } from "../support/instance.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

// Threads span the group and the message service: access, numbering, and what happens to them with their
// parent.

let instance: Instance;
let world: World;
beforeAll(async () => {
  instance = await startInstance();
});
beforeEach(async () => {
  world = await createWorld(instance.url);
});
afterAll(() => instance?.stop());

const call = <N extends ActionName>(who: Person, name: N, params: Params<N>) =>
  must(instance.url, name, params, who.accessToken);
const refusal = async <N extends ActionName>(who: Person, name: N, params: Params<N>) => {
  const answer = await post(instance.url, name, params, who.accessToken);
  return answer.ok ? "ok" : answer.error.type;
};
const ofMessage = () => ({ channelId: world.channel.id, messageId: world.message.id });
const open = async (who = world.member, name?: string) =>
  (await call(who, "channel.openThread", { ...ofMessage(), ...(name === undefined ? {} : { name }) }))
    .channel;
const send = async (who: Person, channelId: string, content: string) =>
  (await call(who, "message.send", { channelId, content, nonce: content })).message;
const idsOf = async (archived = false) =>
  (await call(world.member, "channel.listThreads", { channelId: world.channel.id, archived })).channels.map(
    ({ id }) => id,
  );
const rootNow = async () => (await call(world.member, "message.get", ofMessage())).message;

describe("a thread", () => {
  test("is created once by concurrent requests, and shown on its message", async () => {
    const opened = await Promise.all([open(), open(world.owner), open(world.target), open()]);
    const ids = new Set(opened.map(({ id }) => id));
    expect(ids.size).toBe(1);
    const thread = opened[0];
    expect(thread).toMatchObject({
      kind: "thread",
      groupId: world.group.id,
      parentId: world.channel.id,
      rootMessageId: world.message.id,
      archivedAt: null,
      head: { seq: 0, rev: 0 },
    });
    const before = world.message.rev;
    const root = await rootNow();
    expect(root).toMatchObject({ threadId: thread.id, rev: before + 1 });
    await open();
    expect((await rootNow()).rev).toBe(root.rev);
    const { channels } = await call(world.member, "channel.list", { groupId: world.group.id });
    expect(channels.map(({ id }) => id)).toEqual([world.channel.id]);
  });

  test("is a channel with messages, numbers, read markers and sync", async () => {
    const { id: channelId } = await open();
    await send(world.member, channelId, "one");
    await send(world.target, channelId, "two");
    const { messages, head } = await call(world.owner, "message.list", { channelId });
    expect(messages.map(({ seq, content }) => [seq, content])).toEqual([
      [1, "one"],
      [2, "two"],
    ]);
    expect(head).toEqual({ seq: 2, rev: 2 });
    await call(world.owner, "channel.markRead", { channelId, seq: 1 });
    const state = await call(world.owner, "channel.get", { channelId });
    expect(state.channel).toMatchObject({ head: { seq: 2 }, lastReadSeq: 1 });
    const cursors = [{ channelId, afterRev: 1 }];
    const { channels } = await call(world.owner, "channel.sync", { cursors });
    expect(channels).toMatchObject([{ status: "ok", messages: [{ content: "two" }] }]);
    expect(await refusal(world.muted, "message.send", { channelId, content: "x", nonce: "x" })).toBe("MUTED");
  });

  test("shows a reply in its channel too: sent, edited and deleted as one, and mentioning once", async () => {
    const { id: threadId } = await open();
    const { id: channelId } = world.channel;
    const { userId } = world.target;
    const both = { channelId: threadId, content: `you <@${userId}>`, nonce: "both", alsoInChannel: true };
    const { message: reply } = await call(world.member, "message.send", both);
    // Sent again, as after a lost answer.
    await call(world.member, "message.send", { ...both, resend: true });
    const last = async (id: string) =>
      (await call(world.owner, "message.list", { channelId: id })).messages.slice(1);
    const lastReply = async () => (await call(world.owner, "message.list", { channelId: threadId })).messages;
    expect(await lastReply()).toMatchObject([
      { id: reply.id, alsoIn: channelId, mentions: { userIds: [userId] } },
    ]);
    const [copy, ...others] = await last(channelId);
    expect(others).toEqual([]);
    expect(copy).toMatchObject({ content: both.content, replyIn: threadId, authorId: world.member.userId });
    expect(copy!.mentions).toBeUndefined();

    await call(world.member, "message.edit", { channelId: threadId, messageId: reply.id, content: "once" });
    expect(await last(channelId)).toMatchObject([{ content: "once", replyIn: threadId }]);
    const inChannel = { channelId, messageId: copy!.id };
    await call(world.member, "message.edit", { ...inChannel, content: `twice <@${userId}>` });
    expect(await lastReply()).toMatchObject([
      { content: `twice <@${userId}>`, mentions: { userIds: [userId] } },
    ]);
    expect((await last(channelId))[0]!.mentions).toBeUndefined();
    expect(await refusal(world.target, "message.delete", inChannel)).toBe("FORBIDDEN");
    await call(world.owner, "message.delete", inChannel);
    expect(await lastReply()).toMatchObject([{ id: reply.id, content: "" }]);
    expect((await lastReply())[0]!.deletedAt).not.toBeNull();
    expect((await last(channelId))[0]!.deletedAt).not.toBeNull();
  });

  test("a reply with a file loses its text in its channel too", async () => {
    const { id: threadId } = await open();
    const { id: channelId } = world.channel;
    const place = { channelId: threadId, name: "a.txt" };
    const { fileId } = fileOf(await upload(instance.url, world.member, place, "file"));
    const both = { channelId: threadId, content: "first", nonce: "file", alsoInChannel: true };
    const { message: reply } = await call(world.member, "message.send", { ...both, attachmentIds: [fileId] });
    const copy = async () => (await call(world.owner, "message.list", { channelId })).messages.at(-1)!;
    const edit = async (content: string) => {
      const ofReply = { channelId: threadId, messageId: reply.id };
      const ofCopy = { channelId, messageId: (await copy()).id };
      for (const one of [ofReply, ofCopy])
        expect(await refusal(world.member, "message.edit", { ...one, content })).toBe("ok");
    };
    await edit("");
    expect(await copy()).toMatchObject({ content: "", replyIn: threadId });
    await edit("second");
    expect(await copy()).toMatchObject({ content: "second", replyIn: threadId });
  });

  test("a reply without a file can't lose its text, in neither place", async () => {
    const { id: threadId } = await open();
    const { id: channelId } = world.channel;
    const both = { channelId: threadId, content: "text", nonce: "text", alsoInChannel: true };
    const { message: reply } = await call(world.member, "message.send", both);
    const copy = async () => (await call(world.owner, "message.list", { channelId })).messages.at(-1)!;
    const places = [
      { channelId: threadId, messageId: reply.id },
      { channelId, messageId: (await copy()).id },
    ];
    for (const one of places)
      expect(await refusal(world.member, "message.edit", { ...one, content: "" })).toBe("VALIDATION_FAILED");
    expect((await copy()).content).toBe("text");
  });

  test("a reply can't be shown in the channel against its slow mode, nor outside of threads", async () => {
    const { id: threadId } = await open();
    const { id: channelId } = world.channel;
    await call(world.owner, "channel.update", { channelId, slowModeSeconds: 60 });
    await send(world.member, channelId, "first");
    const both = { channelId: threadId, content: "second", nonce: "second", alsoInChannel: true };
    expect(await refusal(world.member, "message.send", both)).toBe("SLOW_MODE");
    expect((await call(world.owner, "message.list", { channelId: threadId })).messages).toEqual([]);
    expect(await refusal(world.member, "message.send", { ...both, alsoInChannel: false })).toBe("ok");
    expect(await refusal(world.owner, "message.send", { ...both, channelId })).toBe("VALIDATION_FAILED");
    expect(await refusal(world.muted, "message.send", both)).toBe("MUTED");
  });

  test("a reply that is refused isn't shown in the channel either", async () => {
    const { id: threadId } = await open();
    const { id: channelId } = world.channel;
    const gone = await send(world.member, threadId, "gone");
    await call(world.member, "message.delete", { channelId: threadId, messageId: gone.id });
    const both = { channelId: threadId, content: "refused", nonce: "refused", alsoInChannel: true };
    const refusalOf = (more: Partial<Params<"message.send">>) =>
      refusal(world.member, "message.send", { ...both, ...more });
    expect(await refusalOf({ replyTo: gone.id })).toBe("MESSAGE_NOT_FOUND");
    expect(await refusalOf({ attachmentIds: ["a".repeat(24)] })).toBe("VALIDATION_FAILED");
    const poll = { options: ["a", "b"], allowsSeveral: false, endsAt: "2020-01-01T00:00:00.000Z" };
    expect(await refusalOf({ poll })).toBe("VALIDATION_FAILED");

    await call(world.owner, "channel.update", { channelId, slowModeSeconds: 60 });
    await send(world.member, threadId, "first");
    expect(await refusalOf({})).toBe("SLOW_MODE");
    const contents = async () =>
      (await call(world.owner, "message.list", { channelId })).messages.map(({ content }) => content);
    expect(await contents()).toEqual([world.message.content]);
    // Nor is it counted there.
    await send(world.member, channelId, "second");
    expect(await contents()).toEqual([world.message.content, "second"]);
  });

  test("is inaccessible to non-members and removed members", async () => {
    const { id: channelId } = await open();
    await send(world.target, channelId, "here");
    const tries = async (who: Person) => [
      await refusal(who, "message.list", { channelId }),
      await refusal(who, "message.send", { channelId, content: "x", nonce: "x" }),
      await refusal(who, "channel.get", { channelId }),
      await refusal(who, "channel.archiveThread", { channelId }),
      await refusal(who, "channel.listThreads", { channelId: world.channel.id }),
      await refusal(who, "channel.openThread", ofMessage()),
    ];
    const nothing = Array.from({ length: 6 }, () => "CHANNEL_NOT_FOUND");
    expect(await tries(world.stranger)).toEqual(nothing);
    await call(world.owner, "group.kick", { groupId: world.group.id, userId: world.target.userId });
    expect(await tries(world.target)).toEqual(nothing);
  });

  test("of a private channel is seen by users who see the channel", async () => {
    const { channel } = await call(world.owner, "channel.create", {
      groupId: world.group.id,
      name: "private",
      private: true,
      memberIds: [world.member.userId],
    });
    const message = await send(world.member, channel.id, "secret");
    const root = { channelId: channel.id, messageId: message.id };
    const thread = (await call(world.member, "channel.openThread", root)).channel;
    await send(world.member, thread.id, "more of it");
    const list = { channelId: thread.id };
    expect(await refusal(world.owner, "message.list", list)).toBe("ok");
    expect(await refusal(world.target, "message.list", list)).toBe("CHANNEL_NOT_FOUND");
    const member = { type: "member", id: world.target.userId } as const;
    const allow = { channelId: channel.id, target: member, allow: PERMISSIONS.view, deny: 0 };
    await call(world.owner, "channel.setOverride", allow);
    expect(await refusal(world.target, "message.list", list)).toBe("ok");
    await call(world.owner, "channel.removeOverride", { channelId: channel.id, target: member });
    expect(await refusal(world.target, "message.list", list)).toBe("CHANNEL_NOT_FOUND");
    // A thread has no overrides; its parent's apply.
    const everyone = { channelId: thread.id, target: { type: "everyone" }, allow: 0, deny: 2 } as const;
    expect(await refusal(world.owner, "channel.setOverride", everyone)).toBe("CHANNEL_NOT_FOUND");
  });

  test("can't be opened on a message of another channel, a deleted one, or one in a thread or direct channel", async () => {
    const { channel } = await call(world.owner, "channel.create", { groupId: world.group.id, name: "other" });
    const elsewhere = { channelId: channel.id, messageId: world.message.id };
    expect(await refusal(world.member, "channel.openThread", elsewhere)).toBe("MESSAGE_NOT_FOUND");
    const thread = await open();
    expect(await refusal(world.member, "channel.openThread", elsewhere)).toBe("MESSAGE_NOT_FOUND");
    const inThread = await send(world.member, thread.id, "in the thread");
    const nested = { channelId: thread.id, messageId: inThread.id };
    expect(await refusal(world.member, "channel.openThread", nested)).toBe("FORBIDDEN");
    const params = { userId: world.target.userId };
    const direct = (await call(world.member, "channel.openDirect", params)).channel;
    const inDirect = { channelId: direct.id, messageId: (await send(world.member, direct.id, "hello")).id };
    expect(await refusal(world.member, "channel.openThread", inDirect)).toBe("FORBIDDEN");
    const gone = { channelId: channel.id, messageId: (await send(world.member, channel.id, "gone")).id };
    await call(world.member, "message.delete", gone);
    expect(await refusal(world.member, "channel.openThread", gone)).toBe("MESSAGE_NOT_FOUND");
  });

  test("is archived and reopened by its creator and by channel managers only", async () => {
    const { id: channelId } = await open(world.member);
    expect(await refusal(world.target, "channel.archiveThread", { channelId })).toBe("FORBIDDEN");
    const { channel } = await call(world.member, "channel.archiveThread", { channelId });
    expect(channel.archivedAt).not.toBeNull();
    expect(await call(world.owner, "channel.archiveThread", { channelId })).toEqual({ channel });
    expect([await idsOf(), await idsOf(true)]).toEqual([[], [channelId]]);
    expect(await refusal(world.target, "channel.unarchiveThread", { channelId })).toBe("FORBIDDEN");
    const again = await call(world.owner, "channel.unarchiveThread", { channelId });
    expect(again.channel.archivedAt).toBeNull();
    expect([await idsOf(), await idsOf(true)]).toEqual([[channelId], []]);
  });

  test("is renamed by channel managers", async () => {
    const { id: channelId } = await open(world.member, "A name");
    expect(await refusal(world.member, "channel.update", { channelId, name: "Mine" })).toBe("FORBIDDEN");
    const { channel } = await call(world.owner, "channel.update", { channelId, name: "Theirs" });
    expect(channel).toMatchObject({ id: channelId, name: "Theirs", kind: "thread" });
  });

  test("is deleted by channel managers, and its message can have another one", async () => {
    const { id: channelId } = await open();
    await send(world.member, channelId, "gone soon");
    expect(await refusal(world.member, "channel.delete", { channelId })).toBe("FORBIDDEN");
    await call(world.owner, "channel.delete", { channelId });
    expect(await refusal(world.member, "message.list", { channelId })).toBe("CHANNEL_NOT_FOUND");
    expect((await rootNow()).threadId).toBeUndefined();
    const another = await open();
    expect(another.id).not.toBe(channelId);
    expect((await rootNow()).threadId).toBe(another.id);
  });
});

describe("threads", () => {
  const makeThread = async (content: string) => {
    const message = await send(world.member, world.channel.id, content);
    const root = { channelId: world.channel.id, messageId: message.id };
    return (await call(world.member, "channel.openThread", root)).channel.id;
  };

  test("are listed in pages, the last active first", async () => {
    const [first, second, third] = [await makeThread("1"), await makeThread("2"), await makeThread("3")];
    expect(await idsOf()).toEqual([third, second, first]);
    await send(world.target, first, "up");
    // The time of the last message is stored with a short delay.
    await expect.poll(() => idsOf()).toEqual([first, third, second]);
    const page = { channelId: world.channel.id, limit: 2 };
    const one = await call(world.member, "channel.listThreads", page);
    const two = await call(world.member, "channel.listThreads", { ...page, cursor: one.nextCursor! });
    expect([...one.channels, ...two.channels].map(({ id }) => id)).toEqual([first, third, second]);
    expect(two.nextCursor).toBeNull();
    expect(one.channels[0]!.head.seq).toBe(1);
  });

  test("are deleted with their channel, and with their group", async () => {
    const { channel } = await call(world.owner, "channel.create", { groupId: world.group.id, name: "other" });
    const message = await send(world.member, channel.id, "root");
    const root = { channelId: channel.id, messageId: message.id };
    const inOther = (await call(world.member, "channel.openThread", root)).channel.id;
    const here = await open();
    await call(world.owner, "channel.delete", { channelId: channel.id });
    expect(await refusal(world.member, "message.list", { channelId: inOther })).toBe("CHANNEL_NOT_FOUND");
    expect(await refusal(world.member, "message.list", { channelId: here.id })).toBe("ok");
    await call(world.owner, "group.delete", { groupId: world.group.id });
    expect(await refusal(world.member, "message.list", { channelId: here.id })).toBe("CHANNEL_NOT_FOUND");
  });

  test("direct channels are listed by their last message, too", async () => {
    const openDirect = async ({ userId }: Person) =>
      (await call(world.member, "channel.openDirect", { userId })).channel.id;
    const [one, two] = [await openDirect(world.target), await openDirect(world.owner)];
    const listed = async () =>
      (await call(world.member, "channel.listDirect", {})).channels.map(({ id }) => id);
    expect(await listed()).toEqual([two, one]);
    await send(world.target, one, "hello");
    await expect.poll(listed).toEqual([one, two]);
    await call(world.member, "channel.closeDirect", { channelId: one });
    expect(await listed()).toEqual([two]);
    await send(world.target, one, "are you there?");
    expect(await listed()).toEqual([one, two]);
  });
});

import { createAccount, createWorld, must, post } from "@fanfare/testing";
import { startInstance, type Instance } from "../support/instance.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

// What the rows of the matrix can't express.

let instance: Instance;
beforeAll(async () => {
  instance = await startInstance();
});
afterAll(() => instance?.stop());

describe("a non-member", () => {
  test("can't sync another user's channel", async () => {
    const { stranger, channel } = await createWorld(instance.url);
    const params = { cursors: [{ channelId: channel.id, afterRev: 0 }] };
    const { channels } = await must(instance.url, "channel.sync", params, stranger.accessToken);
    expect(channels).toMatchObject([{ channelId: channel.id, status: "gone", messages: [] }]);
  });

  test("gets the same response for an inaccessible channel and one that doesn't exist", async () => {
    const { stranger, channel } = await createWorld(instance.url);
    const answers = await Promise.all(
      [channel.id, "0".repeat(24)].map((channelId) =>
        post(instance.url, "message.list", { channelId }, stranger.accessToken),
      ),
    );
    const [first, second] = answers.map((answer) =>
      answer.ok ? answer : { ...answer.error, requestId: "" },
    );
    expect(first).toEqual(second);
  });

  test("can't see a user's presence, while an acquaintance can", async () => {
    const { member, target } = await createWorld(instance.url);
    const stranger = await createAccount(instance.url);
    const params = { userIds: [target.userId] };
    const nothing = await must(instance.url, "presence.watch", params, stranger.accessToken);
    expect(nothing.presences).toEqual([]);
    const something = await must(instance.url, "presence.watch", params, member.accessToken);
    expect(something.presences).toEqual([{ userId: target.userId, status: "offline" }]);
    await must(instance.url, "channel.openDirect", { userId: target.userId }, stranger.accessToken);
    const after = await must(instance.url, "presence.watch", params, stranger.accessToken);
    expect(after.presences).toMatchObject([{ userId: target.userId }]);
  });

  test("can't read a message by ID through one of their channels", async () => {
    const { stranger, message } = await createWorld(instance.url);
    const { channels } = await must(instance.url, "group.create", { name: "Mine" }, stranger.accessToken);
    const params = { channelId: channels[0]!.id, messageId: message.id };
    for (const name of ["message.get", "message.delete"] as const) {
      const answer = await post(instance.url, name, params, stranger.accessToken);
      expect(answer).toMatchObject({ ok: false, error: { type: "MESSAGE_NOT_FOUND" } });
    }
  });

  test("can't read a direct channel of two other users", async () => {
    const { stranger, member, target } = await createWorld(instance.url);
    const direct = { userId: target.userId };
    const { channel } = await must(instance.url, "channel.openDirect", direct, member.accessToken);
    for (const name of ["message.list", "channel.delete"] as const) {
      const answer = await post(instance.url, name, { channelId: channel.id }, stranger.accessToken);
      expect(answer).toMatchObject({ ok: false, error: { type: "CHANNEL_NOT_FOUND" } });
    }
  });
});

describe("the two users of a direct channel", () => {
  test("can both write, and neither can manage it", async () => {
    const { member, target } = await createWorld(instance.url);
    const direct = { userId: target.userId };
    const { channel } = await must(instance.url, "channel.openDirect", direct, member.accessToken);
    for (const [index, { accessToken }] of [member, target].entries()) {
      const message = { channelId: channel.id, content: "Hello", nonce: String(index) };
      await must(instance.url, "message.send", message, accessToken);
      const answer = await post(instance.url, "channel.delete", { channelId: channel.id }, accessToken);
      expect(answer).toMatchObject({ ok: false, error: { type: "FORBIDDEN" } });
    }
  });
});

describe("a removed member", () => {
  test.each(["group.kick", "group.ban"] as const)(
    "can't read or write as soon as %s returns",
    async (name) => {
      const { owner, target, group, channel } = await createWorld(instance.url);
      const send = (nonce: string) =>
        post(
          instance.url,
          "message.send",
          { channelId: channel.id, content: "x", nonce },
          target.accessToken,
        );
      expect((await send("before")).ok).toBe(true);
      await must(instance.url, name, { groupId: group.id, userId: target.userId }, owner.accessToken);
      expect(await send("after")).toMatchObject({ ok: false, error: { type: "CHANNEL_NOT_FOUND" } });
    },
  );

  test("can rejoin after a kick, but after a ban only once unbanned", async () => {
    const { owner, target, group, inviteCode } = await createWorld(instance.url);
    const who = { groupId: group.id, userId: target.userId };
    const join = () => post(instance.url, "invite.accept", { code: inviteCode }, target.accessToken);
    await must(instance.url, "group.ban", who, owner.accessToken);
    expect(await join()).toMatchObject({ ok: false, error: { type: "BANNED" } });
    await must(instance.url, "group.unban", who, owner.accessToken);
    expect((await join()).ok).toBe(true);
    await must(instance.url, "group.kick", who, owner.accessToken);
    expect((await join()).ok).toBe(true);
  });
});

test("a group ID is not accepted as a channel ID, nor a channel ID as a group ID, once access is cached", async () => {
  const { owner, channel } = await createWorld(instance.url);
  const groupId = channel.groupId!;
  const { url } = instance;
  await must(url, "channel.list", { groupId }, owner.accessToken);
  await must(url, "message.list", { channelId: channel.id }, owner.accessToken);
  expect(await post(url, "channel.list", { groupId: channel.id }, owner.accessToken)).toMatchObject({
    error: { type: "GROUP_NOT_FOUND" },
  });
  expect(await post(url, "message.list", { channelId: groupId }, owner.accessToken)).toMatchObject({
    error: { type: "CHANNEL_NOT_FOUND" },
  });
});

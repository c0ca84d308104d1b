import { createAccount, createWorld, must, post } from "@fanfare/testing";
import { startInstance, type Instance } from "../support/instance.ts";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { exportAll } from "./admin-queries.ts";

let instance: Instance;
beforeAll(async () => {
  instance = await startInstance();
});
afterAll(() => instance?.stop());

/** The contents of the user's own messages in their data export, in order. */
async function exportedContents(url: string, accessToken: string): Promise<string[]> {
  const items = await exportAll(url, accessToken);
  const messages = items.filter(({ kind }) => kind === "message");
  return messages.map(({ data }) => (data as { content: string }).content).sort();
}

test("an export has all of the caller's data once, and no other user's", async () => {
  const { url } = instance;
  const me = await createAccount(url);
  const { inviteCode, channel, group, member, owner } = await createWorld(url);
  await must(url, "invite.accept", { code: inviteCode }, me.accessToken);
  const { channel: second } = await must(
    url,
    "channel.create",
    { groupId: group.id, name: "b" },
    owner.accessToken,
  );
  const direct = await must(url, "channel.openDirect", { userId: member.userId }, me.accessToken);
  const send = (channelId: string, content: string, token: string) =>
    must(url, "message.send", { channelId, content, nonce: content }, token);
  // More than one page in a read channel, an unread one and a direct one.
  for (let n = 0; n < 130; n += 1) await send(channel.id, `mine ${n}`, me.accessToken);
  await must(url, "channel.markRead", { channelId: channel.id, seq: 1000 }, me.accessToken);
  for (const place of [second.id, direct.channel.id]) await send(place, "mine", me.accessToken);
  for (const place of [channel.id, direct.channel.id])
    await send(place, "of another user", member.accessToken);
  await must(url, "user.block", { userId: owner.userId }, me.accessToken);

  const items = await exportAll(url, me.accessToken);
  const of = (kind: string) => items.filter((item) => item.kind === kind).map(({ data }) => data);
  expect(of("profile")).toMatchObject([{ id: me.userId, username: me.username, email: null }]);
  expect(of("session")).toMatchObject([{ id: me.sessionId, address: expect.stringContaining("127.0.0.1") }]);
  expect(of("block")).toEqual([{ userId: owner.userId }]);
  expect(of("reach")).toMatchObject([{ directFrom: "everyone" }]);
  expect(of("membership")).toMatchObject([{ groupName: group.name, groupId: group.id, userId: me.userId }]);
  const messages = of("message") as { id: string; authorId: string; content: string }[];
  expect(messages).toHaveLength(132);
  expect(new Set(messages.map(({ id }) => id)).size).toBe(132);
  expect(new Set(messages.map(({ authorId }) => authorId))).toEqual(new Set([me.userId]));
});

test("an export includes messages in groups the user has left, in threads and in channels never read", async () => {
  const { url } = instance;
  const me = await createAccount(url);
  const contents: string[] = [];
  const say = async (channelId: string, content: string) => {
    contents.push(content);
    await must(url, "message.send", { channelId, content, nonce: content }, me.accessToken);
  };
  const join = async () => {
    const world = await createWorld(url);
    await must(url, "invite.accept", { code: world.inviteCode }, me.accessToken);
    const { channel, message } = world;
    const ids = { channelId: channel.id, messageId: message.id };
    const thread = await must(url, "channel.openThread", ids, me.accessToken);
    await say(channel.id, `in ${channel.id}`);
    await say(thread.channel.id, `in the thread of ${channel.id}`);
    return world;
  };
  await join();
  const left = await join();
  await must(url, "group.leave", { groupId: left.group.id }, me.accessToken);
  const kicking = await join();
  const kick = { groupId: kicking.group.id, userId: me.userId };
  await must(url, "group.kick", kick, kicking.owner.accessToken);
  const readBefore = await join();
  const marker = { channelId: readBefore.channel.id, seq: 1000 };
  await must(url, "channel.markRead", marker, me.accessToken);
  await must(url, "group.leave", { groupId: readBefore.group.id }, me.accessToken);

  const found = () => exportedContents(url, me.accessToken);
  expect(await found()).toEqual(contents.sort());
  // After rejoining, they are still exported once; deleted content is gone for everyone.
  await must(url, "invite.accept", { code: left.inviteCode }, me.accessToken);
  expect(await found()).toEqual(contents);
  await must(url, "group.delete", { groupId: kicking.group.id }, kicking.owner.accessToken);
  await vi.waitFor(
    async () => expect(await found()).toEqual(contents.filter((text) => !text.includes(kicking.channel.id))),
    10_000,
  );
});

test("an export includes direct channels the user has left or closed, even if never read", async () => {
  const { url } = instance;
  const me = await createAccount(url);
  const { inviteCode, owner, member } = await createWorld(url);
  await must(url, "invite.accept", { code: inviteCode }, me.accessToken);
  const contents: string[] = [];
  const say = async (channelId: string, content: string) => {
    contents.push(content);
    await must(url, "message.send", { channelId, content, nonce: content }, me.accessToken);
  };
  const userIds = [me.userId, member.userId];
  const create = async () => {
    const made = await must(url, "channel.createGroupDirect", { userIds }, owner.accessToken);
    await say(made.channel.id, `in ${made.channel.id}`);
    return { channelId: made.channel.id, userId: me.userId };
  };
  const [left, kicked, deleted] = [await create(), await create(), await create()];
  await must(url, "channel.removeFromDirect", left, me.accessToken);
  await must(url, "channel.removeFromDirect", kicked, owner.accessToken);
  const closed = await must(url, "channel.openDirect", { userId: member.userId }, me.accessToken);
  await say(closed.channel.id, "in one that is closed");
  await must(url, "channel.closeDirect", { channelId: closed.channel.id }, me.accessToken);

  const found = () => exportedContents(url, me.accessToken);
  expect(await found()).toEqual(contents.sort());
  // After rejoining, they are still exported once; the channel is deleted with its last member.
  await must(url, "channel.addToDirect", left, owner.accessToken);
  expect(await found()).toEqual(contents);
  for (const { userId, accessToken } of [me, member, owner])
    await must(url, "channel.removeFromDirect", { channelId: deleted.channelId, userId }, accessToken);
  await vi.waitFor(
    async () => expect(await found()).toEqual(contents.filter((text) => !text.includes(deleted.channelId))),
    10_000,
  );
});

test("a made-up cursor doesn't give access to other users' data", async () => {
  const { url } = instance;
  const { member, stranger, channel, message } = await createWorld(url);
  const position = { source: "read", at: null, channelId: channel.id, nonce: "" };
  const forged = Buffer.from(JSON.stringify(position)).toString("base64url");
  for (const { accessToken } of [stranger, member]) {
    const params = { cursor: `message.${forged}` };
    const answer = await post(url, "user.exportMyData", params, accessToken);
    expect(JSON.stringify(answer)).not.toContain(message.content);
  }
  const direct = Buffer.from(JSON.stringify({ source: "direct", at: "1-x" })).toString("base64url");
  for (const cursor of ["message.x", "admin", "..", "message.e30", `message.${direct}`]) {
    const answer = await post(url, "user.exportMyData", { cursor }, stranger.accessToken);
    expect(answer).toMatchObject({ ok: false, error: { type: "VALIDATION_FAILED" } });
  }
});

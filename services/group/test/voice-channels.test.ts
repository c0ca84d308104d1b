import { createWorld, must, post, type World } from "@fanfare/testing";
import { type ParsedParams, PERMISSIONS } from "@fanfare/contract";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startInstance, type Instance } from "../../../test/support/instance.ts";

let instance: Instance;
let world: World;
beforeAll(async () => {
  instance = await startInstance();
  world = await createWorld(instance.url);
});
afterAll(() => instance?.stop());

const create = async (name: string, kind: ParsedParams<"channel.create">["kind"]) => {
  const params = { groupId: world.group.id, name, kind };
  return (await must(instance.url, "channel.create", params, world.owner.accessToken)).channel;
};

test("a voice channel has messages, threads, read markers and search", async () => {
  const { url } = instance;
  const { group, owner, member } = world;
  const { id: channelId, kind } = await create("Lounge", "voice");
  expect(kind).toBe("voice");
  const said = { channelId, content: "see the agenda", nonce: "agenda" };
  const { message } = await must(url, "message.send", said, member.accessToken);
  const root = { channelId, messageId: message.id };
  const { channel: thread } = await must(url, "channel.openThread", root, owner.accessToken);
  const answer = { channelId: thread.id, content: "thank you", nonce: "thanks" };
  await must(url, "message.send", answer, owner.accessToken);

  const listed = await must(url, "channel.list", { groupId: group.id }, owner.accessToken);
  expect(listed.channels.find(({ id }) => id === channelId)).toMatchObject({
    kind: "voice",
    head: { seq: 1 },
    lastReadSeq: 0,
  });
  const unread = await must(url, "channel.listUnread", {}, owner.accessToken);
  expect(unread.channels.map((one) => one.channelId)).toContain(channelId);
  await must(url, "channel.markRead", { channelId, seq: 1 }, owner.accessToken);
  const search = { groupId: group.id, text: "agenda" };
  await vi.waitFor(async () => {
    const { messages } = await must(url, "message.search", search, member.accessToken);
    expect(messages.map(({ id }) => id)).toEqual([message.id]);
  });
});

test("a voice channel can be in a section, which has no call itself", async () => {
  const { url } = instance;
  const { group, owner, member } = world;
  const [section, channel] = [await create("Rooms", "section"), await create("Kitchen", "voice")];
  const place = { channelId: channel.id, sectionId: section.id, position: 7 };
  await must(url, "channel.reorder", { groupId: group.id, places: [place] }, owner.accessToken);
  const moved = { channelId: channel.id, sectionId: section.id, topic: "Coffee" };
  expect((await must(url, "channel.update", moved, owner.accessToken)).channel).toMatchObject({
    kind: "voice",
    sectionId: section.id,
    topic: "Coffee",
  });
  const inSection = { channelId: section.id };
  expect(await post(url, "call.join", inSection, member.accessToken)).toMatchObject({
    ok: false,
    error: { type: "FORBIDDEN" },
  });
});

test("an override can take calls from members, and only moderators move others", async () => {
  const { url } = instance;
  const { owner, member } = world;
  const { id: channelId } = await create("Stage", "voice");
  const join = () => post(url, "call.join", { channelId }, member.accessToken);
  expect(await join()).toMatchObject({ error: { type: "CALLS_OFF" } });
  const deny = PERMISSIONS.connect | PERMISSIONS.muteMembers | PERMISSIONS.moveMembers;
  const override = { channelId, target: { type: "everyone" }, allow: 0, deny } as const;
  await must(url, "channel.setOverride", override, owner.accessToken);
  expect(await join()).toMatchObject({ error: { type: "FORBIDDEN" } });
  const move = { channelId, userId: owner.userId, toChannelId: null };
  expect(await post(url, "call.moveMember", move, member.accessToken)).toMatchObject({
    error: { type: "FORBIDDEN" },
  });
});

test("the channel that new members see first is a text channel", async () => {
  const { id: defaultChannelId } = await create("Hall", "voice");
  const change = { groupId: world.group.id, defaultChannelId };
  expect(await post(instance.url, "group.update", change, world.owner.accessToken)).toMatchObject({
    error: { type: "CHANNEL_NOT_FOUND" },
  });
});

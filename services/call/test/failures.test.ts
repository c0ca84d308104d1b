import { PERMISSIONS } from "@fanfare/contract";
import { createGuest, createWorld, hasLiveKit, must, type Person, post, type World } from "@fanfare/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { Listener } from "../../../test/integration/listener.ts";
import { type Calls, connectSignal, joinCall, startCalls } from "./support.ts";

// What can go wrong, with a real LiveKit server: it is away, processes die, users do things at the same time.

const PAST = new Date(0);
/** The job that checks calls polls every second, and calls are due after 10 s at the latest. */
const CHECKED = { timeout: 30_000 };

describe.skipIf(!hasLiveKit())("calls that go wrong", () => {
  let calls: Calls;
  let url: string;
  let world: World;
  beforeAll(async () => {
    calls = await startCalls();
    ({ url } = calls.instance);
  });
  afterAll(() => calls?.stop());
  beforeEach(async () => {
    world = await createWorld(url);
  });

  const callIn = async (channelId: string, { accessToken }: Person = world.owner) =>
    (await must(url, "call.list", {}, accessToken)).calls.find((one) => one.channelId === channelId);
  const userIdsIn = async (channelId: string, person?: Person) =>
    (await callIn(channelId, person))?.participants.map(({ userId }) => userId) ?? [];
  const messagesIn = async (channelId: string, { accessToken }: Person) =>
    (await must(url, "message.list", { channelId }, accessToken)).messages;
  const joinError = async (channelId: string, { accessToken }: Person) => {
    const answer = await post(url, "call.join", { channelId }, accessToken);
    return answer.ok ? null : answer.error.type;
  };
  const voiceChannel = async () => {
    const create = { groupId: world.group.id, name: "Lounge", kind: "voice" } as const;
    return (await must(url, "channel.create", create, world.owner.accessToken)).channel.id;
  };
  const deny = (channelId: string, { userId: id }: Person, bits: number) =>
    must(
      url,
      "channel.setOverride",
      { channelId, target: { type: "member", id }, allow: 0, deny: bits },
      world.owner.accessToken,
    );
  const directOf = async ({ accessToken }: Person, { userId }: Person) =>
    (await must(url, "channel.openDirect", { userId }, accessToken)).channel.id;
  /** Instead of waiting until calls are checked. */
  const checkNow = async ({ $set = {}, ...rest }: { $set?: object; $unset?: object } = {}) => {
    const { instance } = calls;
    await instance.collection("calls").updateMany({}, { ...rest, $set: { ...$set, checkAt: PAST } });
    await instance.collection("jobs").updateOne({ kind: "call.check" }, { $set: { dueAt: PAST } });
  };

  test("starting a call needs the permission to send messages, joining one doesn't", async () => {
    const { owner, member, muted, channel } = world;
    const loungeId = await voiceChannel();
    for (const channelId of [channel.id, loungeId]) await deny(channelId, member, PERMISSIONS.sendMessages);
    expect(await joinError(channel.id, member)).toBe("FORBIDDEN");
    expect(await joinError(channel.id, muted)).toBe("MUTED");
    expect(await joinError(loungeId, member)).toBeNull();
    await must(url, "call.join", { channelId: channel.id }, owner.accessToken);
    expect(await joinError(channel.id, member)).toBeNull();
    expect(await joinError(channel.id, muted)).toBeNull();
  });

  test("users who start a call at the same time are in the same call", async () => {
    const { owner, member, target, channel } = world;
    const joined = await Promise.all([owner, member, target].map((one) => joinCall(url, channel.id, one)));
    expect(new Set(joined.map(({ call }) => call.id)).size).toBe(1);
    await vi.waitFor(async () => expect(await userIdsIn(channel.id)).toHaveLength(3));
  });

  test("a user who joins several calls at the same time ends up in one", async () => {
    const { member } = world;
    const channelIds = await Promise.all([voiceChannel(), voiceChannel(), voiceChannel()]);
    const joined = await Promise.all(
      channelIds.map((channelId) => must(url, "call.join", { channelId }, member.accessToken)),
    );
    await Promise.all(joined.map((one) => connectSignal(one).catch(() => undefined)));
    await checkNow();
    await vi.waitFor(async () => {
      const all = await Promise.all(channelIds.map((channelId) => userIdsIn(channelId)));
      expect(all.flat()).toEqual([member.userId]);
    }, CHECKED);
  });

  test("without LiveKit a call doesn't start, nor is it missed later", async () => {
    const { member, target } = world;
    const channelId = await directOf(member, target);
    const listener = new Listener(url, target);
    await listener.ready;
    await calls.livekit.kill();
    try {
      expect(await joinError(channelId, member)).toBe("UNAVAILABLE");
    } finally {
      await calls.livekit.start();
    }
    await listener.settle();
    expect(listener.received.filter(({ name }) => name.startsWith("call."))).toEqual([]);
    expect(await calls.instance.collection("calls").countDocuments({ memberIds: { $exists: true } })).toBe(0);
    expect(await messagesIn(channelId, target)).toEqual([]);
    listener.socket.close();
  });

  test("while LiveKit doesn't respond, joining fails soon, leaving succeeds, and the rest follows", async () => {
    const { member, target } = world;
    const channelId = await voiceChannel();
    const first = await joinCall(url, channelId, member);
    await vi.waitFor(async () => expect(await userIdsIn(channelId)).toEqual([member.userId]));
    calls.livekit.freeze();
    try {
      const [error] = await Promise.all([
        joinError(channelId, target),
        must(url, "call.leave", { channelId }, member.accessToken),
      ]);
      expect(error).toBe("UNAVAILABLE");
    } finally {
      calls.livekit.thaw();
    }
    await checkNow();
    await first.signal.closed;
    await vi.waitFor(async () => expect(await callIn(channelId)).toBeUndefined(), CHECKED);
  });

  test("calls go on after a restart of LiveKit, for those who connect again", async () => {
    const { member, target } = world;
    const channelId = await voiceChannel();
    const [first, second] = [await joinCall(url, channelId, member), await joinCall(url, channelId, target)];
    await vi.waitFor(async () => expect(await userIdsIn(channelId)).toHaveLength(2));
    await calls.livekit.kill();
    await Promise.all([first.signal.closed, second.signal.closed]);
    await calls.livekit.start();
    await connectSignal(first);
    await checkNow();
    await vi.waitFor(async () => expect(await userIdsIn(channelId)).toEqual([member.userId]), CHECKED);
    expect((await callIn(channelId))?.id).toBe(first.call.id);
  });

  test("a user whose session has ended is removed, also if the service didn't hear of it", async () => {
    const { member } = world;
    const channelId = await voiceChannel();
    const { signal } = await joinCall(url, channelId, member);
    await vi.waitFor(async () => expect(await userIdsIn(channelId)).toEqual([member.userId]));
    const sessions = calls.instance.collection("sessions");
    const session = (await sessions.find().toArray()).find(({ _id }) => String(_id) === member.sessionId);
    await sessions.updateOne({ _id: session!._id }, { $set: { revokedAt: new Date() } });
    await checkNow();
    await signal.closed;
    await vi.waitFor(async () => expect(await callIn(channelId)).toBeUndefined(), CHECKED);
  });

  test("the end of a call is completed after its process has died", async () => {
    const { owner, member, channel } = world;
    const { call, signal } = await joinCall(url, channel.id, member);
    await vi.waitFor(async () => expect(await userIdsIn(channel.id)).toEqual([member.userId]));
    await checkNow({ $set: { endedAt: new Date() }, $unset: { openIn: 1 } });
    await signal.closed;
    await vi.waitFor(async () => {
      const last = (await messagesIn(channel.id, owner)).at(-1);
      expect(last).toMatchObject({ authorId: member.userId, call: { missed: false } });
    }, CHECKED);
    const { call: next } = await must(url, "call.join", { channelId: channel.id }, member.accessToken);
    expect(next.id).not.toBe(call.id);
  });

  test("no one rings a user without end by using many channels", async () => {
    const { owner, member, target } = world;
    const listener = new Listener(url, target);
    await listener.ready;
    const ring = async () => {
      const channelId = await voiceChannel();
      await must(url, "call.join", { channelId }, member.accessToken);
      return post(url, "call.ring", { channelId, userIds: [target.userId] }, member.accessToken);
    };
    for (let times = 0; times < 10; times += 1) expect(await ring()).toMatchObject({ ok: true });
    expect(await ring()).toMatchObject({ error: { type: "RATE_LIMITED" } });
    await listener.settle();
    expect(listener.received.filter(({ name }) => name === "call.rang")).toHaveLength(10);
    // Others still can.
    const channelId = await voiceChannel();
    await must(url, "call.join", { channelId }, owner.accessToken);
    await must(url, "call.ring", { channelId, userIds: [target.userId] }, owner.accessToken);
    listener.socket.close();
  });

  test("a ring ends by itself", async () => {
    const { member, target } = world;
    const channelId = await directOf(member, target);
    const listener = new Listener(url, target);
    await listener.ready;
    const { call } = await joinCall(url, channelId, member);
    const { instance } = calls;
    const rings = instance.collection("callRings");
    await vi.waitFor(async () =>
      expect(await rings.countDocuments({ dueAt: { $gt: new Date() } })).toBeGreaterThan(0),
    );
    await rings.updateMany({ dueAt: { $exists: true } }, { $set: { dueAt: PAST } });
    await instance.collection("jobs").updateOne({ kind: "call.stopRings" }, { $set: { dueAt: PAST } });
    await vi.waitFor(
      () =>
        expect(listener.received).toContainEqual({
          name: "call.ringEnded",
          payload: { channelId, callId: call.id, reason: "timeout" },
        }),
      CHECKED,
    );
    listener.socket.close();
  });

  test("who is added to a group DM finds its call", async () => {
    const { owner, member, target } = world;
    const added = await createGuest(url);
    const { invite } = await must(url, "invite.create", { groupId: world.group.id }, owner.accessToken);
    await must(url, "invite.accept", { code: invite.code }, added.accessToken);
    const userIds = [member.userId, target.userId];
    const { channel } = await must(url, "channel.createGroupDirect", { userIds }, owner.accessToken);
    const { call } = await joinCall(url, channel.id, owner);
    await vi.waitFor(async () => expect(await userIdsIn(channel.id, member)).toEqual([owner.userId]));
    await must(
      url,
      "channel.addToDirect",
      { channelId: channel.id, userId: added.userId },
      owner.accessToken,
    );
    await vi.waitFor(async () => expect((await callIn(channel.id, added))?.id).toBe(call.id), CHECKED);
  });
});

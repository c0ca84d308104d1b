import { PERMISSIONS } from "@fanfare/contract";
import { createGuest, hasLiveKit, must, post } from "@fanfare/testing";
import { Types } from "mongoose";
import { describe, expect, test, vi } from "vitest";
import { Listener } from "../../../test/integration/listener.ts";
import { connectSignal, joinCall, useCalls } from "./support.ts";

// What can go wrong, with a real LiveKit server: it is away, processes die, users do things at the same time.

const PAST = new Date(0);
/** The job that checks calls polls every second, and calls are due after 10 s at the latest. */
const CHECKED = { timeout: 30_000 };

describe.skipIf(!hasLiveKit())("calls that go wrong", () => {
  const site = useCalls();
  const voiceChannel = () => site.channelOf("voice");
  /** Instead of waiting until calls are checked. */
  const checkNow = async ({ $set = {}, ...rest }: { $set?: object; $unset?: object } = {}) => {
    const { instance } = site;
    await instance.collection("calls").updateMany({}, { ...rest, $set: { ...$set, checkAt: PAST } });
    await instance.collection("jobs").updateOne({ kind: "call.check" }, { $set: { dueAt: PAST } });
  };

  test("starting a call needs the permission to send messages, joining one doesn't", async () => {
    const { owner, member, muted, channel } = site.world;
    const loungeId = await voiceChannel();
    for (const channelId of [channel.id, loungeId])
      await site.deny(channelId, member, PERMISSIONS.sendMessages);
    expect(await site.joinError(channel.id, member)).toBe("FORBIDDEN");
    expect(await site.joinError(channel.id, muted)).toBe("MUTED");
    expect(await site.joinError(loungeId, member)).toBeNull();
    await must(site.url, "call.join", { channelId: channel.id }, owner.accessToken);
    expect(await site.joinError(channel.id, member)).toBeNull();
    expect(await site.joinError(channel.id, muted)).toBeNull();
  });

  test("users who start a call at the same time are in the same call", async () => {
    const { owner, member, target, channel } = site.world;
    const joined = await Promise.all(
      [owner, member, target].map((one) => joinCall(site.url, channel.id, one)),
    );
    expect(new Set(joined.map(({ call }) => call.id)).size).toBe(1);
    await vi.waitFor(async () => expect(await site.userIdsIn(channel.id)).toHaveLength(3));
  });

  test("a user who joins several calls at the same time ends up in one", async () => {
    const { member } = site.world;
    const channelIds = await Promise.all([voiceChannel(), voiceChannel(), voiceChannel()]);
    const joined = await Promise.all(
      channelIds.map((channelId) => must(site.url, "call.join", { channelId }, member.accessToken)),
    );
    await Promise.all(joined.map((one) => connectSignal(one).catch(() => undefined)));
    await checkNow();
    await vi.waitFor(async () => {
      const all = await Promise.all(channelIds.map((channelId) => site.userIdsIn(channelId)));
      expect(all.flat()).toEqual([member.userId]);
    }, CHECKED);
  });

  test("without LiveKit a call doesn't start, nor is it missed later", async () => {
    const { member, target } = site.world;
    const channelId = await site.directOf(member, target);
    const listener = new Listener(site.url, target);
    await listener.ready;
    await site.livekit.kill();
    try {
      expect(await site.joinError(channelId, member)).toBe("UNAVAILABLE");
    } finally {
      await site.livekit.start();
    }
    await listener.settle();
    expect(listener.received.filter(({ name }) => name.startsWith("call."))).toEqual([]);
    expect(await site.instance.collection("calls").countDocuments({ memberIds: { $exists: true } })).toBe(0);
    expect(await site.messagesIn(channelId, target)).toEqual([]);
    listener.socket.close();
  });

  test("while LiveKit doesn't respond, joining fails soon, leaving doesn't wait for it, and the rest follows", async () => {
    const { member, target } = site.world;
    const channelId = await voiceChannel();
    const first = await joinCall(site.url, channelId, member);
    await vi.waitFor(async () => expect(await site.userIdsIn(channelId)).toEqual([member.userId]));
    site.livekit.freeze();
    try {
      const joining = site.joinError(channelId, target);
      const leaving = must(site.url, "call.leave", { channelId }, member.accessToken);
      expect(await Promise.race([joining, leaving])).toEqual({});
      expect(await joining).toBe("UNAVAILABLE");
    } finally {
      site.livekit.thaw();
    }
    await checkNow();
    await first.signal.closed;
    await vi.waitFor(async () => expect(await site.callIn(channelId)).toBeUndefined(), CHECKED);
  });

  test("calls go on after a restart of LiveKit, for those who connect again", async () => {
    const { member, target } = site.world;
    const channelId = await voiceChannel();
    const [first, second] = [
      await joinCall(site.url, channelId, member),
      await joinCall(site.url, channelId, target),
    ];
    await vi.waitFor(async () => expect(await site.userIdsIn(channelId)).toHaveLength(2));
    await site.livekit.kill();
    await Promise.all([first.signal.closed, second.signal.closed]);
    await site.livekit.start();
    await connectSignal(first);
    await checkNow();
    await vi.waitFor(async () => expect(await site.userIdsIn(channelId)).toEqual([member.userId]), CHECKED);
    expect((await site.callIn(channelId))?.id).toBe(first.call.id);
  });

  test("a user whose session has ended is removed, also if the service didn't hear of it", async () => {
    const { member } = site.world;
    const channelId = await voiceChannel();
    const { signal } = await joinCall(site.url, channelId, member);
    await vi.waitFor(async () => expect(await site.userIdsIn(channelId)).toEqual([member.userId]));
    const sessions = site.instance.collection("sessions");
    const session = (await sessions.find().toArray()).find(({ _id }) => String(_id) === member.sessionId);
    await sessions.updateOne({ _id: session!._id }, { $set: { revokedAt: new Date() } });
    await checkNow();
    await signal.closed;
    await vi.waitFor(async () => expect(await site.callIn(channelId)).toBeUndefined(), CHECKED);
  });

  test("the end of a call is completed after its process has died", async () => {
    const { owner, member, channel } = site.world;
    const { call, signal } = await joinCall(site.url, channel.id, member);
    await vi.waitFor(async () => expect(await site.userIdsIn(channel.id)).toEqual([member.userId]));
    await checkNow({ $set: { endedAt: new Date() }, $unset: { openIn: 1 } });
    await signal.closed;
    await vi.waitFor(async () => {
      const last = (await site.messagesIn(channel.id, owner)).at(-1);
      expect(last).toMatchObject({ authorId: member.userId, call: { missed: false } });
    }, CHECKED);
    const { call: next } = await must(site.url, "call.join", { channelId: channel.id }, member.accessToken);
    expect(next.id).not.toBe(call.id);
  });

  test("no one rings a user without end by using many channels", async () => {
    const { owner, member, target } = site.world;
    const listener = new Listener(site.url, target);
    await listener.ready;
    const ring = async () => {
      const channelId = await voiceChannel();
      await must(site.url, "call.join", { channelId }, member.accessToken);
      return post(site.url, "call.ring", { channelId, userIds: [target.userId] }, member.accessToken);
    };
    for (let times = 0; times < 10; times += 1) expect(await ring()).toMatchObject({ ok: true });
    expect(await ring()).toMatchObject({ error: { type: "RATE_LIMITED" } });
    await listener.settle();
    expect(listener.received.filter(({ name }) => name === "call.rang")).toHaveLength(10);
    // Others still can.
    const channelId = await voiceChannel();
    await must(site.url, "call.join", { channelId }, owner.accessToken);
    await must(site.url, "call.ring", { channelId, userIds: [target.userId] }, owner.accessToken);
    listener.socket.close();
  });

  test("a ring ends by itself", async () => {
    const { member, target } = site.world;
    const channelId = await site.directOf(member, target);
    const listener = new Listener(site.url, target);
    await listener.ready;
    const { call } = await joinCall(site.url, channelId, member);
    const { instance } = site;
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

  test("all rings end with their call, however many there are", async () => {
    const { member } = site.world;
    const channelId = await voiceChannel();
    const { call } = await joinCall(site.url, channelId, member);
    const later = new Date(Date.now() + 3_600_000);
    const ids = { callId: new Types.ObjectId(call.id), channelId: new Types.ObjectId(channelId) };
    const rings = site.instance.collection("callRings");
    await rings.insertMany(
      Array.from({ length: 250 }, () => ({
        ...ids,
        userId: new Types.ObjectId(),
        fromUserId: new Types.ObjectId(member.userId),
        dueAt: later,
        recent: [],
        expiresAt: later,
      })),
    );
    await must(site.url, "call.leave", { channelId }, member.accessToken);
    await vi.waitFor(async () =>
      expect(await rings.countDocuments({ callId: ids.callId, dueAt: { $exists: true } })).toBe(0),
    );
  });

  test("who is added to a group DM finds its call", async () => {
    const { owner, member, target } = site.world;
    const added = await createGuest(site.url);
    const { invite } = await must(
      site.url,
      "invite.create",
      { groupId: site.world.group.id },
      owner.accessToken,
    );
    await must(site.url, "invite.accept", { code: invite.code }, added.accessToken);
    const userIds = [member.userId, target.userId];
    const { channel } = await must(site.url, "channel.createGroupDirect", { userIds }, owner.accessToken);
    const { call } = await joinCall(site.url, channel.id, owner);
    await vi.waitFor(async () => expect(await site.userIdsIn(channel.id, member)).toEqual([owner.userId]));
    await must(
      site.url,
      "channel.addToDirect",
      { channelId: channel.id, userId: added.userId },
      owner.accessToken,
    );
    await vi.waitFor(async () => expect((await site.callIn(channel.id, added))?.id).toBe(call.id), CHECKED);
  });
});

import { createHash, createHmac } from "node:crypto";
import { PERMISSIONS } from "@fanfare/contract";
import { createGuest, createWorld, hasLiveKit, must, type Person, post, type World } from "@fanfare/testing";
import { RoomServiceClient, TrackSource } from "livekit-server-sdk";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { Listener } from "../../../test/integration/listener.ts";
import { type Calls, connectSignal, joinCall, KEY, SECRET, startCalls } from "./support.ts";

// With a real LiveKit server. Participants only exchange signals with it; test/e2e has browsers with media.

describe.skipIf(!hasLiveKit())("calls", () => {
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

  const call = async ({ accessToken }: Person, channelId = world.channel.id) =>
    (await must(url, "call.list", {}, accessToken)).calls.find((one) => one.channelId === channelId);
  const userIds = async (person: Person, channelId?: string) =>
    (await call(person, channelId))?.participants.map(({ userId }) => userId) ?? [];
  const channelOf = (kind: "text" | "voice", more = {}) =>
    must(
      url,
      "channel.create",
      { groupId: world.group.id, name: "a-channel", kind, ...more },
      world.owner.accessToken,
    ).then(({ channel }) => channel.id);
  const newest = async ({ accessToken }: Person, channelId = world.channel.id) =>
    (await must(url, "message.list", { channelId }, accessToken)).messages.at(-1)!;
  const errorOf = async (answer: ReturnType<typeof post>) => {
    const result = await answer;
    return result.ok ? null : result.error.type;
  };
  async function directOf(from: Person, to: Person): Promise<string> {
    return (await must(url, "channel.openDirect", { userId: to.userId }, from.accessToken)).channel.id;
  }

  test("members join a call, are listed in it and leave; a message remains", async () => {
    const { owner, member, target, channel } = world;
    const listener = new Listener(url, target);
    await listener.ready;
    const first = await joinCall(url, channel.id, owner);
    await vi.waitFor(async () => expect(await userIds(target)).toEqual([owner.userId]));
    const second = await joinCall(url, channel.id, member);
    expect(second.call.id).toBe(first.call.id);
    await vi.waitFor(async () => expect(await userIds(target)).toEqual([owner.userId, member.userId]));
    // Those who follow the events have what those have who ask.
    await vi.waitFor(async () =>
      expect(listener.received.findLast(({ name }) => name === "call.updated")?.payload).toEqual({
        call: await call(target),
      }),
    );
    await must(url, "call.leave", { channelId: channel.id }, owner.accessToken);
    await first.signal.closed;
    expect(await userIds(target)).toEqual([member.userId]);
    await must(url, "call.leave", { channelId: channel.id }, member.accessToken);
    expect(await call(target)).toBeUndefined();
    await vi.waitFor(async () => {
      expect(await newest(target)).toMatchObject({
        authorId: owner.userId,
        content: "",
        call: { participantUserIds: [owner.userId, member.userId], missed: false },
      });
    });
    await vi.waitFor(() => {
      const ofCalls = listener.received.filter(({ name }) => name.startsWith("call."));
      expect(ofCalls.at(-1)).toEqual({
        name: "call.ended",
        payload: { channelId: channel.id, callId: first.call.id },
      });
      expect(ofCalls[0]).toMatchObject({ name: "call.updated", payload: { call: { id: first.call.id } } });
    });
    listener.socket.close();
    const message = await newest(owner);
    const edit = { channelId: channel.id, messageId: message.id, content: "edited" };
    expect(await errorOf(post(url, "message.edit", edit, owner.accessToken))).toBe("FORBIDDEN");
  });

  test("a voice channel has no messages about its calls", async () => {
    const channelId = await channelOf("voice");
    const { signal } = await joinCall(url, channelId, world.member);
    await vi.waitFor(async () =>
      expect(await userIds(world.owner, channelId)).toEqual([world.member.userId]),
    );
    await must(url, "call.leave", { channelId }, world.member.accessToken);
    await signal.closed;
    const { messages } = await must(url, "message.list", { channelId }, world.owner.accessToken);
    expect(messages).toEqual([]);
  });

  test("who joins another call leaves the first", async () => {
    const [first, second] = await Promise.all([channelOf("voice"), channelOf("voice")]);
    const { signal } = await joinCall(url, first, world.member);
    await joinCall(url, second, world.member);
    await signal.closed;
    await vi.waitFor(async () => {
      expect(await userIds(world.owner, second)).toEqual([world.member.userId]);
      expect(await call(world.owner, first)).toBeUndefined();
    });
  });

  test("no one joins a call in a channel they can't see, or lists it", async () => {
    const { owner, member, stranger } = world;
    const channelId = await channelOf("voice", { private: true });
    await joinCall(url, channelId, owner);
    await vi.waitFor(async () => expect(await userIds(owner, channelId)).toEqual([owner.userId]));
    for (const person of [member, stranger]) {
      expect(await errorOf(post(url, "call.join", { channelId }, person.accessToken))).toBe(
        "CHANNEL_NOT_FOUND",
      );
      expect(await call(person, channelId)).toBeUndefined();
    }
  });

  test("a kicked member leaves at once, and can't come back with the token", async () => {
    const { owner, member, target, channel, group } = world;
    await joinCall(url, channel.id, owner);
    const kicked = await joinCall(url, channel.id, target);
    await vi.waitFor(async () => expect(await userIds(member)).toContain(target.userId));
    await must(url, "group.kick", { groupId: group.id, userId: target.userId }, owner.accessToken);
    await kicked.signal.closed;
    await vi.waitFor(async () => expect(await userIds(member)).toEqual([owner.userId]));
    // LiveKit itself still accepts the token.
    const again = await connectSignal(kicked);
    await signedWebhook("participant_joined", kicked.call.id, target.userId);
    await again.closed;
    expect(await userIds(member)).toEqual([owner.userId]);
  });

  test("everyone hears that a call has ended from which the last one was kicked", async () => {
    const { owner, member, target, channel, group } = world;
    const listener = new Listener(url, member);
    await listener.ready;
    const { call: started } = await joinCall(url, channel.id, target);
    await vi.waitFor(async () => expect(await userIds(member)).toEqual([target.userId]));
    await must(url, "group.kick", { groupId: group.id, userId: target.userId }, owner.accessToken);
    const payload = { channelId: channel.id, callId: started.id };
    await vi.waitFor(() => expect(listener.received).toContainEqual({ name: "call.ended", payload }));
  });

  test("an earlier token lets no one in once its user has joined again", async () => {
    const { member, target, channel } = world;
    const earlier = await joinCall(url, channel.id, target);
    const { call: joined, signal } = await joinCall(url, channel.id, target);
    await earlier.signal.closed;
    await vi.waitFor(async () => expect(await userIds(member)).toEqual([target.userId]));
    const again = await connectSignal(earlier);
    await signal.closed;
    await signedWebhook("participant_joined", joined.id, target.userId);
    await again.closed;
  });

  test("who loses the permission to connect leaves, and who loses the one to speak stays", async () => {
    const { owner, member, target, channel } = world;
    const first = await joinCall(url, channel.id, member);
    const second = await joinCall(url, channel.id, target);
    await vi.waitFor(async () => expect(await userIds(owner)).toHaveLength(2));
    const deny = (userId: string, bits: number) =>
      must(
        url,
        "channel.setOverride",
        { channelId: channel.id, target: { type: "member", id: userId }, allow: 0, deny: bits },
        owner.accessToken,
      );
    await deny(target.userId, PERMISSIONS.speak);
    await deny(member.userId, PERMISSIONS.connect);
    await first.signal.closed;
    await vi.waitFor(async () => expect(await userIds(owner)).toEqual([target.userId]));
    second.signal.close();
  });

  test("who logs out leaves the call", async () => {
    const { owner, member, channel } = world;
    const { signal } = await joinCall(url, channel.id, member);
    await vi.waitFor(async () => expect(await userIds(owner)).toEqual([member.userId]));
    await must(url, "user.logout", {}, member.accessToken);
    await signal.closed;
    await vi.waitFor(async () => expect(await userIds(owner)).toEqual([]));
  });

  test("a moderator mutes, removes and moves members, and members don't", async () => {
    const { owner, member, target, channel, group } = world;
    const there = await channelOf("voice");
    const joined = await joinCall(url, channel.id, target);
    await joinCall(url, channel.id, owner);
    await vi.waitFor(async () => expect(await userIds(owner)).toHaveLength(2));
    const of = { channelId: channel.id, userId: target.userId };
    expect(await errorOf(post(url, "call.muteMember", of, member.accessToken))).toBe("FORBIDDEN");
    expect(
      await errorOf(post(url, "call.moveMember", { ...of, toChannelId: null }, member.accessToken)),
    ).toBe("FORBIDDEN");
    await must(url, "call.muteMember", of, owner.accessToken);
    const isMuted = async () =>
      (await call(owner))?.participants.find(({ userId }) => userId === target.userId)?.isMutedByModerator;
    expect(await isMuted()).toBe(true);
    await must(url, "call.muteMember", { ...of, isMuted: false }, owner.accessToken);
    expect(await isMuted()).toBe(false);
    const listener = new Listener(url, target);
    await listener.ready;
    expect(
      await errorOf(post(url, "call.moveMember", { ...of, toChannelId: channel.id }, owner.accessToken)),
    ).toBe("CHANNEL_NOT_FOUND");
    await must(url, "call.moveMember", { ...of, toChannelId: there }, owner.accessToken);
    await joined.signal.closed;
    await vi.waitFor(() =>
      expect(listener.received).toContainEqual({
        name: "call.moved",
        payload: { channelId: channel.id, callId: joined.call.id, toChannelId: there },
      }),
    );
    listener.socket.close();
    expect(await userIds(owner)).toEqual([owner.userId]);
    const { entries } = await must(url, "group.auditLog", { groupId: group.id }, owner.accessToken);
    expect(entries.map(({ action }) => action).slice(0, 3)).toEqual([
      "call.moveMember",
      "call.muteMember",
      "call.muteMember",
    ]);
  });

  test("a moderator can't mute or remove those who stand above", async () => {
    const { owner, member, target, channel, group } = world;
    const give = async (person: Person, name: string, permissions: number) => {
      const role = { groupId: group.id, name, permissions };
      const { role: created } = await must(url, "role.create", role, owner.accessToken);
      const assigned = { groupId: group.id, userId: person.userId, roleId: created.id };
      await must(url, "role.assign", assigned, owner.accessToken);
    };
    // A new role is the lowest.
    await give(target, "Admins", PERMISSIONS.muteMembers);
    await give(member, "Moderators", PERMISSIONS.muteMembers | PERMISSIONS.moveMembers);
    for (const person of [owner, member, target]) await joinCall(url, channel.id, person);
    for (const { userId } of [owner, target]) {
      const of = { channelId: channel.id, userId };
      const moved = { ...of, toChannelId: null };
      expect(await errorOf(post(url, "call.muteMember", of, member.accessToken))).toBe("FORBIDDEN");
      expect(await errorOf(post(url, "call.moveMember", moved, member.accessToken))).toBe("FORBIDDEN");
    }
    const below = { channelId: channel.id, userId: member.userId };
    await must(url, "call.muteMember", below, target.accessToken);
    await must(url, "call.muteMember", below, member.accessToken);
  });

  test("changed permissions apply to users who are in a call", async () => {
    const { owner, target, channel, group } = world;
    const rooms = new RoomServiceClient(calls.livekit.serverUrl, KEY, SECRET);
    const { call: started } = await joinCall(url, channel.id, target);
    const sources = async () => {
      const [participant] = await rooms.listParticipants(`fanfare_${started.id}`);
      return participant!.permission!.canPublishSources;
    };
    const { MICROPHONE, CAMERA, SCREEN_SHARE, SCREEN_SHARE_AUDIO } = TrackSource;
    const all = [MICROPHONE, CAMERA, SCREEN_SHARE, SCREEN_SHARE_AUDIO].toSorted((a, b) => a - b);
    await vi.waitFor(async () => expect((await sources()).toSorted((a, b) => a - b)).toEqual(all));
    const mute = { groupId: group.id, userId: target.userId };
    await must(url, "group.mute", { ...mute, durationMs: 60_000 }, owner.accessToken);
    await vi.waitFor(async () => expect(await sources()).not.toContain(MICROPHONE));
    await must(url, "group.unmute", mute, owner.accessToken);
    await vi.waitFor(async () => expect(await sources()).toContain(MICROPHONE));
    const of = { channelId: channel.id, userId: target.userId };
    await must(url, "call.muteMember", of, owner.accessToken);
    expect(await sources()).not.toContain(MICROPHONE);
    const override = { channelId: channel.id, target: { type: "everyone" } as const, allow: 0 };
    const { video, shareScreen } = PERMISSIONS;
    await must(url, "channel.setOverride", { ...override, deny: video | shareScreen }, owner.accessToken);
    await vi.waitFor(async () => {
      const [participant] = await rooms.listParticipants(`fanfare_${started.id}`);
      expect(participant!.permission!.canPublish).toBe(false);
    });
  });

  test("leaving and joining again doesn't unmute", async () => {
    const { owner, target, channel } = world;
    await joinCall(url, channel.id, owner);
    await joinCall(url, channel.id, target);
    const of = { channelId: channel.id, userId: target.userId };
    await must(url, "call.muteMember", of, owner.accessToken);
    await must(url, "call.leave", { channelId: channel.id }, target.accessToken);
    const { token } = await must(url, "call.join", { channelId: channel.id }, target.accessToken);
    expect(grantsOf(token).canPublishSources).not.toContain("microphone");
  });

  test("a token has the least rights", async () => {
    const { muted, member, channel } = world;
    const { token, call: started } = await must(
      url,
      "call.join",
      { channelId: channel.id },
      member.accessToken,
    );
    expect(grantsOf(token)).toEqual({
      roomJoin: true,
      room: `fanfare_${started.id}`,
      canSubscribe: true,
      canPublish: true,
      canPublishSources: ["microphone", "camera", "screen_share", "screen_share_audio"],
      canPublishData: false,
      canUpdateOwnMetadata: false,
    });
    const ofMuted = await must(url, "call.join", { channelId: channel.id }, muted.accessToken);
    expect(grantsOf(ofMuted.token).canPublishSources).toEqual(["camera", "screen_share"]);
  });

  test("an unanswered call in a direct channel rings, and leaves a message about a missed call", async () => {
    const [ada, bob] = await Promise.all([createGuest(url), createGuest(url)]);
    const { invite } = await must(url, "invite.create", { groupId: world.group.id }, world.owner.accessToken);
    for (const { accessToken } of [ada, bob])
      await must(url, "invite.accept", { code: invite.code }, accessToken);
    const channelId = await directOf(ada, bob);
    const listener = new Listener(url, bob);
    await listener.ready;
    const { call: started } = await joinCall(url, channelId, ada);
    const rang = { channelId, callId: started.id, fromUserId: ada.userId };
    await vi.waitFor(() =>
      expect(listener.received).toContainEqual({
        name: "call.rang",
        payload: { ...rang, untilAt: expect.any(String) },
      }),
    );
    await must(url, "call.leave", { channelId }, ada.accessToken);
    await vi.waitFor(async () => {
      expect(listener.received).toContainEqual({
        name: "call.ringEnded",
        payload: { channelId, callId: started.id, reason: "ended" },
      });
      expect((await newest(bob, channelId)).call).toMatchObject({ missed: true });
    });
    const again = await joinCall(url, channelId, ada);
    await must(url, "call.decline", { channelId }, bob.accessToken);
    const answered = await joinCall(url, channelId, bob);
    expect(answered.call.id).toBe(again.call.id);
    expect(await errorOf(post(url, "call.ring", { channelId }, ada.accessToken))).toBe("NOT_REACHABLE");
    await must(url, "call.end", { channelId }, bob.accessToken);
    await again.signal.closed;
    const ended = await newest(bob, channelId);
    expect(ended.call).toMatchObject({ missed: false });
    listener.socket.close();
  });

  test("no one can be rung without end", async () => {
    const { member, target } = world;
    const channelId = await directOf(member, target);
    const listener = new Listener(url, target);
    await listener.ready;
    for (let times = 0; times < 15; times += 1) {
      await must(url, "call.join", { channelId }, member.accessToken);
      await must(url, "call.leave", { channelId }, member.accessToken);
    }
    await listener.settle();
    expect(listener.received.filter(({ name }) => name === "call.rang")).toHaveLength(10);
    listener.socket.close();
  });

  test("a blocked user can't call", async () => {
    const { member, target } = world;
    const channelId = await directOf(member, target);
    await must(url, "user.block", { userId: member.userId }, target.accessToken);
    expect(await errorOf(post(url, "call.join", { channelId }, member.accessToken))).toBe("FORBIDDEN");
  });

  test("a call ends with its channel", async () => {
    const { owner, member } = world;
    const channelId = await channelOf("text");
    const { signal } = await joinCall(url, channelId, member);
    await must(url, "channel.delete", { channelId }, owner.accessToken);
    await signal.closed;
    expect(await call(member, channelId)).toBeUndefined();
  });

  test("forged webhooks are refused", async () => {
    const { member, channel } = world;
    const { call: started } = await joinCall(url, channel.id, member);
    const send = (secret: string, body = "{}", signed = body) => sendWebhook(body, signature(signed, secret));
    expect(await send("another secret of 32 or more characters")).toBe(401);
    expect(await send(SECRET, '{"event":"room_finished"}', "{}")).toBe(401);
    expect(await sendWebhook("{}", "nonsense")).toBe(401);
    expect(await send(SECRET)).toBe(204);
    expect(await signedWebhook("room_finished", started.id, member.userId)).toBe(204);
    await vi.waitFor(async () => expect(await userIds(member)).toEqual([member.userId]));
  });

  test("calls survive a restart of the server", async () => {
    const { owner, member, channel } = world;
    const { call: started } = await joinCall(url, channel.id, member);
    await vi.waitFor(async () => expect(await userIds(owner)).toEqual([member.userId]));
    await calls.instance.restart();
    await vi.waitFor(async () => expect((await call(owner))?.id).toBe(started.id));
    await must(url, "call.leave", { channelId: channel.id }, member.accessToken);
    expect(await call(owner)).toBeUndefined();
  });

  const signature = (body: string, secret: string): string => {
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
    const sha256 = createHash("sha256").update(body).digest("base64");
    const exp = Math.floor(Date.now() / 1000) + 300;
    const claims = { iss: "test-key", exp, nbf: exp - 600, sha256 };
    const content = `${encode({ alg: "HS256", typ: "JWT" })}.${encode(claims)}`;
    return `${content}.${createHmac("sha256", secret).update(content).digest("base64url")}`;
  };
  const sendWebhook = async (body: string, authorization: string) =>
    (
      await fetch(`${url}/api/livekit/webhook`, {
        method: "POST",
        headers: { authorization, "content-type": "application/webhook+json" },
        body,
      })
    ).status;
  const signedWebhook = (event: string, callId: string, identity: string) => {
    const body = JSON.stringify({
      event,
      room: { name: `fanfare_${callId}` },
      participant: { identity },
      id: "EV_test",
      createdAt: "1700000000",
    });
    return sendWebhook(body, signature(body, SECRET));
  };
});

/** The grants in a token. */
function grantsOf(token: string): Record<string, unknown> {
  const claims = JSON.parse(Buffer.from(token.split(".")[1]!, "base64url").toString()) as {
    video: Record<string, unknown>;
  };
  return claims.video;
}

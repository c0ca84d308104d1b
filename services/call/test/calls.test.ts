import { createHash, createHmac } from "node:crypto";
import { type EventPayload, LIMITS, PERMISSIONS } from "@fanfare/contract";
import { createGuest, hasLiveKit, must, type Person, post } from "@fanfare/testing";
import { RoomServiceClient, TrackSource } from "livekit-server-sdk";
import { describe, expect, test, vi } from "vitest";
import { Listener } from "../../../test/integration/listener.ts";
import { KEY, SECRET } from "../../../test/support/livekit.ts";
import { connectSignal, errorOf, joinCall, useCalls } from "./support.ts";

// With a real LiveKit server. Participants only exchange signals with it; test/e2e has browsers with media.

describe.skipIf(!hasLiveKit())("calls", () => {
  const site = useCalls();
  const call = (person: Person, channelId = site.world.channel.id) => site.callIn(channelId, person);
  const userIds = (person: Person, channelId = site.world.channel.id) => site.userIdsIn(channelId, person);
  const newest = async (person: Person, channelId = site.world.channel.id) =>
    (await site.messagesIn(channelId, person)).at(-1)!;

  test("members join a call, are listed in it and leave; a message remains", async () => {
    const { owner, member, target, channel } = site.world;
    const listener = new Listener(site.url, target);
    await listener.ready;
    const first = await joinCall(site.url, channel.id, owner);
    await vi.waitFor(async () => expect(await userIds(target)).toEqual([owner.userId]));
    const second = await joinCall(site.url, channel.id, member);
    expect(second.call.id).toBe(first.call.id);
    await vi.waitFor(async () => expect(await userIds(target)).toEqual([owner.userId, member.userId]));
    // Those who follow the events have what those have who ask.
    await vi.waitFor(async () =>
      expect(listener.received.findLast(({ name }) => name === "call.updated")?.payload).toEqual({
        call: await call(target),
      }),
    );
    await must(site.url, "call.leave", { channelId: channel.id }, owner.accessToken);
    await first.signal.closed;
    await vi.waitFor(async () => expect(await userIds(target)).toEqual([member.userId]));
    await must(site.url, "call.leave", { channelId: channel.id }, member.accessToken);
    await vi.waitFor(async () => expect(await call(target)).toBeUndefined());
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
    expect(await errorOf(post(site.url, "message.edit", edit, owner.accessToken))).toBe("FORBIDDEN");
  });

  test("a voice channel has no messages about its calls", async () => {
    const channelId = await site.channelOf("voice");
    const { signal } = await joinCall(site.url, channelId, site.world.member);
    await vi.waitFor(async () =>
      expect(await userIds(site.world.owner, channelId)).toEqual([site.world.member.userId]),
    );
    await must(site.url, "call.leave", { channelId }, site.world.member.accessToken);
    await signal.closed;
    await vi.waitFor(async () => expect(await call(site.world.owner, channelId)).toBeUndefined());
    expect(await site.messagesIn(channelId, site.world.owner)).toEqual([]);
  });

  test("who joins another call leaves the first", async () => {
    const [first, second] = await Promise.all([site.channelOf("voice"), site.channelOf("voice")]);
    const { signal } = await joinCall(site.url, first, site.world.member);
    await joinCall(site.url, second, site.world.member);
    await signal.closed;
    await vi.waitFor(async () => {
      expect(await userIds(site.world.owner, second)).toEqual([site.world.member.userId]);
      expect(await call(site.world.owner, first)).toBeUndefined();
    });
  });

  test("no one joins a call in a channel they can't see, or lists it", async () => {
    const { owner, member, stranger } = site.world;
    const channelId = await site.channelOf("voice", { private: true });
    await joinCall(site.url, channelId, owner);
    await vi.waitFor(async () => expect(await userIds(owner, channelId)).toEqual([owner.userId]));
    for (const person of [member, stranger]) {
      expect(await errorOf(post(site.url, "call.join", { channelId }, person.accessToken))).toBe(
        "CHANNEL_NOT_FOUND",
      );
      expect(await call(person, channelId)).toBeUndefined();
    }
  });

  test("calls in channels that a user can't see don't take the place of others in the list", async () => {
    const { owner, member, group, channel } = site.world;
    const hidden = Array.from({ length: LIMITS.callsListed }, (_, number) => ({
      channelId: `hidden ${number}`,
      openIn: `hidden ${number}`,
      groupId: group.id,
      rooms: [`channel:hidden ${number}`],
      participantCount: 1,
      checkAt: new Date(Date.now() + 3_600_000),
    }));
    await site.instance.collection("calls").insertMany(hidden);
    try {
      await joinCall(site.url, channel.id, owner);
      await vi.waitFor(async () => expect(await userIds(member)).toEqual([owner.userId]));
    } finally {
      await site.instance.collection("calls").deleteMany({ openIn: /^hidden/ });
    }
  });

  test("a kicked member leaves at once, and can't come back with the token", async () => {
    const { owner, member, target, channel, group } = site.world;
    await joinCall(site.url, channel.id, owner);
    const kicked = await joinCall(site.url, channel.id, target);
    await vi.waitFor(async () => expect(await userIds(member)).toContain(target.userId));
    await must(site.url, "group.kick", { groupId: group.id, userId: target.userId }, owner.accessToken);
    await kicked.signal.closed;
    await vi.waitFor(async () => expect(await userIds(member)).toEqual([owner.userId]));
    // LiveKit itself still accepts the token.
    const again = await connectSignal(kicked);
    await signedWebhook("participant_joined", kicked.call.id, target.userId);
    await again.closed;
    expect(await userIds(member)).toEqual([owner.userId]);
  });

  test("everyone hears that a call has ended from which the last one was kicked", async () => {
    const { owner, member, target, channel, group } = site.world;
    const listener = new Listener(site.url, member);
    await listener.ready;
    const { call: started } = await joinCall(site.url, channel.id, target);
    await vi.waitFor(async () => expect(await userIds(member)).toEqual([target.userId]));
    await must(site.url, "group.kick", { groupId: group.id, userId: target.userId }, owner.accessToken);
    const payload = { channelId: channel.id, callId: started.id };
    await vi.waitFor(() => expect(listener.received).toContainEqual({ name: "call.ended", payload }));
  });

  test("an earlier token lets no one in once its user has joined again", async () => {
    const { member, target, channel } = site.world;
    const earlier = await joinCall(site.url, channel.id, target);
    const { call: joined, signal } = await joinCall(site.url, channel.id, target);
    await earlier.signal.closed;
    await vi.waitFor(async () => expect(await userIds(member)).toEqual([target.userId]));
    const again = await connectSignal(earlier);
    await signal.closed;
    await signedWebhook("participant_joined", joined.id, target.userId);
    await again.closed;
  });

  test("who loses the permission to connect leaves, and who loses the one to speak stays", async () => {
    const { owner, member, target, channel } = site.world;
    const first = await joinCall(site.url, channel.id, member);
    const second = await joinCall(site.url, channel.id, target);
    await vi.waitFor(async () => expect(await userIds(owner)).toHaveLength(2));
    await site.deny(channel.id, target, PERMISSIONS.speak);
    await site.deny(channel.id, member, PERMISSIONS.connect);
    await first.signal.closed;
    await vi.waitFor(async () => expect(await userIds(owner)).toEqual([target.userId]));
    second.signal.close();
  });

  test("who logs out leaves the call", async () => {
    const { owner, member, channel } = site.world;
    const { signal } = await joinCall(site.url, channel.id, member);
    await vi.waitFor(async () => expect(await userIds(owner)).toEqual([member.userId]));
    await must(site.url, "user.logout", {}, member.accessToken);
    await signal.closed;
    await vi.waitFor(async () => expect(await userIds(owner)).toEqual([]));
  });

  test("a moderator mutes, removes and moves members, and members don't", async () => {
    const { owner, member, target, channel, group } = site.world;
    const there = await site.channelOf("voice");
    const joined = await joinCall(site.url, channel.id, target);
    await joinCall(site.url, channel.id, owner);
    await vi.waitFor(async () => expect(await userIds(owner)).toHaveLength(2));
    const of = { channelId: channel.id, userId: target.userId };
    expect(await errorOf(post(site.url, "call.muteMember", of, member.accessToken))).toBe("FORBIDDEN");
    expect(
      await errorOf(post(site.url, "call.moveMember", { ...of, toChannelId: null }, member.accessToken)),
    ).toBe("FORBIDDEN");
    await must(site.url, "call.muteMember", of, owner.accessToken);
    const isMuted = async () =>
      (await call(owner))?.participants.find(({ userId }) => userId === target.userId)?.isMutedByModerator;
    expect(await isMuted()).toBe(true);
    await must(site.url, "call.muteMember", { ...of, isMuted: false }, owner.accessToken);
    expect(await isMuted()).toBe(false);
    const listener = new Listener(site.url, target);
    await listener.ready;
    expect(
      await errorOf(post(site.url, "call.moveMember", { ...of, toChannelId: channel.id }, owner.accessToken)),
    ).toBe("CHANNEL_NOT_FOUND");
    await must(site.url, "call.moveMember", { ...of, toChannelId: there }, owner.accessToken);
    await joined.signal.closed;
    await vi.waitFor(() =>
      expect(listener.received).toContainEqual({
        name: "call.moved",
        payload: { channelId: channel.id, callId: joined.call.id, toChannelId: there },
      }),
    );
    listener.socket.close();
    expect(await userIds(owner)).toEqual([owner.userId]);
    const { entries } = await must(site.url, "group.auditLog", { groupId: group.id }, owner.accessToken);
    expect(entries.map(({ action }) => action).slice(0, 3)).toEqual([
      "call.moveMember",
      "call.muteMember",
      "call.muteMember",
    ]);
  });

  test("a moderator can't mute or remove those who stand above", async () => {
    const { owner, member, target, channel, group } = site.world;
    const give = async (person: Person, name: string, permissions: number) => {
      const role = { groupId: group.id, name, permissions };
      const { role: created } = await must(site.url, "role.create", role, owner.accessToken);
      const assigned = { groupId: group.id, userId: person.userId, roleId: created.id };
      await must(site.url, "role.assign", assigned, owner.accessToken);
    };
    // A new role is the lowest.
    await give(target, "Admins", PERMISSIONS.muteMembers);
    await give(member, "Moderators", PERMISSIONS.muteMembers | PERMISSIONS.moveMembers);
    for (const person of [owner, member, target]) await joinCall(site.url, channel.id, person);
    for (const { userId } of [owner, target]) {
      const of = { channelId: channel.id, userId };
      const moved = { ...of, toChannelId: null };
      expect(await errorOf(post(site.url, "call.muteMember", of, member.accessToken))).toBe("FORBIDDEN");
      expect(await errorOf(post(site.url, "call.moveMember", moved, member.accessToken))).toBe("FORBIDDEN");
    }
    const below = { channelId: channel.id, userId: member.userId };
    await must(site.url, "call.muteMember", below, target.accessToken);
    await must(site.url, "call.muteMember", below, member.accessToken);
  });

  test("changed permissions apply to users who are in a call", async () => {
    const { owner, target, channel, group } = site.world;
    const rooms = new RoomServiceClient(site.livekit.serverUrl, KEY, SECRET);
    const { call: started } = await joinCall(site.url, channel.id, target);
    const sources = async () => {
      const [participant] = await rooms.listParticipants(`fanfare_${started.id}`);
      return participant!.permission!.canPublishSources;
    };
    const { MICROPHONE, CAMERA, SCREEN_SHARE, SCREEN_SHARE_AUDIO } = TrackSource;
    const all = [MICROPHONE, CAMERA, SCREEN_SHARE, SCREEN_SHARE_AUDIO].toSorted((a, b) => a - b);
    await vi.waitFor(async () => expect((await sources()).toSorted((a, b) => a - b)).toEqual(all));
    const mute = { groupId: group.id, userId: target.userId };
    await must(site.url, "group.mute", { ...mute, durationMs: 60_000 }, owner.accessToken);
    await vi.waitFor(async () => expect(await sources()).not.toContain(MICROPHONE));
    await must(site.url, "group.unmute", mute, owner.accessToken);
    await vi.waitFor(async () => expect(await sources()).toContain(MICROPHONE));
    const of = { channelId: channel.id, userId: target.userId };
    await must(site.url, "call.muteMember", of, owner.accessToken);
    expect(await sources()).not.toContain(MICROPHONE);
    const override = { channelId: channel.id, target: { type: "everyone" } as const, allow: 0 };
    const { video, shareScreen } = PERMISSIONS;
    await must(
      site.url,
      "channel.setOverride",
      { ...override, deny: video | shareScreen },
      owner.accessToken,
    );
    await vi.waitFor(async () => {
      const [participant] = await rooms.listParticipants(`fanfare_${started.id}`);
      expect(participant!.permission!.canPublish).toBe(false);
    });
  });

  test("leaving and joining again doesn't unmute", async () => {
    const { owner, target, channel } = site.world;
    await joinCall(site.url, channel.id, owner);
    await joinCall(site.url, channel.id, target);
    const of = { channelId: channel.id, userId: target.userId };
    await must(site.url, "call.muteMember", of, owner.accessToken);
    await must(site.url, "call.leave", { channelId: channel.id }, target.accessToken);
    const { token } = await must(site.url, "call.join", { channelId: channel.id }, target.accessToken);
    expect(grantsOf(token).canPublishSources).not.toContain("microphone");
  });

  test("a token has the least rights", async () => {
    const { muted, member, channel } = site.world;
    const { token, call: started } = await must(
      site.url,
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
    const ofMuted = await must(site.url, "call.join", { channelId: channel.id }, muted.accessToken);
    expect(grantsOf(ofMuted.token).canPublishSources).toEqual(["camera", "screen_share"]);
  });

  test("an unanswered call in a direct channel rings, and leaves a message about a missed call", async () => {
    const [ada, bob] = await Promise.all([createGuest(site.url), createGuest(site.url)]);
    const { invite } = await must(
      site.url,
      "invite.create",
      { groupId: site.world.group.id },
      site.world.owner.accessToken,
    );
    for (const { accessToken } of [ada, bob])
      await must(site.url, "invite.accept", { code: invite.code }, accessToken);
    const channelId = await site.directOf(ada, bob);
    const [listener, caller] = [new Listener(site.url, bob), new Listener(site.url, ada)];
    await Promise.all([listener.ready, caller.ready]);
    const statesSeenByCaller = () =>
      caller.received
        .filter(({ name }) => name === "ring.changed")
        .map(({ payload }) => payload as EventPayload<"ring.changed">)
        .map(({ userId, state }) => (userId === bob.userId ? state : userId));
    const { call: started } = await joinCall(site.url, channelId, ada);
    const rang = { channelId, callId: started.id, fromUserId: ada.userId };
    await vi.waitFor(() =>
      expect(listener.received).toContainEqual({
        name: "call.rang",
        payload: { ...rang, untilAt: expect.any(String) },
      }),
    );
    await must(site.url, "call.leave", { channelId }, ada.accessToken);
    await vi.waitFor(async () => {
      expect(listener.received).toContainEqual({
        name: "call.ringEnded",
        payload: { channelId, callId: started.id, reason: "ended" },
      });
      expect((await newest(bob, channelId)).call).toMatchObject({ missed: true });
    });
    await vi.waitFor(() => expect(statesSeenByCaller()).toEqual(["ringing", "ended"]));
    const again = await joinCall(site.url, channelId, ada);
    await must(site.url, "call.decline", { channelId }, bob.accessToken);
    await vi.waitFor(() => expect(statesSeenByCaller()).toEqual(["ringing", "ended", "ringing", "declined"]));
    await must(site.url, "call.ring", { channelId }, ada.accessToken);
    const answered = await joinCall(site.url, channelId, bob);
    expect(answered.call.id).toBe(again.call.id);
    expect(await errorOf(post(site.url, "call.ring", { channelId }, ada.accessToken))).toBe("NOT_REACHABLE");
    await must(site.url, "call.end", { channelId }, bob.accessToken);
    await again.signal.closed;
    const ended = await newest(bob, channelId);
    expect(ended.call).toMatchObject({ missed: false });
    await vi.waitFor(() => expect(statesSeenByCaller().slice(4)).toEqual(["ringing", "answered"]));
    for (const { socket } of [listener, caller]) socket.close();
  });

  test("no one can be rung without end", async () => {
    const { member, target } = site.world;
    const channelId = await site.directOf(member, target);
    const listener = new Listener(site.url, target);
    await listener.ready;
    for (let times = 0; times < 15; times += 1) {
      await must(site.url, "call.join", { channelId }, member.accessToken);
      await must(site.url, "call.leave", { channelId }, member.accessToken);
      const ongoing = site.instance.collection("calls");
      await vi.waitFor(async () => expect(await ongoing.countDocuments({ openIn: channelId })).toBe(0));
    }
    await listener.settle();
    expect(listener.received.filter(({ name }) => name === "call.rang")).toHaveLength(10);
    listener.socket.close();
  });

  test("a blocked user can't call", async () => {
    const { member, target } = site.world;
    const channelId = await site.directOf(member, target);
    await must(site.url, "user.block", { userId: member.userId }, target.accessToken);
    expect(await errorOf(post(site.url, "call.join", { channelId }, member.accessToken))).toBe("FORBIDDEN");
  });

  test("a block ends the call of a direct channel at once", async () => {
    const { member, target } = site.world;
    const channelId = await site.directOf(member, target);
    const joined = [await joinCall(site.url, channelId, member), await joinCall(site.url, channelId, target)];
    await vi.waitFor(async () => expect(await userIds(member, channelId)).toHaveLength(2));
    await site.instance.collection("jobs").deleteMany({ kind: "call.check" });
    await must(site.url, "user.block", { userId: member.userId }, target.accessToken);
    await Promise.all(joined.map(({ signal }) => signal.closed));
    await vi.waitFor(async () => expect((await newest(target, channelId)).call?.missed).toBe(false));
  });

  test("a call ends with its channel", async () => {
    const { owner, member } = site.world;
    const channelId = await site.channelOf("text");
    const { signal } = await joinCall(site.url, channelId, member);
    await must(site.url, "channel.delete", { channelId }, owner.accessToken);
    await signal.closed;
    expect(await call(member, channelId)).toBeUndefined();
  });

  test("forged webhooks are refused", async () => {
    const { member, channel } = site.world;
    const { call: started } = await joinCall(site.url, channel.id, member);
    const send = (secret: string, body = "{}", signed = body) => sendWebhook(body, signature(signed, secret));
    expect(await send("another secret of 32 or more characters")).toBe(401);
    expect(await send(SECRET, '{"event":"room_finished"}', "{}")).toBe(401);
    expect(await sendWebhook("{}", "nonsense")).toBe(401);
    expect(await send(SECRET)).toBe(204);
    expect(await signedWebhook("room_finished", started.id, member.userId)).toBe(204);
    await vi.waitFor(async () => expect(await userIds(member)).toEqual([member.userId]));
  });

  test("calls survive a restart of the server", async () => {
    const { owner, member, channel } = site.world;
    const { call: started } = await joinCall(site.url, channel.id, member);
    await vi.waitFor(async () => expect(await userIds(owner)).toEqual([member.userId]));
    await site.instance.restart();
    await vi.waitFor(async () => expect((await call(owner))?.id).toBe(started.id));
    await must(site.url, "call.leave", { channelId: channel.id }, member.accessToken);
    await vi.waitFor(async () => expect(await call(owner)).toBeUndefined());
  });

  const signature = (body: string, secret: string): string => {
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
    const sha256 = createHash("sha256").update(body).digest("base64");
    const exp = Math.floor(Date.now() / 1000) + 300;
    const claims = { iss: KEY, exp, nbf: exp - 600, sha256 };
    const content = `${encode({ alg: "HS256", typ: "JWT" })}.${encode(claims)}`;
    return `${content}.${createHmac("sha256", secret).update(content).digest("base64url")}`;
  };
  const sendWebhook = async (body: string, authorization: string) =>
    (
      await fetch(`${site.url}/api/livekit/webhook`, {
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

import {
  AudioFrame,
  AudioSource,
  AudioStream,
  DisconnectReason,
  LocalAudioTrack,
  Room,
  RoomEvent,
  TrackPublishOptions,
  TrackSource,
  type RemoteTrack,
} from "@livekit/rtc-node";
import { FanfareClient } from "@fanfare/client";
import type { EventName, EventPayload, OngoingCall } from "@fanfare/contract";
import {
  createAccount,
  createWorld,
  freePort,
  hasLiveKit,
  must,
  post,
  type LiveKitServer,
  type Person,
  type World,
} from "@fanfare/testing";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startInstance, type Instance } from "../support/instance.ts";
import { startCallServer } from "../support/livekit.ts";

// Users in calls of a real LiveKit, with real audio.

const SAMPLE_RATE = 48_000;
const FRAME_SAMPLES = SAMPLE_RATE / 100;
const TONE_HZ = 440;
const VOLUME = 8000;

let livekit: LiveKitServer;
let instance: Instance;
let world: World;
let voiceId: string;
const opened: { close(): Promise<unknown> | void }[] = [];

/** Ends what a test has opened. */
const later = <T extends { close(): Promise<unknown> | void }>(one: T): T => {
  opened.push(one);
  return one;
};

describe.skipIf(!hasLiveKit())("calls", () => {
  beforeAll(async () => {
    const started = await startCallServer();
    livekit = started.livekit;
    instance = await startInstance({ ...started.env, OPS_PORT: String(await freePort()) });
  });
  afterAll(async () => {
    await instance?.stop();
    await livekit?.stop();
  });

  beforeEach(async () => {
    world = await createWorld(instance.url);
    const create = { groupId: world.group.id, name: "Lounge", kind: "voice" } as const;
    voiceId = (await must(instance.url, "channel.create", create, world.owner.accessToken)).channel.id;
  });
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
  });

  test("members hear each other, and everyone sees who is in the call and who speaks", async () => {
    const watcher = await watch(world.target);
    const owner = await join(world.owner, voiceId);
    const member = await join(world.member, voiceId);
    await owner.speak();
    await expect.poll(() => member.loudest()).toBeGreaterThan(VOLUME / 2);

    const shown = () => watcher.last("call.updated")?.call;
    await expect.poll(() => idsOf(shown())).toEqual([world.owner.userId, world.member.userId]);
    await expect.poll(() => shown()?.participants.map((one) => one.isMicrophoneOn)).toEqual([true, false]);
    expect(await listCalls(world.target)).toEqual([shown()]);
    expect(await listCalls(world.stranger)).toEqual([]);

    await leave(world.member, voiceId);
    await expect.poll(() => idsOf(shown())).toEqual([world.owner.userId]);
    expect(await member.disconnected).toBe(DisconnectReason.PARTICIPANT_REMOVED);
    await leave(world.owner, voiceId);
    await expect.poll(() => watcher.last("call.ended")?.channelId).toBe(voiceId);
    expect(await listCalls(world.target)).toEqual([]);
  });

  test("those outside of the call hear who speaks, as long as the microphone is on", async () => {
    const watcher = await watch(world.target);
    const owner = await join(world.owner, voiceId);
    await join(world.member, voiceId);
    await owner.speak();
    const report = ({ accessToken }: Person, isSpeaking = true) =>
      post(instance.url, "call.setSpeaking", { channelId: voiceId, isSpeaking }, accessToken);
    const shown = () => watcher.last("call.updated")?.call.participants.map((one) => one.isMicrophoneOn);
    await expect.poll(shown).toEqual([true, false]);
    expect(await report(world.target)).toMatchObject({ error: { type: "CALL_NOT_FOUND" } });
    // Their microphone is off.
    expect(await report(world.member)).toMatchObject({ ok: true });
    expect(await report(world.owner)).toMatchObject({ ok: true });
    const speakers = () => watcher.last("speaking.changed")?.speakers;
    await expect.poll(speakers).toEqual([{ userId: world.owner.userId, isSpeaking: true }]);
    await report(world.owner, false);
    await expect.poll(speakers).toEqual([{ userId: world.owner.userId, isSpeaking: false }]);
  });

  test("a kicked member leaves the call at once, and can't come back with the token", async () => {
    const owner = await join(world.owner, voiceId);
    const member = await join(world.member, voiceId);
    const kick = { groupId: world.group.id, userId: world.member.userId };
    await must(instance.url, "group.kick", kick, world.owner.accessToken);
    expect(await member.disconnected).toBe(DisconnectReason.PARTICIPANT_REMOVED);

    const again = later(new Participant(member.url, member.token));
    await again.connect().catch(() => undefined);
    await again.disconnected;
    await expect.poll(() => owner.others()).toEqual([]);
    const { error } = (await post(
      instance.url,
      "call.join",
      { channelId: voiceId },
      world.member.accessToken,
    )) as {
      error: { type: string };
    };
    expect(error.type).toBe("CHANNEL_NOT_FOUND");
  });

  test("muted members can listen, but not speak", async () => {
    const owner = await join(world.owner, voiceId);
    const muted = await join(world.muted, voiceId);
    await owner.speak();
    await expect.poll(() => muted.loudest()).toBeGreaterThan(VOLUME / 2);
    await expect(muted.speak()).rejects.toThrow(/publi/);
  });

  test("a moderator mutes a user in the call, and lets them speak again", async () => {
    const watcher = await watch(world.target);
    await join(world.owner, voiceId);
    const member = await join(world.member, voiceId);
    await member.speak();
    const states = () =>
      watcher
        .last("call.updated")
        ?.call.participants.filter(({ userId }) => userId === world.member.userId)
        .map(({ isMicrophoneOn, isMutedByModerator }) => ({ isMicrophoneOn, isMutedByModerator }));
    await expect.poll(states).toEqual([{ isMicrophoneOn: true, isMutedByModerator: false }]);
    const mute = { channelId: voiceId, userId: world.member.userId };
    await must(instance.url, "call.muteMember", mute, world.owner.accessToken);
    await expect.poll(states).toEqual([{ isMicrophoneOn: false, isMutedByModerator: true }]);

    await must(instance.url, "call.muteMember", { ...mute, isMuted: false }, world.owner.accessToken);
    await expect
      .poll(() =>
        member.speak().then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    await expect.poll(states).toEqual([{ isMicrophoneOn: true, isMutedByModerator: false }]);
  });

  test("a call in a text channel ends with a message when the last one leaves", async () => {
    const channelId = world.channel.id;
    await join(world.owner, channelId);
    await join(world.member, channelId);
    await expect.poll(async () => (await listCalls(world.target))[0]?.participantCount).toBe(2);
    await leave(world.owner, channelId);
    await leave(world.member, channelId);
    const participantUserIds = [world.owner.userId, world.member.userId];
    await expect
      .poll(() => lastMessage(channelId, world.target))
      .toMatchObject({ authorId: world.owner.userId, call: { participantUserIds, missed: false } });
  });

  test("a call in a direct channel rings, and is a missed call if no one answers", async () => {
    const [caller, callee] = [await createAccount(instance.url), await createAccount(instance.url)];
    const params = { userId: callee.userId };
    const { channel } = await must(instance.url, "channel.openDirect", params, caller.accessToken);
    const phone = await watch(callee);
    await join(caller, channel.id);
    await expect
      .poll(() => phone.last("call.rang"))
      .toMatchObject({ channelId: channel.id, fromUserId: caller.userId });
    await leave(caller, channel.id);
    await expect.poll(() => phone.last("call.ringEnded")?.reason).toBe("ended");
    await expect.poll(() => lastMessage(channel.id, callee)).toMatchObject({ call: { missed: true } });

    await join(caller, channel.id);
    await join(callee, channel.id);
    await expect.poll(() => phone.last("call.ringEnded")?.reason).toBe("answered");
    await expect.poll(() => phone.last("call.updated")?.call.participantCount).toBe(2);
    await must(instance.url, "call.end", { channelId: channel.id }, callee.accessToken);
    await expect.poll(() => lastMessage(channel.id, callee)).toMatchObject({ call: { missed: false } });
  });

  test("who joins another call leaves the first", async () => {
    const owner = await join(world.owner, voiceId);
    const member = await join(world.member, voiceId);
    await join(world.member, world.channel.id);
    expect(await member.disconnected).toBe(DisconnectReason.PARTICIPANT_REMOVED);
    await expect.poll(() => owner.others()).toEqual([]);
  });

  test("a call survives a restart of Fanfare", async () => {
    const owner = await join(world.owner, voiceId);
    await instance.restart();
    await expect.poll(async () => (await listCalls(world.target)).map(idsOf)).toEqual([[world.owner.userId]]);
    const member = await join(world.member, voiceId);
    await owner.speak();
    await expect.poll(() => member.loudest()).toBeGreaterThan(VOLUME / 2);
    await expect.poll(async () => (await listCalls(world.target))[0]?.participantCount).toBe(2);
  });

  test("a call survives a restart of LiveKit", async () => {
    const owner = await join(world.owner, voiceId);
    await owner.speak();
    await expect.poll(async () => (await listCalls(world.target))[0]?.participantCount).toBe(1);
    await livekit.kill();
    await livekit.start();
    // The owner's client connects again by itself.
    const member = await join(world.member, voiceId);
    await expect.poll(() => member.loudest()).toBeGreaterThan(VOLUME / 2);
    await expect.poll(async () => (await listCalls(world.target))[0]?.participantCount).toBe(2);
  });
});

const idsOf = (call: OngoingCall | undefined): string[] | undefined =>
  call?.participants.map(({ userId }) => userId);

async function listCalls({ accessToken }: Person): Promise<OngoingCall[]> {
  const { calls } = await must(instance.url, "call.list", {}, accessToken);
  return calls.filter(({ channelId }) => channelId === voiceId || channelId === world.channel.id);
}

async function lastMessage(channelId: string, { accessToken }: Person) {
  const { messages } = await must(instance.url, "message.list", { channelId }, accessToken);
  return messages.toSorted((a, b) => a.seq - b.seq).at(-1);
}

const leave = ({ accessToken }: Person, channelId: string) =>
  must(instance.url, "call.leave", { channelId }, accessToken);

async function join({ accessToken }: Person, channelId: string): Promise<Participant> {
  const { url, token } = await must(instance.url, "call.join", { channelId }, accessToken);
  const participant = later(new Participant(url, token));
  await participant.connect();
  return participant;
}

/** Collects the events that a user receives. */
async function watch(person: Person) {
  const client = new FanfareClient({ url: instance.url });
  const seen = new Map<EventName, unknown>();
  const names = ["call.updated", "speaking.changed", "call.ended", "call.rang", "call.ringEnded"] as const;
  for (const name of names) client.on(name, (payload) => void seen.set(name, payload));
  client.useTokens({ ...person, refreshToken: "" } as never);
  await client.connect();
  return later({
    last: <N extends EventName>(name: N) => seen.get(name) as EventPayload<N> | undefined,
    close: () => client.close(),
  });
}

/** A client of LiveKit. */
class Participant {
  readonly url: string;
  readonly token: string;
  readonly #room = new Room();
  readonly disconnected: Promise<DisconnectReason>;
  #loudest = 0;
  #isClosed = false;

  constructor(url: string, token: string) {
    this.url = url;
    this.token = token;
    this.disconnected = new Promise((resolve) => {
      this.#room.on(RoomEvent.Disconnected, resolve);
    });
    this.#room.on(RoomEvent.TrackSubscribed, (track) => void this.#listen(track));
  }

  connect(): Promise<void> {
    return this.#room.connect(this.url, this.token, { autoSubscribe: true, dynacast: false });
  }

  /** Publishes a tone until the end of the test. */
  async speak(): Promise<void> {
    const source = new AudioSource(SAMPLE_RATE, 1);
    const options = new TrackPublishOptions({ source: TrackSource.SOURCE_MICROPHONE });
    await this.#room.localParticipant!.publishTrack(
      LocalAudioTrack.createAudioTrack("tone", source),
      options,
    );
    void this.#play(source);
  }

  async #play(source: AudioSource): Promise<void> {
    for (let start = 0; !this.#isClosed; start += FRAME_SAMPLES) {
      const samples = Int16Array.from(
        { length: FRAME_SAMPLES },
        (_, at) => VOLUME * Math.sin(((start + at) * 2 * Math.PI * TONE_HZ) / SAMPLE_RATE),
      );
      await source.captureFrame(new AudioFrame(samples, SAMPLE_RATE, 1, FRAME_SAMPLES));
    }
  }

  async #listen(track: RemoteTrack): Promise<void> {
    for await (const { data } of new AudioStream(track))
      this.#loudest = data.reduce((most, sample) => Math.max(most, Math.abs(sample)), this.#loudest);
  }

  loudest = (): number => this.#loudest;
  others = (): string[] => [...this.#room.remoteParticipants.keys()];

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#room.disconnect();
  }
}

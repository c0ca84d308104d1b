import { StoredCopies } from "../../receivers/message-tag.ts";
import { explain } from "../../targets/fanfare/api.ts";
import { createGroup, registerOwner } from "../../targets/fanfare/meeting.ts";
import { Session, tokensOf } from "../../targets/fanfare/session.ts";
import type { RegistrationResult } from "../../targets/registration.ts";
import { measureLoad } from "./load-run.ts";
import { createGuest, doAll, type LoadContext, type LoadScene } from "./load.ts";
import { senderOf, turnOf } from "./loops.ts";
import { Counted, counted, type RequestMemory } from "./request-memory.ts";
import { openSendLoad, type Channel, type People } from "./send-load.ts";

interface SceneChannel extends Channel {
  /** A user with access to the channel. */
  reader: Session;
}

/** Users and channels created for a run, and who sends what where. */
export interface Scene extends Pick<People, "receivers" | "senders"> {
  size: LoadScene;
  registration: RegistrationResult;
  channels: readonly SceneChannel[];
  /** @param turn how many messages this sender has sent before, approximately */
  channelOf(sender: number, turn: number): number;
  /** Removes everything that can be removed from a running server. */
  remove(): Promise<void>;
}

export interface DirectSize {
  senders: number;
  receivers: number;
  /** Receivers who are online. */
  online: number;
}

/** Every sender has a direct channel with every receiver, and writes to each in turn. */
export async function buildDirectScene(context: LoadContext, size: DirectSize): Promise<Scene> {
  const { senders, receivers, online } = size;
  const { target, plan, signal } = context;
  // Guests can only open direct channels with members of their groups.
  const { code } = await target.openMeeting(signal);
  const { users, result } = await doAll(context, "registering guests", senders + receivers, () =>
    createGuest(context),
  );
  await doAll(context, "joining a group", users.length, (index) =>
    target.api.call("invite.accept", { code }, users[index]!.accessToken, signal),
  );
  const sessions = users.map((tokens) => new Session(target.api, tokens));
  const receiving = users.slice(senders);
  const { users: ids } = await doAll(
    context,
    "opening direct channels",
    senders * receivers,
    async (index) => {
      const accessToken = await sessions[Math.floor(index / receivers)]!.token();
      const userId = receiving[index % receivers]!.user.id;
      const { channel } = await target.api.call("channel.openDirect", { userId }, accessToken, signal);
      return channel.id;
    },
  );
  const tokens = await tokensOf(sessions, { concurrency: plan.connecting, signal });
  return {
    size: { users: users.length, senders, online: online + senders, channels: ids.length },
    registration: result,
    receivers: tokens.slice(senders, senders + online),
    senders: tokens.slice(0, senders),
    channels: ids.map((id, i) => {
      const sender = Math.floor(i / receivers);
      const receiver = i % receivers;
      return {
        id,
        reader: sessions[sender]!,
        connections: Int32Array.from([...(receiver < online ? [receiver] : []), online + sender]),
      };
    }),
    channelOf: (sender, turn) => sender * receivers + (turn % receivers),
    // Guests and direct channels can't be removed; the target removes the group.
    remove: async () => {},
  };
}

export interface GroupSize {
  groups: number;
  /** Per group; all groups have the same users. */
  members: number;
  /** Members who send, to one group after the other. */
  senders: number;
  /** Online members, including senders. */
  online: number;
}

/** Several groups with the same members. */
export async function buildGroupScene(context: LoadContext, size: GroupSize): Promise<Scene> {
  const { groups, members, senders, online } = size;
  const { plan, signal } = context;
  const { api } = context.target;
  const owner = await registerOwner(api, signal).catch(explain);
  const { users: meetings } = await doAll(context, "creating groups", groups, async (index) =>
    createGroup(api, `bench ${index + 1}`, await owner.token(), signal),
  );
  const codes = meetings.map(({ code }) => code);
  const { users: guests, result } = await doAll(context, "registering members", members - 1, () =>
    createGuest(context, codes),
  );
  const sessions = [...guests.map((tokens) => new Session(api, tokens)), owner];
  const tokens = await tokensOf(sessions, { concurrency: plan.connecting, signal });
  const allOnline = Int32Array.from({ length: online }, (_, i) => i);
  return {
    size: { users: members, senders, online, channels: groups, groups, members },
    registration: result,
    receivers: tokens.slice(senders, online),
    senders: tokens.slice(0, senders),
    channels: meetings.map(({ channelId }) => ({
      id: channelId,
      reader: owner,
      connections: allOnline,
    })),
    // Senders start with different groups.
    channelOf: (sender, turn) => (sender + turn) % groups,
    remove: async () => {
      for (const { groupId } of meetings) await api.call("group.delete", { groupId }, await owner.token());
    },
  };
}

/** Read back at the same time. */
const CHANNELS_AT_ONCE = 16;

/**
 * Connects everyone in the scene who is to be online, sends what the plan says, waits for the last delivery and
 * reads back what is stored. On an abort signal, the measurement has everything up to then.
 * @throws {ExitError} if someone could not be connected
 */
export async function measureSends(context: LoadContext, scene: Scene) {
  const { target, plan, progress, signal } = context;
  const { channels, senders } = scene;
  const { loop } = plan;
  const { length } = senders;
  const people = {
    ...scene,
    sendersReceive: true,
    // As the loop makes the requests.
    channelOf: (message: number) =>
      scene.channelOf(senderOf(message, loop, length), turnOf(message, loop, length)),
  };
  const sends = await openSendLoad(target, people, { ...plan, requests: loop.requests }, signal);
  const { memory, threads, audience, runId } = sends;
  return measureLoad(context, {
    name: "send",
    threads,
    memory,
    senders: length,
    scene: scene.size,
    registration: scene.registration,
    audience,
    connect: () => sends.connect(progress),
    readBack: () => readBack(context, channels, runId, memory),
  });
}

/** @returns the number of stored copies per message */
export async function readBack(
  { target, progress, signal }: LoadContext,
  channels: readonly Pick<SceneChannel, "id" | "reader">[],
  runId: string,
  memory: RequestMemory,
): Promise<Uint8Array> {
  const stored = new StoredCopies(runId, memory.requests);
  let next = 0;
  const lane = async () => {
    while (next < channels.length) {
      const { id, reader } = channels[next++]!;
      for await (const { content } of target.api.messages(id, () => reader.token(), signal))
        stored.add(content);
    }
  };
  const lanes = Array.from({ length: Math.min(CHANNELS_AT_ONCE, channels.length) }, () => lane);
  const readAll = () => Promise.all(lanes.map((read) => read()));
  const acknowledged = counted(memory, Counted.acknowledged);
  await progress.during("reading back stored messages", acknowledged, () => stored.found, readAll);
  return stored.copies;
}

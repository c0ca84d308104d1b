import type { RunContext } from "../../cli/scenario.ts";
import { StoredCopies } from "../../receivers/message-tag.ts";
import { explain } from "../../targets/fanfare/api.ts";
import { createGroup, registerOwner } from "../../targets/fanfare/meeting.ts";
import { tokensOf, type Session } from "../../targets/fanfare/session.ts";
import type { RegistrationResult } from "../../targets/registration.ts";
import { measureLoad } from "./load-run.ts";
import { doAll, loadGuests, type LoadContext, type LoadScene } from "./load.ts";
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
  const { guests, sessions, registration } = await loadGuests(context, senders + receivers, [code]);
  const opened = await doAll(context, "opening direct channels", senders * receivers, async (i) => {
    const [sender, receiver] = [Math.floor(i / receivers), i % receivers];
    const reader = sessions[sender]!;
    const { id: userId } = guests[senders + receiver]!.user;
    const token = await reader.token();
    const { channel } = await target.api.call("channel.openDirect", { userId }, token, signal);
    const connections = [...(receiver < online ? [receiver] : []), online + sender];
    return { id: channel.id, reader, connections: Int32Array.from(connections) };
  });
  const tokens = await tokensOf(sessions, { concurrency: plan.connecting, signal });
  return {
    size: { users: guests.length, senders, online: online + senders, channels: opened.users.length },
    registration,
    receivers: tokens.slice(senders, senders + online),
    senders: tokens.slice(0, senders),
    channels: opened.users,
    channelOf: (sender, turn) => sender * receivers + (turn % receivers),
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

/** Several groups with the same members, which are deleted in the end if the server is not the run's own. */
export async function buildGroupScene(
  context: LoadContext & Pick<RunContext, "defer">,
  { groups, members, senders, online }: GroupSize,
): Promise<Scene> {
  const { target, plan, signal } = context;
  const { api } = target;
  const owner = await registerOwner(api, signal).catch(explain);
  const { users: meetings } = await doAll(context, "creating groups", groups, async (i) =>
    createGroup(api, `bench ${i + 1}`, await owner.token(), signal),
  );
  const remove = async () => {
    for (const { groupId } of meetings) await api.call("group.delete", { groupId }, await owner.token());
  };
  if (!target.isThrowaway)
    context.defer(() =>
      remove().catch((error: Error) => {
        process.stderr.write(`Could not delete the run's groups (${error.message}).\n`);
      }),
    );
  const codes = meetings.map(({ code }) => code);
  const { sessions, registration } = await loadGuests(context, members - 1, codes);
  const tokens = await tokensOf([...sessions, owner], { concurrency: plan.connecting, signal });
  const connections = Int32Array.from({ length: online }, (_, i) => i);
  return {
    size: { users: members, senders, online, channels: groups, groups, members },
    registration,
    receivers: tokens.slice(senders, online),
    senders: tokens.slice(0, senders),
    channels: meetings.map(({ channelId }) => ({ id: channelId, reader: owner, connections })),
    // Senders start with different groups.
    channelOf: (sender, turn) => (sender + turn) % groups,
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
  const { loop } = plan;
  const { length } = scene.senders;
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
    scene: scene.size,
    registration: scene.registration,
    audience,
    connect: () => sends.connect(progress),
    readBack: () => readBack(context, scene.channels, runId, memory),
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
  const unread = channels.values();
  const lane = async () => {
    for (const { id, reader } of unread)
      for await (const { content } of target.api.messages(id, () => reader.token(), signal))
        stored.add(content);
  };
  const readAll = () => Promise.all(Array.from({ length: CHANNELS_AT_ONCE }, lane));
  const acknowledged = counted(memory, Counted.acknowledged);
  await progress.during("reading back stored messages", acknowledged, () => stored.found, readAll);
  return stored.copies;
}

import { setTimeout } from "node:timers/promises";
import { LIMITS, type OngoingCall, userRoom } from "@fanfare/contract";
import {
  type Access,
  assertBelow,
  assertNotMuted,
  boundedMap,
  can,
  type Handlers,
  invalid,
  newId,
  orThrow,
  type Request,
  serviceError,
} from "@fanfare/kernel";
import type { CallDependencies } from "./call.dependencies.ts";
import { canConnect, directMembers, publishableSources } from "./call.policy.ts";
import { type CallDocument, presentCall } from "./call.repository.ts";
import {
  CHECK_CONCURRENCY,
  CHECK_INTERVAL_MS,
  CONNECT_TIMEOUT_MS,
  JOIN_MAX_TRIES,
  LEAVE_TIMEOUT_MS,
} from "./constants.ts";

export function callActions(dependencies: CallDependencies): Handlers {
  const { node, livekit, calls, participants, ringing, speakers, tracking } = dependencies;
  return {
    "call.join": async ({ params: { channelId }, actor: { userId, sessionId }, access, services }) => {
      const grantId = newId();
      const joining = { channelId, userId, sessionId, grantId, access, services };
      const { call, isNew } = await admit(dependencies, joining);
      const { _id: callId } = call;
      await ringing.stop(channelId, userId, "answered");
      const isMutedByModerator = call.mutedUserIds.includes(userId);
      const sources = publishableSources(access, { isMutedByModerator, nowMs: Date.now() });
      const token = await livekit.createToken(callId, { userId, grantId }, sources);
      if (isNew && call.memberIds !== undefined)
        // The call goes on if no one can be rung, such as in notes to oneself.
        await ringing.ring(call, userId, call.memberIds).catch((error: unknown) => {
          node.logger.debug({ err: error, callId }, "no one was rung");
        });
      return { call: presentCall(call), url: livekit.url, token };
    },

    "call.leave": async ({ params: { channelId }, actor: { userId, sessionId } }) => {
      const own = await participants.find(userId);
      // On another device, they may have joined since.
      if (own?.channelId !== channelId || own.sessionId !== sessionId) return {};
      await participants.remove(userId, own.callId);
      // The user may join another call next, also while LiveKit doesn't respond.
      await Promise.race([
        tracking.tryRefresh(own.callId),
        setTimeout(LEAVE_TIMEOUT_MS, undefined, { ref: false }),
      ]);
      return {};
    },

    "call.ring": async ({ params: { channelId, userIds }, actor: { userId }, access }) => {
      const call = await callWith(dependencies, channelId, userId);
      assertNotMuted(access);
      if (access.groupId !== null && userIds === undefined) throw invalid("userIds", "is required in groups");
      await ringing.ring(call, userId, userIds ?? directMembers(access));
      return {};
    },

    "call.decline": async ({ params: { channelId }, actor: { userId } }) => {
      await ringing.stop(channelId, userId, "declined");
      return {};
    },

    "call.end": async ({ params: { channelId }, actor: { userId }, access }) => {
      const call = orThrow(await calls.findIn(channelId), "CALL_NOT_FOUND");
      const isInIt = async () => (await participants.find(userId))?.callId === call._id;
      const isAllowed = access.groupId === null ? await isInIt() : can(access, "manageChannels");
      if (!isAllowed) throw serviceError("FORBIDDEN");
      await tracking.end(call._id);
      return {};
    },

    "call.muteMember": async ({
      params: { channelId, userId, isMuted },
      actor,
      access: { groupId },
      services,
    }) => {
      const call = await callWith(dependencies, channelId, userId);
      await assertOutranks(services, groupId, { actorId: actor.userId, userId });
      await calls.setMuted(call._id, userId, isMuted);
      await audit(services, groupId, actor.userId, "call.muteMember", { userId, channelId, isMuted });
      await tracking.refresh(call._id);
      return {};
    },

    "call.moveMember": async (request) => {
      const { params, actor, access, services } = request;
      const { channelId, userId, toChannelId } = params;
      const call = await callWith(dependencies, channelId, userId);
      await assertOutranks(services, access.groupId, { actorId: actor.userId, userId });
      if (toChannelId !== null) await assertCanMoveTo(dependencies, request, toChannelId);
      await audit(services, access.groupId, actor.userId, "call.moveMember", {
        userId,
        channelId,
        toChannelId,
      });
      // Before they are disconnected, so that their client knows why.
      if (toChannelId !== null)
        node.publish(userRoom(userId), "call.moved", { channelId, callId: call._id, toChannelId });
      await tracking.takeOut(call._id, userId);
      return {};
    },

    "call.setSpeaking": async ({ params: { channelId, isSpeaking }, actor: { userId } }) => {
      const call = await callWith(dependencies, channelId, userId);
      const own = call.participants.find((one) => one.userId === userId);
      if (own !== undefined && (own.isMicrophoneOn || !isSpeaking)) speakers.report(call, userId, isSpeaking);
      return {};
    },

    "call.list": async ({ actor: { userId }, services }) => ({
      calls: await listVisible(dependencies, userId, services),
    }),

    "call.handleWebhook": async ({ params: { body, authorization } }) => {
      const event = await livekit.readWebhook(body, authorization);
      if (event !== null) await tracking.handle(event);
      return {};
    },
  };
}

interface Joining {
  channelId: string;
  userId: string;
  sessionId: string;
  grantId: string;
  access: Access;
  services: Request<"call.join">["services"];
}

/** Lets a user connect to the call of a channel, and starts it if there is none. */
async function admit(dependencies: CallDependencies, joining: Joining) {
  const { livekit, calls, participants, tracking, checkAt } = dependencies;
  const { channelId, userId, sessionId, grantId, access } = joining;
  for (let tries = 0; tries < JOIN_MAX_TRIES; tries += 1) {
    const ongoing = await calls.findIn(channelId);
    const call = ongoing ?? (await start(dependencies, joining));
    if (call === null) continue;
    if (ongoing !== null) await livekit.createRoom(call._id);
    const before = await participants.find(userId);
    if (before?.callId !== call._id)
      assertBelow("callParticipants", await participants.countOf(call._id, LIMITS.callParticipants));
    const { groupId } = access;
    const place = { callId: call._id, channelId, sessionId, grantId, ...(groupId !== null && { groupId }) };
    const replaced = await participants.admit(userId, place, new Date(Date.now() + CONNECT_TIMEOUT_MS));
    if (replaced !== null && replaced.callId !== call._id) void tracking.tryRefresh(replaced.callId);
    // It can have ended before this was stored.
    const touched = await calls.addJoined(call, userId);
    if (touched === null) {
      await participants.remove(userId, call._id);
      continue;
    }
    if (ongoing === null) await checkAt(new Date(Date.now() + CHECK_INTERVAL_MS));
    return { call: touched, isNew: ongoing === null };
  }
  throw serviceError("UNAVAILABLE", { retryAfterMs: CONNECT_TIMEOUT_MS });
}

/**
 * @returns null if another user has started one meanwhile
 * @throws {ServiceError} FORBIDDEN, MUTED, LIMIT_REACHED; UNAVAILABLE without LiveKit: then there is no call either
 */
async function start(
  { node, livekit, calls }: CallDependencies,
  { channelId, userId, access }: Joining,
): Promise<CallDocument | null> {
  const { lines } = await node.services.group.describeChannels({ channelIds: [channelId] });
  const kind = orThrow(lines[0], "CHANNEL_NOT_FOUND").kind;
  if (kind === "section" || kind === "thread" || kind === "deleted") throw serviceError("FORBIDDEN");
  // A started call is a message to everyone, except where a call is always open.
  if (kind !== "voice") {
    if (!can(access, "sendMessages")) throw serviceError("FORBIDDEN");
    assertNotMuted(access);
  }
  const { groupId } = access;
  if (groupId !== null) assertBelow("callsPerGroup", await calls.countOfGroup(groupId));
  const callId = newId();
  await livekit.createRoom(callId);
  const now = new Date();
  return calls.start({
    _id: callId,
    channelId,
    openIn: channelId,
    ...(groupId === null ? { memberIds: directMembers(access) } : { groupId }),
    kind,
    rooms: access.rooms,
    startedByUserId: userId,
    startedAt: now,
    participants: [],
    participantCount: 0,
    joinedUserIds: [],
    mutedUserIds: [],
    checkAt: new Date(now.getTime() + CHECK_INTERVAL_MS),
    rev: 1,
  });
}

/** @throws {ServiceError} CALL_NOT_FOUND if the user isn't in the call of the channel */
async function callWith(
  { calls, participants }: CallDependencies,
  channelId: string,
  userId: string,
): Promise<CallDocument> {
  const [call, participant] = await Promise.all([calls.findIn(channelId), participants.find(userId)]);
  if (call === null || participant?.callId !== call._id) throw serviceError("CALL_NOT_FOUND");
  return call;
}

/** @throws {ServiceError} FORBIDDEN for others than members below the actor's highest role, and oneself */
async function assertOutranks(
  services: Request<"call.muteMember">["services"],
  groupId: string | null,
  { actorId, userId }: { actorId: string; userId: string },
): Promise<void> {
  if (groupId === null) throw serviceError("FORBIDDEN");
  if (userId === actorId) return;
  const { outranks } = await services.group.outranks({ groupId, userId: actorId, otherUserId: userId });
  if (!outranks) throw serviceError("FORBIDDEN");
}

/** @throws {ServiceError} CHANNEL_NOT_FOUND, FORBIDDEN, LIMIT_REACHED */
async function assertCanMoveTo(
  { node, calls, participants }: CallDependencies,
  { params: { userId }, actor, access: { groupId } }: Request<"call.moveMember">,
  channelId: string,
): Promise<void> {
  const [line] = (await node.services.group.describeChannels({ channelIds: [channelId] })).lines;
  const own = await node.access.get(actor.userId, { channelId });
  if (line?.kind !== "voice" || line.group?.id !== groupId || !can(own, "view"))
    throw serviceError("CHANNEL_NOT_FOUND");
  if (!canConnect(await node.access.get(userId, { channelId }))) throw serviceError("FORBIDDEN");
  const there = await calls.findIn(channelId);
  if (there !== null)
    assertBelow("callParticipants", await participants.countOf(there._id, LIMITS.callParticipants));
}

function audit(
  services: Request<"call.muteMember">["services"],
  groupId: string | null,
  actorId: string,
  action: "call.muteMember" | "call.moveMember",
  { userId: targetId, ...after }: { userId: string; channelId: string; [detail: string]: unknown },
) {
  return services.group.recordAudit({ groupId: groupId!, actorId, action, targetId, after });
}

/** Two queries, however many channels and groups the user has: those who can see a call are in its rooms. */
async function listVisible(
  { node, calls }: CallDependencies,
  userId: string,
  services: Request<"call.list">["services"],
): Promise<OngoingCall[]> {
  const { rooms } = await services.group.listRooms({ userIds: [userId] });
  const own = userRoom(userId);
  const ofGroups = (rooms[0] ?? []).filter((room) => room !== own);
  const [direct, inGroups] = await Promise.all([
    calls.listOfMember(userId, LIMITS.callsListed),
    calls.listOfRooms(ofGroups, LIMITS.callsListed),
  ]);
  const found = await boundedMap([...direct, ...inGroups], CHECK_CONCURRENCY, async (call) => {
    const access = await node.access.get(userId, { channelId: call.channelId });
    return can(access, "view") ? [presentCall(call)] : [];
  });
  return found.flat().slice(0, LIMITS.callsListed);
}

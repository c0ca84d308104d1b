import { isDeepStrictEqual } from "node:util";
import { LIMITS } from "@fanfare/contract";
import { type Access, boundedMap, ServiceError } from "@fanfare/kernel";
import type { TrackSource } from "livekit-server-sdk";
import type { CallParts } from "./call.dependencies.ts";
import { canConnect, directMembers, publishableSources } from "./call.policy.ts";
import { type CallDocument, type CallState, presentCall, presentEnded } from "./call.repository.ts";
import {
  CHECK_BATCH,
  CHECK_CONCURRENCY,
  CHECK_INTERVAL_MS,
  CONNECT_TIMEOUT_MS,
  MESSAGE_RETRY_MS,
  OVERLAP_MS,
  REFRESH_INTERVAL_MS,
  REFRESH_MAX_TRIES,
} from "./constants.ts";
import type { Connected, WebhookEvent } from "./livekit.ts";
import type { ParticipantDocument } from "./participant.repository.ts";
import type { Ringing } from "./ringing.ts";

/** More than can connect, in case some never do. */
const MAX_LISTED = 2 * LIMITS.callParticipants;

/** A user whom LiveKit lists in a call, and who can be there. */
interface Present {
  participant: ParticipantDocument;
  rights: { access: Access; sources: TrackSource[] };
  joinedAt: Date;
  state: Connected;
}

const after = (ms: number): Date => new Date(Date.now() + ms);

export type Tracking = ReturnType<typeof createTracking>;

/**
 * Follows what happens in LiveKit. Webhooks only say which call to look at: a lost, repeated or late one does no harm, and the check
 * that finds what they missed is the same.
 */
export function createTracking(parts: CallParts, ringing: Ringing) {
  const { node, livekit, calls, participants, checkAt } = parts;
  const { logger } = node;
  /** Comparisons by call: when the next may start, the one that runs now, and the one that waits for it. */
  const scheduled = new Map<string, NodeJS.Timeout>();
  const running = new Map<string, Promise<void>>();
  const waiting = new Map<string, Promise<void>>();
  let sessionsCheckedAtMs: number | null = null;

  const accessOf = (userId: string, { channelId }: Pick<CallDocument, "channelId">): Promise<Access> =>
    node.access.get(userId, { channelId });

  async function publish(call: CallDocument): Promise<void> {
    let shown = call;
    // Another process may have published a newer state before this one.
    for (let tries = 0; tries < REFRESH_MAX_TRIES; tries += 1) {
      node.publish(shown.rooms, "call.updated", { call: presentCall(shown) });
      const current = await calls.find(shown._id);
      if (current === null || current.endedAt !== undefined) {
        // Its end may have been published before this state, which would bring it back.
        const { channelId, _id: callId } = shown;
        node.publish(shown.rooms, "call.ended", { channelId, callId });
        return;
      }
      if (isDeepStrictEqual(presentCall(current), presentCall(shown))) return;
      shown = current;
    }
  }

  /** Completes the end of a call. Can be repeated. */
  async function finish(call: CallDocument): Promise<void> {
    const { _id: callId, channelId, startedByUserId } = call;
    await ringing.stopAll(callId);
    await participants.removeOf(callId);
    node.publish(call.rooms, "call.ended", { channelId, callId });
    // The message must not wait for LiveKit, nor the other way round.
    const [closed] = await Promise.allSettled([livekit.deleteRoom(callId)]);
    const ended = presentEnded(call);
    if (ended !== null)
      await node.services.message
        .recordCall({ channelId, callId, startedByUserId, call: ended })
        .catch((error: unknown) => {
          // The channel is gone, or everyone who was in the call is.
          if (error instanceof ServiceError && error.type === "CHANNEL_NOT_FOUND") return;
          if (Date.now() - call.endedAt!.getTime() < MESSAGE_RETRY_MS) throw error;
          logger.error({ err: error, callId }, "no message written about a call");
        });
    if (closed.status === "rejected") throw closed.reason;
    await calls.remove(callId);
  }

  /** @returns whether they can still be in it, and what LiveKit should let them publish */
  async function checkParticipant(call: CallDocument, { userId }: ParticipantDocument) {
    const access = await accessOf(userId, call);
    if (!canConnect(access)) return null;
    const isMutedByModerator = call.mutedUserIds.includes(userId);
    const sources = publishableSources(access, { isMutedByModerator, nowMs: Date.now() });
    return { access, sources };
  }

  /** Makes LiveKit and the database agree. @returns null if the call was changed meanwhile */
  async function compare(call: CallDocument): Promise<"same" | "changed" | "ended" | null> {
    const { _id: callId } = call;
    const listed = await participants.listOf(callId, MAX_LISTED);
    const checked = await boundedMap(listed, CHECK_CONCURRENCY, async (participant) => ({
      participant,
      rights: await checkParticipant(call, participant),
    }));
    for (const { participant, rights } of checked)
      if (rights === null) await participants.remove(participant.userId, callId);
    const allowed = new Map(
      checked.flatMap(({ participant, rights }) =>
        rights === null ? [] : [[participant.userId, { participant, rights }] as const],
      ),
    );
    const connected = await livekit.listConnected(callId);
    const now = new Date();
    const present: Present[] = [];
    for (const state of connected) {
      const found = allowed.get(state.userId);
      const isOwn = found?.participant.grantId === state.grantId;
      if (found !== undefined && isOwn && !state.isSoundHidden) {
        const { joinedAt = now } = found.participant;
        present.push({ ...found, joinedAt, state });
      } else if (isOwn || !(await isExpected(callId, state))) {
        await livekit.remove(callId, state.userId);
      }
    }
    // Afterwards: a failure must not keep anyone in the call.
    const failures = await boundedMap(present, CHECK_CONCURRENCY, ({ state, rights }) =>
      setSources(callId, state, rights.sources).then(
        () => [],
        (error: unknown) => [error],
      ),
    );
    for (const { participant, joinedAt } of present)
      if (participant.joinedAt === undefined || participant.untilAt !== undefined)
        await participants.setConnected(participant, joinedAt);
    const presentIds = new Set(present.map(({ state }) => state.userId));
    let left = 0;
    for (const [userId, { participant }] of allowed) {
      if (presentIds.has(userId)) continue;
      if (participant.untilAt === undefined)
        await participants.setDisconnected(participant, after(CONNECT_TIMEOUT_MS));
      else if (await participants.removeExpired(participant, now)) left += 1;
    }
    if (present.length === 0 && left === allowed.size) {
      const ended = await calls.end(call, false, now);
      if (ended === null) return null;
      await finish(ended);
      return "ended";
    }
    const [first] = allowed.values();
    const state = stateOf(call, present, first?.rights.access, now);
    const isShownSame =
      isDeepStrictEqual(state.participants, call.participants) &&
      state.participantCount === call.participantCount;
    const stored = await calls.setState(call, state, after(CHECK_INTERVAL_MS));
    if (stored === null) return null;
    if (!isShownSame) await publish(stored);
    for (const error of failures.flat()) throw error;
    return isShownSame ? "same" : "changed";
  }

  /**
   * Whether the user has joined again meanwhile, and has connected since, or not yet: LiveKit ends their earlier connection then.
   */
  async function isExpected(callId: string, { userId, grantId }: Connected): Promise<boolean> {
    const participant = await participants.find(userId);
    if (participant?.callId !== callId) return false;
    return participant.grantId === grantId || participant.untilAt !== undefined;
  }

  async function setSources(callId: string, { userId, sources }: Connected, wanted: TrackSource[]) {
    if (sources !== null && !isSame(sources, wanted)) await livekit.setSources(callId, userId, wanted);
  }

  function stateOf(
    call: CallDocument,
    present: readonly Present[],
    access: Access | undefined,
    now: Date,
  ): CallState {
    const sorted = present.toSorted(
      (a, b) => a.joinedAt.getTime() - b.joinedAt.getTime() || (a.state.userId < b.state.userId ? -1 : 1),
    );
    const shown = sorted.slice(0, LIMITS.callParticipantsShown);
    return {
      participants: shown.map(({ joinedAt, state: { userId, ...state } }) => ({
        userId,
        joinedAt,
        isMicrophoneOn: state.isMicrophoneOn,
        isCameraOn: state.isCameraOn,
        isScreenShared: state.isScreenShared,
        isMutedByModerator: call.mutedUserIds.includes(userId),
      })),
      participantCount: sorted.length,
      ...(sorted.length > 0 && { activeAt: now }),
      // The channel can have become private, and users can have been added to a group DM.
      ...(access !== undefined && { rooms: access.rooms }),
      ...(access !== undefined && call.memberIds !== undefined && { memberIds: directMembers(access) }),
    };
  }

  async function checkJoined(callId: string, connected: Connected): Promise<void> {
    const { userId, grantId } = connected;
    const [call, participant] = await Promise.all([calls.find(callId), participants.find(userId)]);
    const isOwn = participant?.callId === callId && participant.grantId === grantId;
    const rights = call !== null && isOwn ? await checkParticipant(call, participant) : null;
    if (rights === null) await livekit.remove(callId, userId);
    else await setSources(callId, connected, rights.sources);
  }

  async function refreshOnce(callId: string): Promise<void> {
    for (let tries = 0; tries < REFRESH_MAX_TRIES; tries += 1) {
      const call = await calls.find(callId);
      if (call === null) {
        // A token of a call that has ended can still open its room.
        await livekit.deleteRoom(callId);
        return;
      }
      if (call.endedAt !== undefined) return finish(call);
      if ((await compare(call)) !== null) return;
    }
    request(callId);
  }

  /** Compares a call with LiveKit now, or once more after the comparison that is under way, for all who ask meanwhile. */
  function refresh(callId: string): Promise<void> {
    const [current, next] = [running.get(callId), waiting.get(callId)];
    if (next !== undefined) return next;
    if (current === undefined) return run(callId);
    const another = current
      .catch(() => undefined)
      .then(() => {
        waiting.delete(callId);
        return run(callId);
      });
    waiting.set(callId, another);
    return another;
  }

  function run(callId: string): Promise<void> {
    const done = refreshOnce(callId).finally(() => running.delete(callId));
    running.set(callId, done);
    return done;
  }

  /** As `refresh`, but a failure is only logged: the next check tries again. */
  async function tryRefresh(callId: string): Promise<void> {
    try {
      await refresh(callId);
    } catch (error) {
      logger.warn({ err: error, callId }, "call not compared with LiveKit, retrying");
    }
  }

  /** Compares a call with LiveKit soon: at most once a second for each call. */
  function request(callId: string): void {
    if (scheduled.has(callId)) return;
    const timer = setTimeout(() => {
      scheduled.delete(callId);
      void tryRefresh(callId);
    }, REFRESH_INTERVAL_MS).unref();
    scheduled.set(callId, timer);
  }

  /** For what the check repeats: without LiveKit, it is not done yet, but doesn't fail. */
  async function untilRetry(callId: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof ServiceError && error.type === "UNAVAILABLE")) throw error;
      logger.warn({ err: error, callId }, "call not changed in LiveKit, retrying");
    }
  }

  /** Removes a user from a call, whatever token they have. They are not in it any more even if LiveKit can't disconnect them now. */
  async function takeOut(callId: string, userId: string): Promise<void> {
    await participants.remove(userId, callId);
    await untilRetry(callId, async () => {
      await livekit.remove(callId, userId);
      await refresh(callId);
    });
  }

  /** Removes those whose session has ended, also if this process didn't hear of it. */
  async function checkSessions(): Promise<void> {
    const now = Date.now();
    const withinMs = sessionsCheckedAtMs === null ? {} : { withinMs: now - sessionsCheckedAtMs + OVERLAP_MS };
    const { sessionIds } = await node.services.user.listRevokedSessions(withinMs);
    for (const { callId, userId } of await participants.listOfSessions(sessionIds))
      await takeOut(callId, userId);
    sessionsCheckedAtMs = now;
  }

  return {
    refresh,
    tryRefresh,
    takeOut,

    /** As `tryRefresh`, for all calls in which a user's permissions have changed. */
    async refreshAll(callIds: readonly string[]): Promise<void> {
      await boundedMap([...new Set(callIds)], CHECK_CONCURRENCY, tryRefresh);
    },

    async handle({ event, callId, connected }: WebhookEvent) {
      // Not only with the next comparison: until then they would hear the others, or speak.
      if (event === "participant_joined" && connected !== null) await checkJoined(callId, connected);
      request(callId);
    },

    /** Ends a call for everyone. What fails then is repeated by the check. */
    async end(callId: string, isSilent = false): Promise<void> {
      const retryAt = after(CHECK_INTERVAL_MS);
      const ended = await calls.end({ _id: callId }, isSilent, retryAt);
      if (ended === null) return;
      await checkAt(retryAt);
      await untilRetry(callId, () => finish(ended));
    },

    /** @returns when it must be called again; null: there are no calls */
    async checkDue(signal: AbortSignal): Promise<Date | null> {
      const due = await calls.listDue(new Date(), CHECK_BATCH);
      if (due.length > 0)
        await checkSessions().catch((error: unknown) => {
          logger.warn({ err: error }, "sessions of users in calls not checked, retrying");
        });
      await boundedMap(due, CHECK_CONCURRENCY, async ({ _id }) => {
        signal.throwIfAborted();
        // Others must not wait for one that fails.
        await calls.postpone(_id, after(CHECK_INTERVAL_MS));
        await tryRefresh(_id);
      });
      return calls.nextCheckAt();
    },

    stop(): Promise<unknown> {
      for (const timer of scheduled.values()) clearTimeout(timer);
      scheduled.clear();
      return Promise.allSettled([...running.values(), ...waiting.values()]);
    },
  };
}

function isSame(some: readonly number[], others: readonly number[]): boolean {
  return some.length === others.length && others.every((source) => some.includes(source));
}

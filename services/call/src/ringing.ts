import { type EventPayload, LIMITS, userRoom } from "@fanfare/contract";
import { boundedMap, serviceError } from "@fanfare/kernel";
import type { CallDocument } from "./call.repository.ts";
import type { CallParts } from "./call.dependencies.ts";
import { canConnect } from "./call.policy.ts";
import { CHECK_BATCH, CHECK_CONCURRENCY, RING_WINDOW_MS } from "./constants.ts";
import type { Ring } from "./ring.repository.ts";

type Reason = EventPayload<"call.ringEnded">["reason"];

export type Ringing = ReturnType<typeof createRinging>;

/** Asks users to join a call, on all of their devices, until they respond or the time is over. */
export function createRinging({ node, participants, rings, stopRingsAt }: CallParts) {
  const publishState = (ring: Ring, state: EventPayload<"ring.changed">["state"]): void => {
    const { channelId, callId, userId, fromUserId } = ring;
    node.publish(userRoom(fromUserId), "ring.changed", { channelId, callId, userId, state });
  };
  const publishEnd = (ring: Ring, reason: Reason): void => {
    const { userId, channelId, callId } = ring;
    node.publish(userRoom(userId), "call.ringEnded", { channelId, callId, reason });
    publishState(ring, reason);
  };

  /** Those who can join, aren't in the call and haven't blocked the caller, or the other way round. */
  async function reachable(call: CallDocument, fromUserId: string, userIds: readonly string[]) {
    const others = [...new Set(userIds)].filter((userId) => userId !== fromUserId);
    if (others.length === 0) return [];
    const { userIds: blocked } = await node.services.user.listBlockedAmong({
      userId: fromUserId,
      userIds: others,
    });
    const open = others.filter((userId) => !blocked.includes(userId));
    const found = await boundedMap(open, CHECK_CONCURRENCY, async (userId) => {
      const access = await node.access.get(userId, { channelId: call.channelId });
      if (!canConnect(access)) return [];
      const place = await participants.find(userId);
      return place?.callId === call._id ? [] : [userId];
    });
    return found.flat();
  }

  return {
    /**
     * @throws {ServiceError} NOT_REACHABLE if none of them can be rung; RATE_LIMITED if all of them were rung too often, or are
     *   being rung
     */
    async ring(call: CallDocument, fromUserId: string, userIds: readonly string[]): Promise<void> {
      const { _id: callId, channelId } = call;
      const now = new Date();
      const dueAt = new Date(now.getTime() + LIMITS.callRingSeconds * 1000);
      const some = await reachable(call, fromUserId, userIds.slice(0, LIMITS.usersPerRing));
      if (some.length === 0) throw serviceError("NOT_REACHABLE");
      const started: string[] = [];
      for (const userId of some)
        if (await rings.start({ channelId, userId, callId, fromUserId }, dueAt, now)) started.push(userId);
      if (started.length === 0) throw serviceError("RATE_LIMITED", { retryAfterMs: RING_WINDOW_MS });
      await stopRingsAt(dueAt);
      const ring = { channelId, callId, fromUserId, untilAt: dueAt.toISOString() };
      node.publish(started.map(userRoom), "call.rang", ring);
      for (const userId of started) publishState({ channelId, userId, callId, fromUserId }, "ringing");
    },

    /** Does nothing if the user isn't being rung there. */
    async stop(channelId: string, userId: string, reason: Reason): Promise<void> {
      const stopped = await rings.stop({ channelId, userId });
      if (stopped !== null) publishEnd(stopped, reason);
    },

    async stopAll(callId: string): Promise<void> {
      for (let stopped = CHECK_BATCH; stopped === CHECK_BATCH;) {
        const some = await rings.listRinging(callId, CHECK_BATCH);
        for (const ring of some) if ((await rings.stopOne(ring)) !== null) publishEnd(ring, "ended");
        stopped = some.length;
      }
    },

    /** @returns when it must be called again; null: there are no rings */
    async stopDue(signal: AbortSignal): Promise<Date | null> {
      const now = new Date();
      for (const ring of await rings.listDue(now, CHECK_BATCH)) {
        signal.throwIfAborted();
        if ((await rings.stopOne(ring)) !== null) publishEnd(ring, "timeout");
      }
      return rings.nextDueAt();
    },
  };
}

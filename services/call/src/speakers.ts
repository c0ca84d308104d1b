import { LIMITS } from "@fanfare/contract";
import { type NodeContext, RateLimiter } from "@fanfare/kernel";
import type { CallDocument } from "./call.repository.ts";
import { MAX_SPEAKER_EVENTS_PER_SECOND, REFRESH_INTERVAL_MS } from "./constants.ts";

type Place = Pick<CallDocument, "_id" | "channelId" | "rooms">;

interface Collected {
  /** Whether they speak, by user. */
  speakers: Map<string, boolean>;
  timer: NodeJS.Timeout;
}

export type Speakers = ReturnType<typeof createSpeakers>;

/** Publishes who speaks, at most once per second and call, and a few times per second and group. Nothing is stored. */
export function createSpeakers({ publish }: Pick<NodeContext, "publish">) {
  const ofRooms = new RateLimiter({ points: MAX_SPEAKER_EVENTS_PER_SECOND, durationMs: 1000 });
  /** By call. */
  const collected = new Map<string, Collected>();

  function collect({ _id: callId, channelId, rooms }: Place): Collected {
    const speakers = new Map<string, boolean>();
    const timer = setTimeout(() => {
      collected.delete(callId);
      // What isn't published ends by itself, and those who still speak are reported again.
      if (ofRooms.take(rooms.join(), Date.now()) > 0) return;
      publish(rooms, "speaking.changed", {
        channelId,
        callId,
        speakers: Array.from(speakers, ([userId, isSpeaking]) => ({ userId, isSpeaking })),
        expiresInMs: LIMITS.speakingExpiresInMs,
      });
    }, REFRESH_INTERVAL_MS).unref();
    const started = { speakers, timer };
    collected.set(callId, started);
    return started;
  }

  return {
    report(call: Place, userId: string, isSpeaking: boolean): void {
      const { speakers } = collected.get(call._id) ?? collect(call);
      if (speakers.has(userId) || speakers.size < LIMITS.callParticipantsShown)
        speakers.set(userId, isSpeaking);
    },

    stop(): void {
      for (const { timer } of collected.values()) clearTimeout(timer);
      collected.clear();
    },
  };
}

import { create } from "zustand";
import type { EventPayload } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import type { ServerCache } from "../data/cache.ts";
import { claim } from "../inbox/notifications/notifier.tsx";

/** A call that the user is asked to join. */
export interface Ring extends EventPayload<"call.rang"> {
  /** Whether this tab plays the sound and shows the notification, instead of another one of the browser. */
  isAudible: boolean;
}

interface RingState {
  readonly rings: readonly Ring[];
}

/** Of this session, the oldest first. */
export const useRings = create<RingState>(() => ({ rings: [] }));

export function endRing(callId: string): void {
  useRings.setState(({ rings }) => ({ rings: rings.filter((ring) => ring.callId !== callId) }));
}

/** Keeps the rings current until the returned function is called. */
export function followRings({ client }: ServerCache): () => void {
  const timers = new Map<string, ReturnType<typeof setTimeout>>();
  const end = ({ callId }: { callId: string }): void => {
    clearTimeout(timers.get(callId));
    timers.delete(callId);
    endRing(callId);
  };
  const ends = [
    client.on("call.rang", (ring) => {
      const { callId, channelId } = ring;
      for (const one of useRings.getState().rings) if (one.channelId === channelId) end(one);
      useRings.setState(({ rings }) => ({ rings: [...rings, { ...ring, isAudible: false }] }));
      // The end may be missed while the connection is lost. The clock of this computer may be wrong.
      timers.set(
        callId,
        setTimeout(() => end(ring), LIMITS.callRingSeconds * 1000),
      );
      void claim(`${client.user?.id} ring ${callId}`).then((isAudible) =>
        useRings.setState(({ rings }) => ({
          rings: rings.map((one) => (one.callId === callId ? { ...one, isAudible } : one)),
        })),
      );
    }),
    client.on("call.ringEnded", end),
    client.on("call.ended", end),
  ];
  return () => {
    for (const stop of ends) stop();
    for (const timer of timers.values()) clearTimeout(timer);
    useRings.setState({ rings: [] });
  };
}

import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { create } from "zustand";
import type { EventPayload } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { useCallsLoaded, useIsMutedByModerator } from "../data/calls.ts";
import { useServerCache } from "../data/data-context.ts";
import { useHasCalls } from "../session/server-meta.ts";
import { showToast } from "../ui/feedback.tsx";
import { later } from "../shared/later.tsx";
import { useCallStore } from "./call-store.ts";
import { followMove, leaveCall } from "./calls.tsx";
import { usePushToTalk } from "./push-to-talk.ts";
import type { ServerCache } from "../data/cache.ts";
import { claim } from "../inbox/notifications/notifier.tsx";

const RingCards = later(async () => (await import("./ring-cards.tsx")).RingCards);

/** What calls need on all pages. Mounted once. */
export function CallHost() {
  return useHasCalls() ? <Host /> : null;
}

/** Tells the user that a moderator has muted them. */
function useMutedNotice(): void {
  const { t } = useTranslation("calls");
  const channelId = useCallStore(({ current }) => current?.channelId ?? "");
  const isMuted = useIsMutedByModerator(channelId);
  const text = t("mutedByModerator");
  useEffect(() => {
    if (isMuted) showToast({ text });
  }, [isMuted, text]);
}

function Host() {
  const cache = useServerCache();
  const isRinging = useRings(({ rings }) => rings.length > 0);
  useCallsLoaded();
  usePushToTalk();
  useMutedNotice();
  useEffect(() => followRings(cache), [cache]);
  useEffect(
    () =>
      cache.client.on(
        "call.moved",
        ({ channelId, toChannelId }) => void followMove(cache, channelId, toChannelId),
      ),
    [cache],
  );
  // Logging out ends the call.
  useEffect(
    () => () => {
      if (useCallStore.getState().current !== null) void leaveCall(cache);
    },
    [cache],
  );
  return isRinging ? <RingCards /> : null;
}

/** A call that the user is asked to join. */
export interface Ring extends EventPayload<"call.rang"> {
  /** Whether this tab plays the sound and shows the notification, instead of another one of the browser. */
  isAudible: boolean;
}

export type InvitedState = Extract<EventPayload<"ring.changed">["state"], "ringing" | "declined" | "timeout">;
/** By user, in the order in which they were rung. Those who have joined are left out. */
type Invited = Readonly<Record<string, InvitedState>>;

interface RingState {
  /** Of this session, the oldest first. */
  readonly rings: readonly Ring[];
  /** Those whom this user has rung, by call. */
  readonly invited: Readonly<Record<string, Invited>>;
}

export const useRings = create<RingState>(() => ({ rings: [], invited: {} }));

/** @param state null: they are no longer shown */
function setInvited(callId: string, userId: string, state: InvitedState | null): void {
  useRings.setState(({ invited }) => {
    const { [userId]: _, ...others } = invited[callId] ?? {};
    const changed = state === null ? others : { ...invited[callId], [userId]: state };
    return { invited: { ...invited, [callId]: changed } };
  });
}

export function endRing(callId: string): void {
  useRings.setState(({ rings }) => ({ rings: rings.filter((ring) => ring.callId !== callId) }));
}

/** Keeps the rings current until the returned function is called. */
function followRings({ client }: ServerCache): () => void {
  const timers = new Map<string, ReturnType<typeof setTimeout>>();
  /** The end may be missed while the connection is lost. The clock of this computer may be wrong. */
  const whenTimeIsOver = (key: string, run: () => void): void => {
    clearTimeout(timers.get(key));
    timers.set(key, setTimeout(run, LIMITS.callRingSeconds * 1000));
  };
  const invitedIn = (callId: string): Invited => useRings.getState().invited[callId] ?? {};
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
      whenTimeIsOver(callId, () => end(ring));
      void claim(`${client.user?.id} ring ${callId}`).then((isAudible) =>
        useRings.setState(({ rings }) => ({
          rings: rings.map((one) => (one.callId === callId ? { ...one, isAudible } : one)),
        })),
      );
    }),
    client.on("call.ringEnded", end),
    client.on("call.ended", (ended) => {
      end(ended);
      const { [ended.callId]: _, ...invited } = useRings.getState().invited;
      useRings.setState({ invited });
    }),
    client.on("ring.changed", ({ callId, userId, state }) => {
      const isOver = state === "answered" || state === "ended";
      setInvited(callId, userId, isOver ? null : state);
      whenTimeIsOver(`${callId} ${userId}`, () => {
        if (invitedIn(callId)[userId] === "ringing") setInvited(callId, userId, "timeout");
      });
    }),
    client.on("call.updated", ({ call: { id, participants } }) => {
      for (const { userId } of participants)
        if (Object.hasOwn(invitedIn(id), userId)) setInvited(id, userId, null);
    }),
  ];
  return () => {
    for (const stop of ends) stop();
    for (const timer of timers.values()) clearTimeout(timer);
    useRings.setState({ rings: [], invited: {} });
  };
}

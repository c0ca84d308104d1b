import { create } from "zustand";
import type { Channel } from "@fanfare/contract";
import { useCallback } from "react";
import { useReportedSpeakers } from "../data/calls.ts";
import type { CallSession } from "./call-session.ts";
import { useServerCache } from "../data/data-context.ts";
import { whenLoaded } from "../shared/when-loaded.ts";
import { showFailure } from "../ui/feedback.tsx";
import type { UserJoinOptions } from "./calls.tsx";

/** Tells a call from an earlier one in the same channel. */
export type CallKey = symbol;

/** The state of the call that this page is in. LiveKit's library isn't loaded for it. */
export interface CurrentCall {
  readonly key: CallKey;
  readonly channelId: string;
  readonly groupId: string | null;
  readonly status: "joining" | "connected" | "reconnecting";
  readonly isMicrophoneOn: boolean;
  /** Differs from `isMicrophoneOn` while the browser opens it. */
  readonly isMicrophoneWanted: boolean;
  readonly isCameraOn: boolean;
  readonly isScreenShared: boolean;
  /** Whether the others can't be heard. */
  readonly isDeafened: boolean;
  /** What the user may publish. */
  readonly canSpeak: boolean;
  readonly canShowVideo: boolean;
  readonly canShareScreen: boolean;
  readonly quality: CallQuality;
  readonly speakerIds: readonly string[];
  /** Whether the browser plays no sound before the user clicks. */
  readonly isSoundBlocked: boolean;
  /** Null until it is connected. */
  readonly session: CallSession | null;
}

export type CallQuality = "good" | "poor" | "lost" | "unknown";

interface CallState {
  readonly current: CurrentCall | null;
}

/** Also for use outside components. */
export const useCallStore = create<CallState>(() => ({ current: null }));

export function useCurrentCall(): CurrentCall | null {
  return useCallStore(({ current }) => current);
}

export function useIsInCall(channelId: string): boolean {
  return useCallStore(({ current }) => current?.channelId === channelId);
}

/** Who speaks in the call of a channel: as this page hears it if it is in the call. */
export function useSpeakers(channelId: string): readonly string[] {
  const reported = useReportedSpeakers(channelId);
  const heard = useCallStore(({ current }) => (current?.channelId === channelId ? current.speakerIds : null));
  return heard ?? reported;
}

export function getCurrentCall(): CurrentCall | null {
  return useCallStore.getState().current;
}

/** Null if the user has left this call. */
export function getCall(key: CallKey): CurrentCall | null {
  const current = getCurrentCall();
  return current?.key === key ? current : null;
}

type Start = Pick<CurrentCall, "channelId" | "groupId" | "isMicrophoneWanted" | "isDeafened">;

export function startCurrentCall(start: Start): CallKey {
  const key = Symbol(start.channelId);
  useCallStore.setState({
    current: {
      ...start,
      key,
      status: "joining",
      isMicrophoneOn: false,
      isCameraOn: false,
      isScreenShared: false,
      canSpeak: true,
      canShowVideo: true,
      canShareScreen: true,
      quality: "unknown",
      speakerIds: [],
      isSoundBlocked: false,
      session: null,
    },
  });
  return key;
}

/** Does nothing if the user has left this call. */
export function changeCurrentCall(key: CallKey, changes: Partial<CurrentCall>): void {
  useCallStore.setState(({ current }) =>
    current?.key === key ? { current: { ...current, ...changes } } : {},
  );
}

export function endCurrentCall(): void {
  useCallStore.setState({ current: null });
}

/** Joins or starts the call of a channel. The first time, it asks for the devices. */
export function useJoin(): (channel: Pick<Channel, "id" | "groupId">, options?: UserJoinOptions) => void {
  const cache = useServerCache();
  return useCallback(
    (channel, options) => {
      whenLoaded(() => import("../app/next.ts")).then(
        ({ join }) => join(cache, channel, options),
        showFailure,
      );
    },
    [cache],
  );
}

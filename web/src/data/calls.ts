import type { OngoingCall } from "@fanfare/contract";
import { useMe } from "./me.ts";
import { useLoaded, useStoreState } from "./store.ts";

export type VoiceParticipant = OngoingCall["participants"][number];

/** Keeps the ongoing calls loaded that the user can see. */
export function useCallsLoaded(): void {
  useLoaded("call.list", {}, ({ calls }) => calls ?? undefined);
}

/** Whether a moderator has muted the user in the call of a channel. */
export function useIsMutedByModerator(channelId: string): boolean {
  const { id } = useMe();
  return useStoreState(
    ({ calls }) =>
      calls?.[channelId]?.participants.some((one) => one.userId === id && one.isMutedByModerator) === true,
  );
}

/** The ongoing call of a channel, while calls are kept loaded. */
export function useOngoingCall(channelId: string): OngoingCall | undefined {
  return useStoreState(({ calls }) => calls?.[channelId]);
}

import type { OngoingCall } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import type { ServerCache } from "./cache.ts";
import { type On, useServerCache } from "./data-context.ts";
import { useLive } from "./frames.ts";
import { perCache } from "./lookup.ts";
import { useMe } from "./me.ts";
import { ExpiringUsers } from "./presence.ts";
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

const speakersOf = perCache(() => new ExpiringUsers(LIMITS.callParticipantsShown));

/** Who speaks in the call of a channel, as their clients report it to those who aren't in the call. */
export function useReportedSpeakers(channelId: string): readonly string[] {
  const speakers = speakersOf(useServerCache());
  return useLive(speakers, () => speakers.in(channelId));
}

export function listenSpeakers(cache: ServerCache, on: On): void {
  const known = speakersOf(cache);
  on("speaking.changed", ({ channelId, speakers, expiresInMs }) => {
    for (const { userId, isSpeaking } of speakers)
      if (isSpeaking) known.start(channelId, userId, expiresInMs);
      else known.end(channelId, userId);
  });
}

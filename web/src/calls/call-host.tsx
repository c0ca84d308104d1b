import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { useCallsLoaded, useIsMutedByModerator } from "../data/calls.ts";
import { useServerCache } from "../data/data-context.ts";
import { useHasCalls } from "../session/server-meta.ts";
import { showToast } from "../ui/feedback.tsx";
import { later } from "../shared/later.tsx";
import { useCallStore } from "./call-store.ts";
import { followMove, leaveCall } from "./calls.tsx";
import { usePushToTalk } from "./push-to-talk.ts";
import { followRings, useRings } from "./rings.ts";

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

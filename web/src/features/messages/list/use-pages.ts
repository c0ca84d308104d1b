import { useRef, useState } from "react";
import type { ChannelMessages } from "../../../data/channel-messages.ts";
import { errorText } from "../../../shared/error-text.ts";

/** The copy that the SDK holds lets its oldest messages go beyond 5,000: before that, a look into the past goes on. */
const MAX_LIVE = 4900;

export interface Pages {
  /** Why older messages could not be loaded; until `retry` nothing is tried. */
  error: string | null;
  loadOlder: () => void;
  loadNewer: () => void;
  retry: () => void;
}

/** Loads the pages before and after what is shown, one at a time. */
export function usePages(channel: ChannelMessages): Pages {
  const { snapshot, messages, hasOlder, hasNewer, isLive } = channel;
  const [error, setError] = useState<string | null>(null);
  const isLoading = useRef(false);

  const run = (work: () => Promise<unknown>) => {
    if (isLoading.current) return;
    isLoading.current = true;
    work()
      .then(
        () => setError(null),
        (failure: unknown) => setError(errorText(failure)),
      )
      .finally(() => {
        isLoading.current = false;
      });
  };

  const older = () => {
    const first = messages[0];
    const isFull = isLive && snapshot.messages.length >= MAX_LIVE && first === snapshot.messages[0];
    // The window begins right before the copy, so the two are one list.
    return isFull && first !== undefined ? channel.jumpTo({ seq: first.seq - 1 }) : channel.loadOlder();
  };
  return {
    error,
    loadOlder: () => hasOlder && error === null && run(older),
    loadNewer: () => hasNewer && run(channel.loadNewer),
    retry: () => run(older),
  };
}

import type { Channel } from "@fanfare/contract";
import { useCallback } from "react";
import { useServerCache } from "../data/data-context.ts";
import { whenLoaded } from "../shared/when-loaded.ts";
import { showFailure } from "../ui/feedback.tsx";
import type { UserJoinOptions } from "./calls.tsx";

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

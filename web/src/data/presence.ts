import type { Status } from "@fanfare/client";
import type { Result } from "@fanfare/contract";
import type { UseQueryResult } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";
import type { ServerCache } from "./cache.ts";
import { useAsk, useServerCache } from "./data-context.ts";
import type { Effects } from "./per-cache.ts";
import { useMe } from "./me.ts";

/** How a user is, kept up as long as somebody shows it; undefined where it is not known, or too many are watched. */
export function useStatus(userId: string | null | undefined): Status | undefined {
  const { presence } = useServerCache().client;
  useEffect(() => {
    if (!userId) return undefined;
    try {
      return presence.watch([userId]);
    } catch {
      // More than the server lets one hear of: this one has no mark.
      return undefined;
    }
  }, [presence, userId]);
  return useSyncExternalStore(
    (onChange) => presence.subscribe(onChange),
    () => (userId ? presence.status(userId) : undefined),
  );
}

export type OwnStatus = Result<"presence.setStatus">["status"];

/** What the user has set for others to see. */
export function useOwnStatus(): UseQueryResult<OwnStatus> {
  const { id } = useMe();
  return useAsk("presence.watch", { userIds: [id] }, { select: ({ ownStatus }) => ownStatus });
}

export const presenceEffects: Effects = {
  "presence.setStatus": {
    before(cache, { status }) {
      patchOwnStatus(cache, status);
      return () => cache.refetch("presence.watch");
    },
    after: (cache, _, { status }) => patchOwnStatus(cache, status),
  },
};

function patchOwnStatus(cache: ServerCache, ownStatus: OwnStatus): void {
  cache.patch("presence.watch", (answer) =>
    answer.ownStatus === ownStatus ? answer : { ...answer, ownStatus },
  );
}

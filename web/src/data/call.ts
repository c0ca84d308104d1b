import type { Call } from "@fanfare/contract";
import { useMemo } from "react";
import type { ServerCache } from "./cache.ts";
import { useServerCache } from "./data-context.ts";
import type { Effect, Effects } from "./lookup.ts";
import { accountEffects } from "./me.ts";
import { adminEffects } from "./admin.ts";
import { channelEffects, overrideEffects, roleEffects } from "./groups.ts";
import { directEffects, friendEffects } from "./people.ts";
import { inboxEffects, notificationEffects } from "./inbox.ts";
import { integrationEffects, moderationEffects } from "./group-settings.ts";
import { reviewEffects } from "./review-queues.ts";
import { presenceEffects } from "./presence.ts";
import { threadEffects } from "./channel-messages.ts";

/**
 * Calls an action and updates the cache optimistically.
 * @throws {FanfareError} as `client.call`
 */
export function callWithEffects(cache: ServerCache): Call {
  return async (name, params) => {
    const effect: Effect<typeof name> | undefined = EFFECTS[name];
    const undo = effect?.before?.(cache, params);
    try {
      const response = await cache.client.call(name, params);
      effect?.after?.(cache, params, response);
      return response;
    } catch (error) {
      undo?.();
      throw error;
    }
  };
}

/** `await call("group.update", { groupId, name })`: calls any action of the contract and updates cached lists. */
export function useCall(): Call {
  const cache = useServerCache();
  return useMemo(() => callWithEffects(cache), [cache]);
}

/** Cache updates that the actions' events don't cover. */
const EFFECTS: Effects = {
  ...accountEffects,
  ...roleEffects,
  ...moderationEffects,
  ...channelEffects,
  ...overrideEffects,
  ...directEffects,
  ...friendEffects,
  ...threadEffects,
  ...inboxEffects,
  ...notificationEffects,
  ...integrationEffects,
  ...presenceEffects,
  ...reviewEffects,
  ...adminEffects,
};

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
import { presenceEffects } from "./presence.ts";
import { threadEffects } from "./channel-messages.ts";

/**
 * Calls an action, and shows at once what it changes.
 * @throws {FanfareError} as `client.call`
 */
export function callWithEffects(cache: ServerCache): Call {
  return async (name, params) => {
    const effect: Effect<typeof name> | undefined = EFFECTS[name];
    const undo = effect?.before?.(cache, params);
    try {
      const answer = await cache.client.call(name, params);
      effect?.after?.(cache, params, answer);
      return answer;
    } catch (error) {
      undo?.();
      throw error;
    }
  };
}

/** `await call("group.update", { groupId, name })`: any action of the contract; lists that it changes are changed. */
export function useCall(): Call {
  const cache = useServerCache();
  return useMemo(() => callWithEffects(cache), [cache]);
}

/** What calls change in the cache besides what their events do. */
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
  ...adminEffects,
};

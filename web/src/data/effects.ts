import { accountEffects } from "./account.ts";
import { adminEffects } from "./admin.ts";
import { channelEffects } from "./channels.ts";
import { directEffects } from "./directs.ts";
import type { Effects } from "./effect.ts";
import { friendEffects } from "./friends.ts";
import { groupEffects } from "./groups.ts";
import { inboxEffects } from "./inbox.ts";
import { integrationEffects } from "./integrations.ts";
import { meEffects } from "./me.ts";
import { memberEffects } from "./members.ts";
import { moderationEffects } from "./moderation.ts";
import { notificationEffects } from "./notifications.ts";
import { overrideEffects } from "./overrides.ts";
import { pinEffects } from "./pins.ts";
import { presenceEffects } from "./presence.ts";
import { roleEffects } from "./roles.ts";
import { threadEffects } from "./threads.ts";

/** What calls change in the cache besides what their events do. */
export const EFFECTS: Effects = {
  ...meEffects,
  ...accountEffects,
  ...groupEffects,
  ...memberEffects,
  ...roleEffects,
  ...moderationEffects,
  ...channelEffects,
  ...overrideEffects,
  ...directEffects,
  ...friendEffects,
  ...threadEffects,
  ...pinEffects,
  ...inboxEffects,
  ...notificationEffects,
  ...integrationEffects,
  ...presenceEffects,
  ...adminEffects,
};

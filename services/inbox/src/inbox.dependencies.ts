import type { NodeContext } from "@fanfare/kernel";
import type { DraftRepository } from "./draft.repository.ts";
import type { FollowRepository } from "./follow.repository.ts";
import type { MissedRepository } from "./mail/missed.repository.ts";
import type { MarkerRepository } from "./marker.repository.ts";
import type { SubscriptionRepository } from "./push/subscription.repository.ts";
import type { VapidKeys } from "./push/vapid-keys.ts";
import type { PreferencesRepository } from "./preferences.repository.ts";
import type { SavedRepository } from "./saved.repository.ts";
import type { ScheduledRepository } from "./scheduled.repository.ts";
import type { SettingRepository } from "./setting.repository.ts";

/** Dependencies of the actions of this service. */
export interface InboxDependencies {
  node: NodeContext;
  markers: MarkerRepository;
  settings: SettingRepository;
  preferences: PreferencesRepository;
  follows: FollowRepository;
  drafts: DraftRepository;
  saved: SavedRepository;
  scheduled: ScheduledRepository;
  subscriptions: SubscriptionRepository;
  missed: MissedRepository;
  /** Call these with the time of a reminder or scheduled message that was stored. */
  remindAt: (time: Date) => Promise<void>;
  sendAt: (time: Date) => Promise<void>;
  vapid: () => Promise<VapidKeys>;
  /** Call this after a subscription was added. */
  subscribed: () => void;
}

import type { NodeContext } from "@fanfare/kernel";
import type { FollowRepository } from "./follow.repository.ts";
import type { MarkerRepository } from "./marker.repository.ts";
import type { SubscriptionRepository } from "./push/subscription.repository.ts";
import type { VapidKeys } from "./push/vapid-keys.ts";
import type { SettingRepository } from "./setting.repository.ts";

/** Dependencies of the actions of this service. */
export interface InboxDependencies {
  node: NodeContext;
  markers: MarkerRepository;
  settings: SettingRepository;
  follows: FollowRepository;
  subscriptions: SubscriptionRepository;
  /** null: pushes are disabled. */
  vapid: () => VapidKeys | null;
  /** Call this after a subscription was added. */
  subscribed: () => void;
}

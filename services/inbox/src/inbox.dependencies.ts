import type { NodeContext } from "@fanfare/kernel";
import type { FollowRepository } from "./follow.repository.ts";
import type { MarkerRepository } from "./marker.repository.ts";
import type { SubscriptionRepository } from "./push/subscription.repository.ts";
import type { VapidKeys } from "./push/vapid-keys.ts";
import type { SettingRepository } from "./setting.repository.ts";

/** What the actions of this service work with. */
export interface InboxDependencies {
  node: NodeContext;
  markers: MarkerRepository;
  settings: SettingRepository;
  follows: FollowRepository;
  subscriptions: SubscriptionRepository;
  /** null: no pushes. */
  vapid: () => VapidKeys | null;
  /** There may be subscriptions now where there were none. */
  subscribed: () => void;
}

import type { DomainEvents, NodeContext } from "@fanfare/kernel";
import { Outbound } from "@fanfare/outbound";
import type { SettingRepository } from "../setting.repository.ts";
import { Pusher } from "./pusher.ts";
import { createPushes } from "./pushes.ts";
import type { SubscriptionRepository } from "./subscription.repository.ts";
import { loadVapidKeys, type VapidKeys } from "./vapid-keys.ts";

export interface PushOptions {
  node: NodeContext;
  settings: SettingRepository;
  subscriptions: SubscriptionRepository;
}

/** Pushes to browsers, which there are none of where no keys are configured. */
export function createPush({ node, settings, subscriptions }: PushOptions) {
  let running: { vapid: VapidKeys; outbound: Outbound } | null = null;
  const pushes = createPushes({ node, subscriptions, running: () => running });
  const pusher = new Pusher({ node, settings, subscriptions, pushes });
  return {
    vapid: () => running?.vapid ?? null,
    subscribed: () => pusher.subscribed(),
    stored: async (stored: DomainEvents["message.stored"]): Promise<void> => {
      if (running !== null) await pusher.push(stored);
    },
    async start(): Promise<void> {
      const vapid = await loadVapidKeys(node.config);
      if (vapid === null) return;
      running = {
        vapid,
        outbound: new Outbound({ userAgent: "Fanfare-Push", allow: node.config.outboundAllow }),
      };
    },
    async stop(): Promise<void> {
      await running?.outbound.close();
    },
  };
}

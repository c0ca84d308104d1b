import { Counter, readGauge, type DomainEvents, type NodeContext } from "@fanfare/kernel";
import { Outbound } from "@fanfare/outbound";
import type { SettingRepository } from "../setting.repository.ts";
import { PushQueue } from "./push-queue.ts";
import { Pusher } from "./pusher.ts";
import type { SubscriptionRepository } from "./subscription.repository.ts";
import { loadVapidKeys, type VapidKeys } from "./vapid-keys.ts";

export interface PushOptions {
  node: NodeContext;
  settings: SettingRepository;
  subscriptions: SubscriptionRepository;
}

/** Pushes to browsers, which there are none of where no keys are configured. */
export function createPush({ node, settings, subscriptions }: PushOptions) {
  const sent = new Counter({
    name: "fanfare_pushes_total",
    help: "Pushes to browsers by their outcome: sent, gone, refused, failed, dropped.",
    labelNames: ["outcome"],
    registers: [node.metrics],
  });
  for (const outcome of ["sent", "gone", "refused", "failed", "dropped"]) sent.inc({ outcome }, 0);
  let running: { vapid: VapidKeys; outbound: Outbound; queue: PushQueue; pusher: Pusher } | null = null;
  readGauge({
    name: "fanfare_pushes_waiting",
    help: "Pushes that wait to be sent.",
    registry: node.metrics,
    read: () => running?.queue.waiting ?? 0,
  });
  return {
    vapid: () => running?.vapid ?? null,
    subscribed: () => running?.pusher.subscribed(),
    stored: (stored: DomainEvents["message.stored"]) => running?.pusher.push(stored),
    async start(): Promise<void> {
      const vapid = await loadVapidKeys(node.config);
      if (vapid === null) return;
      const outbound = new Outbound({ userAgent: "Fanfare-Push", allow: node.config.outboundAllow });
      const queue = new PushQueue({
        vapid,
        request: (request) => outbound.request(request),
        onGone: (subscription) => subscriptions.removeStale(subscription),
        sent,
        logger: node.logger,
      });
      running = {
        vapid,
        outbound,
        queue,
        pusher: new Pusher({ node, settings, subscriptions, queue }),
      };
    },
    async stop(): Promise<void> {
      await running?.pusher.stop();
      await running?.queue.stop();
      await running?.outbound.close();
    },
  };
}

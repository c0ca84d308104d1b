import type { Webhook } from "@fanfare/contract";
import type { WebhookDocument } from "./webhook.repository.ts";

export function presentWebhook(webhook: WebhookDocument): Webhook {
  return {
    id: webhook._id,
    channelId: webhook.channelId,
    name: webhook.name,
    avatarUrl: webhook.avatarUrl,
    createdBy: webhook.createdBy,
    createdAt: webhook.createdAt.toISOString(),
  };
}

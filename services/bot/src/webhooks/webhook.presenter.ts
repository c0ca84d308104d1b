import type { Webhook } from "@fanfare/contract";
import type { WebhookDocument } from "./webhook.repository.ts";

export function presentWebhook(webhook: WebhookDocument): Webhook {
  return {
    id: webhook._id.toHexString(),
    channelId: webhook.channelId.toHexString(),
    name: webhook.name,
    avatarUrl: webhook.avatarUrl,
    createdBy: webhook.createdBy.toHexString(),
    createdAt: webhook.createdAt.toISOString(),
  };
}

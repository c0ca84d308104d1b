import { row } from "../row.ts";

const NOT_THERE = "0".repeat(24);
const noWebhook = ({ channel }: { channel: { id: string } }) => ({
  channelId: channel.id,
  webhookId: NOT_THERE,
});
const notFound = { why: "there is no such webhook", allowed: "WEBHOOK_NOT_FOUND" } as const;

/** Existing webhooks are tested in services/bot/test/webhooks.test.ts. */
export const webhookRows = {
  "webhook.create": row("webhook.create", ({ channel }) => ({ channelId: channel.id, name: "Builds" })),
  "webhook.list": row("webhook.list", ({ channel }) => ({ channelId: channel.id })),
  "webhook.update": row("webhook.update", (world) => ({ ...noWebhook(world), name: "Other" }), notFound),
  "webhook.delete": row("webhook.delete", noWebhook, notFound),
  "webhook.execute": row(
    "webhook.execute",
    () => ({ webhookId: NOT_THERE, token: "no", content: "Hello" }),
    notFound,
  ),
  "webhook.check": row("webhook.check", () => ({ webhookId: NOT_THERE, token: "no" }), notFound),
};

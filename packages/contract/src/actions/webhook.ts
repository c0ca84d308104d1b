import { z } from "zod";
import { internal, mutation, perMinute, query } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";

const oneWebhook = e.inChannel.extend({ webhookId: e.id });
const webhookResult = z.object({ webhook: e.WebhookSchema });
const manages = { rule: "channel", can: "manageWebhooks" } as const;
const ofToken = z.object({ webhookId: e.id, token: z.string().min(1).max(LIMITS.secretMaxChars) });
const secret = z
  .string()
  .min(LIMITS.callbackSecretMinChars)
  .max(LIMITS.secretMaxChars)
  .nullable()
  .describe("if set, requests without a signature made with it are rejected; null: they need none");
const posted = ofToken.extend({
  content: e.messageContent.or(z.literal("")).default("").describe("empty only with cards"),
  cards: e.cards.optional(),
  controls: e.links.optional().describe("links under the message"),
  name: e.nickname.optional().describe("instead of the webhook's"),
  avatarUrl: e.httpAddress.optional(),
  nonce: e.nonce.optional().describe("makes the call repeatable"),
  secret: z
    .string()
    .max(LIMITS.secretMaxChars)
    .optional()
    .describe("the webhook's secret, if it has one. POST /api/webhooks/… takes a signature instead"),
});
const postResult = z.object({ messageId: e.id, channelId: e.id });
const perWebhook = { param: "webhookId", points: 30, durationMs: 10_000 };

/** A webhook has its creator's permissions, and works only as long as they can manage webhooks in the channel. */
export const webhookActions = {
  create: mutation({
    summary: "Create a webhook: a secret URL for posting messages to this channel.",
    params: e.inChannel.extend({
      name: e.nickname,
      avatarUrl: e.httpAddress.nullable().default(null),
      secret: secret.default(null),
    }),
    result: webhookResult.extend({
      token: z.string().describe("shown only once"),
      path: z.string().describe("the path on this server to POST `{content}` to"),
    }),
    permission: manages,
    audited: "webhook",
    errors: ["LIMIT_REACHED"],
    rateLimit: perMinute(20),
  }),
  list: query({
    summary: "The webhooks of a channel.",
    params: e.inChannel,
    result: z.object({ webhooks: z.array(e.WebhookSchema).max(LIMITS.webhooksPerChannel) }),
    permission: manages,
  }),
  update: mutation({
    summary: "Change a webhook's name, picture or secret.",
    params: oneWebhook.extend({
      name: e.nickname.optional(),
      avatarUrl: e.httpAddress.nullable().optional(),
      secret: secret.optional(),
    }),
    result: webhookResult,
    permission: manages,
    audited: "webhook",
    errors: ["WEBHOOK_NOT_FOUND"],
  }),
  delete: mutation({
    summary: "Delete a webhook. Its URL stops working at once.",
    params: oneWebhook,
    permission: manages,
    audited: "webhook",
    errors: ["WEBHOOK_NOT_FOUND"],
  }),
  execute: mutation({
    summary:
      "Post a message through a webhook, without logging in. Also at `POST /api/webhooks/<webhookId>/<token>`, which accepts the formats of other " +
      "services too, such as Slack, Discord, GitHub and Alertmanager, and files as multipart/form-data.",
    params: posted.refine(e.hasTextOrCards, {
      path: ["content"],
      message: "must not be empty without cards",
    }),
    result: postResult,
    permission: { rule: "public" },
    createsMessage: true,
    errors: ["WEBHOOK_NOT_FOUND", "SIGNATURE_INVALID", "MUTED", "SLOW_MODE"],
    rateLimit: { ...perMinute(120), perValueOf: perWebhook },
    transports: ["http"],
  }),
  check: query({
    summary: "Check that a webhook can post, without logging in or posting.",
    params: ofToken,
    result: z.object({ channelId: e.id }),
    permission: { rule: "public" },
    errors: ["WEBHOOK_NOT_FOUND"],
    rateLimit: { ...perMinute(120), perValueOf: perWebhook },
    transports: ["http"],
  }),
  startUpload: internal({
    summary: "Start the upload of a file that a webhook posts, with its creator's permissions.",
    params: ofToken.extend({ name: e.fileName, bytes: z.int().min(1) }),
    result: z.object({ fileId: e.id }),
    errors: ["WEBHOOK_NOT_FOUND", "FORBIDDEN", "MUTED", "FILE_TOO_LARGE", "LIMIT_REACHED"],
  }),
  executeWithFiles: internal({
    summary: "Post a message with files that were uploaded for it through a webhook.",
    params: posted.extend({ attachmentIds: z.array(e.id).min(1).max(LIMITS.attachmentsPerMessage) }),
    result: postResult.extend({ attachmentIds: z.array(e.id) }),
    errors: ["WEBHOOK_NOT_FOUND", "SIGNATURE_INVALID", "MUTED", "SLOW_MODE"],
  }),
  getSecret: internal({
    summary: "The secret of a webhook whose token was checked.",
    params: z.object({ webhookId: e.id }),
    result: z.object({ secret: z.string().nullable() }),
  }),
};

import { randomUUID } from "node:crypto";
import { LIMITS, type Message, type Params, type ParsedParams, type Webhook } from "@fanfare/contract";
import {
  type Access,
  assertBelow,
  type Handlers,
  hashSecret,
  matchesHash,
  can,
  orThrow,
  newId,
  newSecret,
  ServiceError,
  serviceError,
} from "@fanfare/kernel";
import type { BotDependencies } from "../bot.dependencies.ts";
import type { WebhookDocument } from "../webhook.repository.ts";

const HIDDEN: ReadonlySet<string> = new Set(["CHANNEL_NOT_FOUND", "FORBIDDEN"]);

export const webhookActions = ({ node, webhooks, webhookSealer }: BotDependencies): Handlers => {
  const seal = (secret: string | null, webhookId: string) =>
    secret === null ? null : webhookSealer.seal(secret, webhookId);
  /** @throws {ServiceError} SIGNATURE_INVALID if it can't be opened, because TOKEN_SECRET has changed */
  const secretOf = ({ _id, sealedSecret }: WebhookDocument): string | null =>
    sealedSecret == null ? null : orThrow(webhookSealer.open(sealedSecret, _id), "SIGNATURE_INVALID").text;
  /**
   * An invalid URL and missing permissions of its creator return the same error.
   * @throws {ServiceError} WEBHOOK_NOT_FOUND
   */
  const findUsable = async (webhookId: string, token: string): Promise<WebhookDocument> => {
    const webhook = await webhooks.find(webhookId);
    if (webhook === null || !matchesHash(token, webhook.tokenHash)) throw serviceError("WEBHOOK_NOT_FOUND");
    const { createdBy: userId, channelId } = webhook;
    const isUsable =
      (await node.services.user.isActive({ userId })).isActive &&
      can(await node.access.get(userId, { channelId }), "manageWebhooks");
    if (!isUsable) throw serviceError("WEBHOOK_NOT_FOUND");
    return webhook;
  };
  const execute = async ({
    webhookId,
    token,
    name,
    avatarUrl,
    nonce,
    secret,
    ...message
  }: ParsedParams<"webhook.execute"> & { attachmentIds?: string[] }): Promise<Message> => {
    const webhook = await findUsable(webhookId, token);
    const expected = secretOf(webhook);
    if (expected !== null && !matchesHash(secret ?? "", hashSecret(expected)))
      throw serviceError("SIGNATURE_INVALID");
    const { channelId, createdBy: authorId } = webhook;
    try {
      const posted = await node.services.message.post({
        ...message,
        channelId,
        authorId,
        nonce: nonce ?? randomUUID(),
        as: { name: name ?? webhook.name, avatarUrl: avatarUrl ?? webhook.avatarUrl },
      });
      return posted.message;
    } catch (error) {
      const isHidden = error instanceof ServiceError && HIDDEN.has(error.type);
      throw isHidden ? serviceError("WEBHOOK_NOT_FOUND") : error;
    }
  };

  return {
    "webhook.create": async ({ params: { channelId, name, avatarUrl, secret }, actor, access }) => {
      assertBelow("webhooksPerChannel", await webhooks.countOfChannel(channelId, LIMITS.webhooksPerChannel));
      const token = newSecret();
      const id = newId();
      const webhook = await webhooks.insert({
        _id: id,
        channelId,
        name,
        avatarUrl,
        tokenHash: hashSecret(token),
        sealedSecret: seal(secret, id),
        createdBy: actor.userId,
        createdAt: new Date(),
      });
      await record(node, access, actor.userId, "webhook.create", id, { after: { channelId, name } });
      return { webhook: presentWebhook(webhook), token, path: `/api/webhooks/${id}/${token}` };
    },

    "webhook.list": async ({ params: { channelId } }) => ({
      webhooks: (await webhooks.listOfChannel(channelId, LIMITS.webhooksPerChannel)).map(presentWebhook),
    }),

    "webhook.update": async ({ params, actor, access }) => {
      const { channelId, webhookId, name, avatarUrl, secret } = params;
      const changes = {
        ...(name !== undefined && { name }),
        ...(avatarUrl !== undefined && { avatarUrl }),
        ...(secret !== undefined && { sealedSecret: seal(secret, webhookId) }),
      };
      const former = orThrow(await webhooks.update(channelId, webhookId, changes), "WEBHOOK_NOT_FOUND");
      const webhook = { ...former, ...changes };
      const shown = ({ name, avatarUrl, sealedSecret }: WebhookDocument) => ({
        channelId,
        name,
        avatarUrl,
        signed: sealedSecret != null,
      });
      if (former.name !== webhook.name || former.avatarUrl !== webhook.avatarUrl || secret !== undefined)
        await record(node, access, actor.userId, "webhook.update", webhookId, {
          before: shown(former),
          after: shown(webhook),
        });
      return { webhook: presentWebhook(webhook) };
    },

    "webhook.delete": async ({ params: { channelId, webhookId }, actor, access }) => {
      const webhook = orThrow(await webhooks.remove(channelId, webhookId), "WEBHOOK_NOT_FOUND");
      const after = { channelId, name: webhook.name };
      await record(node, access, actor.userId, "webhook.delete", webhookId, { after });
      return {};
    },

    "webhook.execute": async ({ params }) => {
      const { id: messageId, channelId } = await execute(params);
      return { messageId, channelId };
    },

    "webhook.executeWithFiles": async ({ params }) => {
      const { id: messageId, channelId, attachments = [] } = await execute(params);
      return { messageId, channelId, attachmentIds: attachments.map(({ fileId }) => fileId) };
    },

    "webhook.startUpload": async ({ params: { webhookId, token, name, bytes } }) => {
      const { channelId, createdBy: userId } = await findUsable(webhookId, token);
      return node.services.file.startUploadFor({ userId, channelId, name, bytes });
    },

    "webhook.getSecret": async ({ params: { webhookId } }) => ({
      secret: secretOf(orThrow(await webhooks.find(webhookId), "WEBHOOK_NOT_FOUND")),
    }),

    "webhook.check": async ({ params: { webhookId, token } }) => {
      const { channelId } = await findUsable(webhookId, token);
      return { channelId };
    },
  };
};

async function record(
  node: BotDependencies["node"],
  { groupId }: Access,
  actorId: string,
  action: string,
  targetId: string,
  states: Pick<Params<"group.recordAudit">, "before" | "after">,
): Promise<void> {
  if (groupId !== null)
    await node.services.group.recordAudit({ groupId, actorId, action, targetId, ...states });
}

function presentWebhook(webhook: WebhookDocument): Webhook {
  return {
    id: webhook._id,
    channelId: webhook.channelId,
    name: webhook.name,
    avatarUrl: webhook.avatarUrl,
    signed: webhook.sealedSecret != null,
    createdBy: webhook.createdBy,
    createdAt: webhook.createdAt.toISOString(),
  };
}

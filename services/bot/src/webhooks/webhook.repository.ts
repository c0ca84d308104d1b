import { Types, type Connection } from "mongoose";
import { DURABLE } from "../bot.model.ts";
import { webhookModel, type WebhookDocument } from "./webhook.model.ts";

export type WebhookRepository = ReturnType<typeof createWebhookRepository>;

/** Every query of the collection webhooks. */
export function createWebhookRepository(connection: Connection) {
  const webhooks = webhookModel(connection);
  return {
    async insert(webhook: WebhookDocument): Promise<void> {
      await webhooks.collection.insertOne(webhook, { writeConcern: DURABLE });
    },

    find: (webhookId: string) => webhooks.findById(webhookId).lean(),

    listOfChannel: (channelId: string, limit: number) =>
      webhooks.find({ channelId }).sort({ channelId: 1, _id: 1 }).limit(limit).lean(),

    countOfChannel: (channelId: string, max: number) =>
      webhooks.countDocuments({ channelId: new Types.ObjectId(channelId) }, { limit: max }),

    /** The webhook as it was before; null where there is none. */
    update: (
      channelId: string,
      webhookId: string,
      changes: Partial<Pick<WebhookDocument, "name" | "avatarUrl">>,
    ) =>
      webhooks
        .findOneAndUpdate({ _id: webhookId, channelId }, { $set: changes }, { returnDocument: "before" })
        .lean(),

    remove: (channelId: string, webhookId: string) =>
      webhooks.findOneAndDelete({ _id: webhookId, channelId }).lean(),

    async removeOfChannels(channelIds: readonly string[]): Promise<void> {
      await webhooks.deleteMany({ channelId: { $in: channelIds } });
    },

    listNewestOfUser: (userId: string, limit: number) =>
      webhooks.find({ createdBy: userId }).sort({ createdBy: -1, _id: -1 }).limit(limit).lean(),

    /** @returns false where the user has no such webhook */
    removeOneOfUser: async (userId: string, webhookId: string): Promise<boolean> =>
      (await webhooks.deleteOne({ _id: webhookId, createdBy: userId })).deletedCount === 1,

    async removeOfUser(userId: string): Promise<void> {
      await webhooks.deleteMany({ createdBy: userId });
    },
  };
}

import { defineRepository, REQUIRED_ID } from "@fanfare/kernel";
import { Schema } from "mongoose";

export interface WebhookDocument {
  _id: string;
  channelId: string;
  name: string;
  avatarUrl: string | null;
  tokenHash: string;
  /** Absent: requests need no signature. */
  sealedSecret?: string | null;
  createdBy: string;
  createdAt: Date;
}

const schema = new Schema<WebhookDocument>(
  {
    channelId: REQUIRED_ID,
    name: { type: String, required: true },
    avatarUrl: { type: String, default: null },
    tokenHash: { type: String, required: true },
    sealedSecret: String,
    createdBy: REQUIRED_ID,
    createdAt: { type: Date, required: true },
  },
  { collection: "webhooks" },
);
schema.index({ channelId: 1, _id: 1 });
schema.index({ createdBy: 1, _id: 1 });

/** Queries of the collection webhooks. */
export const createWebhookRepository = defineRepository(
  { name: "Webhook", schema },
  ({ model: webhooks, insert, removeAll }) => ({
    insert,

    find: (webhookId: string) => webhooks.findById(webhookId).lean(),

    listOfChannel: (channelId: string, limit: number) =>
      webhooks.find({ channelId }).sort({ channelId: 1, _id: 1 }).limit(limit).lean(),

    countOfChannel: (channelId: string, max: number) =>
      webhooks.countDocuments({ channelId }, { limit: max }),

    /** @returns the webhook before the change, or null when it doesn't exist */
    update: (
      channelId: string,
      webhookId: string,
      changes: Partial<Pick<WebhookDocument, "name" | "avatarUrl" | "sealedSecret">>,
    ) =>
      webhooks
        .findOneAndUpdate({ _id: webhookId, channelId }, { $set: changes }, { returnDocument: "before" })
        .lean(),

    remove: (channelId: string, webhookId: string) =>
      webhooks.findOneAndDelete({ _id: webhookId, channelId }).lean(),

    removeOfChannels: (channelIds: readonly string[]) => removeAll({ channelId: { $in: channelIds } }),

    listNewestOfUser: (userId: string, limit: number, before: string) =>
      webhooks
        .find({ createdBy: userId, _id: { $lt: before } })
        .sort({ createdBy: -1, _id: -1 })
        .limit(limit)
        .lean(),

    /** @returns false when the user has no such webhook */
    removeOneOfUser: async (userId: string, webhookId: string): Promise<boolean> =>
      (await webhooks.deleteOne({ _id: webhookId, createdBy: userId })).deletedCount === 1,

    removeOfUser: (userId: string) => removeAll({ createdBy: userId }),
  }),
);

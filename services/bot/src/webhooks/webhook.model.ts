import { Schema, type Connection, type Model, type Types } from "mongoose";
import { DURABLE } from "../bot.model.ts";

export interface WebhookDocument {
  _id: Types.ObjectId;
  channelId: Types.ObjectId;
  name: string;
  avatarUrl: string | null;
  tokenHash: string;
  createdBy: Types.ObjectId;
  createdAt: Date;
}

const schema = new Schema<WebhookDocument>(
  {
    channelId: { type: Schema.Types.ObjectId, required: true },
    name: { type: String, required: true },
    avatarUrl: { type: String, default: null },
    tokenHash: { type: String, required: true },
    createdBy: { type: Schema.Types.ObjectId, required: true },
    createdAt: { type: Date, required: true },
  },
  { collection: "webhooks", writeConcern: DURABLE, versionKey: false },
);
schema.index({ channelId: 1, _id: 1 });
schema.index({ createdBy: 1, _id: 1 });

export function webhookModel(connection: Connection): Model<WebhookDocument> {
  return connection.model<WebhookDocument>("Webhook", schema);
}

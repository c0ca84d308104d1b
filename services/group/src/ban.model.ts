import { Schema, type Connection, type Model, type Types } from "mongoose";
import { DURABLE } from "./durable.ts";

export interface BanDocument {
  _id: Types.ObjectId;
  groupId: Types.ObjectId;
  userId: Types.ObjectId;
  bannedBy: Types.ObjectId;
  reason?: string | null;
  createdAt: Date;
}

const banSchema = new Schema<BanDocument>(
  {
    groupId: { type: Schema.Types.ObjectId, required: true },
    userId: { type: Schema.Types.ObjectId, required: true },
    bannedBy: { type: Schema.Types.ObjectId, required: true },
    reason: String,
    createdAt: { type: Date, required: true },
  },
  { collection: "bans", writeConcern: DURABLE, versionKey: false },
);
banSchema.index({ groupId: 1, userId: 1 }, { unique: true });

export function banModel(connection: Connection): Model<BanDocument> {
  return connection.model<BanDocument>("Ban", banSchema);
}

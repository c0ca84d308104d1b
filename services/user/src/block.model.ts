import { Schema, type Connection, type Model, type Types } from "mongoose";
import { DURABLE } from "./user.model.ts";

/** One user wants nothing from another. */
export interface BlockDocument {
  _id: Types.ObjectId;
  userId: Types.ObjectId;
  blockedId: Types.ObjectId;
}

const blockSchema = new Schema<BlockDocument>(
  {
    userId: { type: Schema.Types.ObjectId, required: true },
    blockedId: { type: Schema.Types.ObjectId, required: true },
  },
  { collection: "blocks", writeConcern: DURABLE, versionKey: false },
);
blockSchema.index({ userId: 1, blockedId: 1 }, { unique: true });
blockSchema.index({ blockedId: 1, userId: 1 });

export function blockModel(connection: Connection): Model<BlockDocument> {
  return connection.model<BlockDocument>("Block", blockSchema);
}

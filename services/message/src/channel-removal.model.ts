import { Schema, type Connection, type Model, type Types } from "mongoose";

/** A channel whose messages are still to be deleted: kept until they are, so that another worker goes on with it. */
export interface ChannelRemovalDocument {
  /** The channel's id. */
  _id: Types.ObjectId;
  requestedAt: Date;
}

const schema = new Schema<ChannelRemovalDocument>(
  { requestedAt: { type: Date, required: true } },
  { collection: "channelRemovals", versionKey: false },
);
schema.index({ requestedAt: 1 });

export function channelRemovalModel(database: Connection): Model<ChannelRemovalDocument> {
  return database.model<ChannelRemovalDocument>("ChannelRemoval", schema);
}

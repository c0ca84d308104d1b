import { Schema, type Connection, type Model, type Types } from "mongoose";

/**
 * Where a channel stands, for lists of many channels: never below what was acknowledged. It may be ahead of the messages
 * until the next one is stored, so nothing is numbered by it.
 */
export interface HeadDocument {
  /** The channel's id. */
  _id: Types.ObjectId;
  seq: number;
  rev: number;
  /** What is older is removed, or about to be. Absent: nothing was. */
  retainedFrom?: number;
}

const schema = new Schema<HeadDocument>(
  { seq: { type: Number, required: true }, rev: { type: Number, required: true }, retainedFrom: Number },
  { collection: "channelHeads", versionKey: false },
);

export function channelHeadModel(database: Connection): Model<HeadDocument> {
  return database.model<HeadDocument>("ChannelHead", schema);
}

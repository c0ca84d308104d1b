import { Schema, type Connection, type Model, type Types } from "mongoose";

/** Numbers that a batch has taken and may not have stored yet. */
export interface PendingBatch {
  /** The first of `count` revs. */
  rev: number;
  count: number;
  /** The first of `messages` seqs; the message of each has the rev at the same place. The other revs are those of changes. */
  seq: number;
  messages: number;
  at: Date;
}

/** Where the numbers of a channel stand: `seq` and `rev` are the last ones taken. */
export interface HeadDocument {
  /** The channel's id. */
  _id: Types.ObjectId;
  seq: number;
  rev: number;
  pending?: Record<string, PendingBatch>;
  /** When a message found by its nonce was last made sure to be durable. */
  confirmedAt?: Date;
}

const schema = new Schema<HeadDocument>(
  {
    seq: { type: Number, required: true },
    rev: { type: Number, required: true },
    pending: { type: Schema.Types.Mixed },
    confirmedAt: { type: Date },
  },
  { collection: "channelHeads", versionKey: false, minimize: false },
);

export function channelHeadModel(database: Connection): Model<HeadDocument> {
  return database.model<HeadDocument>("ChannelHead", schema);
}

import { Schema, type Connection, type Model, type Types } from "mongoose";

/** What one message is found by. All of these can be made again from the messages. */
export interface EntryDocument {
  /** The message's id: newer ones are higher. */
  _id: Types.ObjectId;
  /** Of a message in a thread, the thread's parent: whoever sees that sees the thread. */
  channelId: Types.ObjectId;
  /** The change of the message that this was made from. */
  rev: number;
  tokens: string[];
}

const schema = new Schema<EntryDocument>(
  {
    channelId: { type: Schema.Types.ObjectId, required: true },
    rev: { type: Number, required: true },
    tokens: { type: [String], required: true },
  },
  { collection: "searchEntries", versionKey: false },
).index({ channelId: 1, tokens: 1, _id: -1 }, { name: "channel_token" });

export function entryModel(database: Connection): Model<EntryDocument> {
  return database.model<EntryDocument>("SearchEntry", schema);
}

import { Schema, type Connection, type Model, type Types } from "mongoose";

/** A message whose reactions may have changed since they were counted: kept until they are, whoever dies in between. */
export interface UncountedDocument {
  /** The message's id. */
  _id: Types.ObjectId;
  channelId: Types.ObjectId;
  /** New with every change. */
  token: string;
  since: Date;
}

const schema = new Schema<UncountedDocument>(
  {
    channelId: { type: Schema.Types.ObjectId, required: true },
    token: { type: String, required: true },
    since: { type: Date, required: true },
  },
  { collection: "uncountedReactions", versionKey: false },
).index({ since: 1 });

export function uncountedModel(database: Connection): Model<UncountedDocument> {
  return database.model<UncountedDocument>("UncountedReactions", schema);
}

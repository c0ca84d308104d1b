import { Schema, type Connection, type Model, type Types } from "mongoose";

/** A text that a message had before it was edited. */
export interface MessageEditDocument {
  _id: Types.ObjectId;
  channelId: Types.ObjectId;
  messageId: Types.ObjectId;
  /** How often the message had been edited by then. */
  version: number;
  content: string;
  writtenAt: Date;
}

const schema = new Schema<MessageEditDocument>(
  {
    channelId: { type: Schema.Types.ObjectId, required: true },
    messageId: { type: Schema.Types.ObjectId, required: true },
    version: { type: Number, required: true },
    content: { type: String, default: "" },
    writtenAt: { type: Date, required: true },
  },
  { collection: "messageEdits", versionKey: false },
)
  .index({ messageId: 1, version: 1 }, { unique: true, name: "message_version" })
  .index({ channelId: 1 }, { name: "channel" });

export function messageEditModel(database: Connection): Model<MessageEditDocument> {
  return database.model<MessageEditDocument>("MessageEdit", schema);
}

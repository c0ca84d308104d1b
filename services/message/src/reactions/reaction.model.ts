import { Schema, type Connection, type Model, type Types } from "mongoose";

/** One user's reaction with one emoji. What a message shows of them is counted from these. */
export interface ReactionDocument {
  _id: Types.ObjectId;
  channelId: Types.ObjectId;
  messageId: Types.ObjectId;
  emoji: string;
  userId: Types.ObjectId;
}

const schema = new Schema<ReactionDocument>(
  {
    channelId: { type: Schema.Types.ObjectId, required: true },
    messageId: { type: Schema.Types.ObjectId, required: true },
    emoji: { type: String, required: true },
    userId: { type: Schema.Types.ObjectId, required: true },
  },
  { collection: "reactions", versionKey: false },
)
  .index({ messageId: 1, emoji: 1, userId: 1 }, { unique: true, name: "message_emoji_user" })
  .index({ userId: 1, messageId: 1 }, { name: "user_message" })
  .index({ channelId: 1 }, { name: "channel" });

export function reactionModel(database: Connection): Model<ReactionDocument> {
  return database.model<ReactionDocument>("Reaction", schema);
}

import { LIMITS } from "@fanfare/contract";
import { Schema, type Connection, type Model, type Types } from "mongoose";

/** A user has taken part in a thread: has opened it, written in it or been named in it. */
export interface FollowDocument {
  _id: Types.ObjectId;
  userId: Types.ObjectId;
  threadId: Types.ObjectId;
  parentId: Types.ObjectId;
  groupId: Types.ObjectId;
  /** When the user did last. */
  at: Date;
}

const id = { type: Schema.Types.ObjectId, required: true };
const schema = new Schema<FollowDocument>(
  { userId: id, threadId: id, parentId: id, groupId: id, at: { type: Date, required: true } },
  { collection: "threadFollows", versionKey: false },
)
  .index({ threadId: 1, userId: 1 }, { unique: true, name: "thread_user" })
  .index({ userId: 1, at: -1 }, { name: "user_at" })
  .index({ at: 1 }, { name: "age", expireAfterSeconds: LIMITS.threadFollowedMs / 1000 });

export function followModel(connection: Connection): Model<FollowDocument> {
  return connection.model<FollowDocument>("ThreadFollow", schema);
}

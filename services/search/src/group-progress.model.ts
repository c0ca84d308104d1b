import { Schema, type Connection, type Model, type Types } from "mongoose";
import { GROUP_PROGRESS_LIFETIME_S } from "./bounds.ts";

/** How far the threads of a group are indexed: all in which nothing was written since. */
export interface GroupProgressDocument {
  /** The group's id. */
  _id: Types.ObjectId;
  /** The cursor of a thread (`channel.listActiveThreads`). */
  upTo: string;
  version: number;
  movedAt: Date;
}

const schema = new Schema<GroupProgressDocument>(
  {
    upTo: { type: String, required: true },
    version: { type: Number, required: true },
    movedAt: { type: Date, required: true },
  },
  { collection: "searchGroupProgress", versionKey: false },
).index({ movedAt: 1 }, { expireAfterSeconds: GROUP_PROGRESS_LIFETIME_S });

export function groupProgressModel(database: Connection): Model<GroupProgressDocument> {
  return database.model<GroupProgressDocument>("SearchGroupProgress", schema);
}

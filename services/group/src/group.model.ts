import { Schema, type Connection, type Model, type Types } from "mongoose";
import { DURABLE } from "./durable.ts";

export interface GroupDocument {
  _id: Types.ObjectId;
  name: string;
  description?: string;
  iconUrl?: string | null;
  ownerId: Types.ObjectId;
  memberCount: number;
  defaultChannelId?: Types.ObjectId | null;
  /** What every member may; absent: MEMBER_PERMISSIONS. */
  defaultPermissions?: number;
  /** Absent or null: no limit. */
  retentionDays?: number | null;
  /** Of its word filter; absent: none. */
  wordFilterRev?: number;
  createdAt: Date;
  /** Present while it is being made, from a file or without one: `deletedAt` is the epoch then. */
  importingSince?: Date;
  /** Set when the group is deleted and its parts are still being removed; nobody sees it any more. */
  deletedAt?: Date;
}

const groupSchema = new Schema<GroupDocument>(
  {
    name: { type: String, required: true },
    description: String,
    iconUrl: String,
    defaultChannelId: Schema.Types.ObjectId,
    defaultPermissions: Number,
    wordFilterRev: Number,
    retentionDays: Number,
    ownerId: { type: Schema.Types.ObjectId, required: true },
    memberCount: { type: Number, required: true },
    createdAt: { type: Date, required: true },
    importingSince: Date,
    deletedAt: Date,
  },
  { collection: "groups", writeConcern: DURABLE, versionKey: false },
);
groupSchema.index({ ownerId: 1 });
groupSchema.index({ deletedAt: 1 }, { sparse: true });

export function groupModel(connection: Connection): Model<GroupDocument> {
  return connection.model<GroupDocument>("Group", groupSchema);
}

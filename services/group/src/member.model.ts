import { Schema, type Connection, type Model, type Types } from "mongoose";
import { DURABLE } from "./durable.ts";

export interface MemberDocument {
  _id: Types.ObjectId;
  groupId: Types.ObjectId;
  userId: Types.ObjectId;
  /** Absent in whoever never had one, so that the index does not hold everybody. A deleted role may still be in it. */
  roleIds?: Types.ObjectId[];
  mutedUntil: Date | null;
  joinedAt: Date;
}

const memberSchema = new Schema<MemberDocument>(
  {
    groupId: { type: Schema.Types.ObjectId, required: true },
    userId: { type: Schema.Types.ObjectId, required: true },
    roleIds: { type: [Schema.Types.ObjectId], default: undefined },
    mutedUntil: { type: Date, default: null },
    joinedAt: { type: Date, required: true },
  },
  { collection: "members", writeConcern: DURABLE, versionKey: false },
);
memberSchema.index({ groupId: 1, userId: 1 }, { unique: true });
memberSchema.index({ userId: 1 });
memberSchema.index({ roleIds: 1 }, { sparse: true });

export function memberModel(connection: Connection): Model<MemberDocument> {
  return connection.model<MemberDocument>("Member", memberSchema);
}

import { Schema, type Connection, type Model, type Types } from "mongoose";
import { DURABLE } from "./durable.ts";

/** Somebody was in a group, so something of theirs may be in its channels; whether they are there again does not matter. */
export interface FormerMemberDocument {
  _id: Types.ObjectId;
  /** A group, or a direct channel of several. */
  groupId: Types.ObjectId;
  userId: Types.ObjectId;
  /** The epoch of the membership: a join that was asked for before the latest removal is refused. Absent in old documents. */
  leftAt?: Date;
}

const formerMemberSchema = new Schema<FormerMemberDocument>(
  {
    groupId: { type: Schema.Types.ObjectId, required: true },
    userId: { type: Schema.Types.ObjectId, required: true },
    leftAt: { type: Date },
  },
  { collection: "formerMembers", writeConcern: DURABLE, versionKey: false },
);
formerMemberSchema.index({ userId: 1, groupId: 1 }, { unique: true });
formerMemberSchema.index({ groupId: 1 });

export function formerMemberModel(connection: Connection): Model<FormerMemberDocument> {
  return connection.model<FormerMemberDocument>("FormerMember", formerMemberSchema);
}

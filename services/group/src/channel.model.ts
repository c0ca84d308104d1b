import { Schema, type Connection, type Model, type Types } from "mongoose";
import { DURABLE } from "./durable.ts";

export interface ChannelDocument {
  _id: Types.ObjectId;
  /** Absent in a direct channel. */
  groupId?: Types.ObjectId;
  kind: "text" | "direct";
  name: string;
  position: number;
  /** The two users of a direct channel; absent elsewhere. */
  memberIds?: Types.ObjectId[];
  /** The sorted ids of the two, joined, so that one string is unique; absent elsewhere. */
  directKey?: string;
  createdAt: Date;
  /** Set when the channel is deleted and its messages are still to be removed; nobody sees it any more. */
  deletedAt?: Date;
}

const channelSchema = new Schema<ChannelDocument>(
  {
    groupId: Schema.Types.ObjectId,
    kind: { type: String, enum: ["text", "direct"], required: true },
    name: { type: String, default: "" },
    position: { type: Number, required: true },
    memberIds: { type: [Schema.Types.ObjectId], default: undefined },
    directKey: String,
    createdAt: { type: Date, required: true },
    deletedAt: Date,
  },
  { collection: "channels", writeConcern: DURABLE, versionKey: false },
);
channelSchema.index({ groupId: 1, position: 1, _id: 1 });
channelSchema.index({ directKey: 1 }, { unique: true, sparse: true });
channelSchema.index({ memberIds: 1, _id: -1 });
channelSchema.index({ deletedAt: 1 }, { sparse: true });

export function channelModel(connection: Connection): Model<ChannelDocument> {
  return connection.model<ChannelDocument>("Channel", channelSchema);
}

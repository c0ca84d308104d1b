import { Schema, type Connection, type Model, type Types } from "mongoose";
import { DURABLE } from "./durable.ts";

/** The mute of somebody who is out of the group: whoever comes back is still muted. */
export interface MuteDocument {
  _id: Types.ObjectId;
  groupId: Types.ObjectId;
  userId: Types.ObjectId;
  mutedUntil: Date;
}

const muteSchema = new Schema<MuteDocument>(
  {
    groupId: { type: Schema.Types.ObjectId, required: true },
    userId: { type: Schema.Types.ObjectId, required: true },
    mutedUntil: { type: Date, required: true },
  },
  { collection: "mutes", writeConcern: DURABLE, versionKey: false },
);
muteSchema.index({ groupId: 1, userId: 1 }, { unique: true });
// Cleans up only: a mute that has passed is none wherever it is read.
muteSchema.index({ mutedUntil: 1 }, { expireAfterSeconds: 0 });

export function muteModel(connection: Connection): Model<MuteDocument> {
  return connection.model<MuteDocument>("Mute", muteSchema);
}

import { Schema, type Connection, type Model, type Types } from "mongoose";

/** A user has read a channel up to and including `seq`. */
export interface ReadMarkerDocument {
  _id: Types.ObjectId;
  userId: Types.ObjectId;
  channelId: Types.ObjectId;
  seq: number;
}

const schema = new Schema<ReadMarkerDocument>(
  {
    userId: { type: Schema.Types.ObjectId, required: true },
    channelId: { type: Schema.Types.ObjectId, required: true },
    seq: { type: Number, required: true },
  },
  { collection: "readMarkers", versionKey: false },
)
  .index({ userId: 1, channelId: 1 }, { unique: true, name: "user_channel" })
  .index({ channelId: 1 }, { name: "channel" });

export function readMarkerModel(database: Connection): Model<ReadMarkerDocument> {
  return database.model<ReadMarkerDocument>("ReadMarker", schema);
}

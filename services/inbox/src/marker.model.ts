import { Schema, type Connection, type Model, type Types } from "mongoose";

/** What a user has read of the inbox, and put away. */
export interface MarkerDocument {
  /** The user's. */
  _id: Types.ObjectId;
  readUpToId?: Types.ObjectId;
  clearedUpToId?: Types.ObjectId;
}

const schema = new Schema<MarkerDocument>(
  {
    _id: Schema.Types.ObjectId,
    readUpToId: Schema.Types.ObjectId,
    clearedUpToId: Schema.Types.ObjectId,
  },
  { collection: "inboxMarkers", versionKey: false },
);

export function markerModel(connection: Connection): Model<MarkerDocument> {
  return connection.model<MarkerDocument>("InboxMarker", schema);
}

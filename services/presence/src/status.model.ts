import { Schema, type Connection, type Model, type Types } from "mongoose";

/** What a user wants others to see. Who has none, which is most, wants to be seen as online. */
export interface StatusDocument {
  /** The user's. */
  _id: Types.ObjectId;
  status: "idle" | "doNotDisturb" | "invisible";
}

const schema = new Schema<StatusDocument>(
  {
    _id: Schema.Types.ObjectId,
    status: { type: String, enum: ["idle", "doNotDisturb", "invisible"], required: true },
  },
  { collection: "presenceStatuses", versionKey: false },
);

export function statusModel(connection: Connection): Model<StatusDocument> {
  return connection.model<StatusDocument>("PresenceStatus", schema);
}

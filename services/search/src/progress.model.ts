import { Schema, type Connection, type Model, type Types } from "mongoose";

/** How far a channel is indexed: all its changes up to `rev` are. */
export interface ProgressDocument {
  /** The channel's id. */
  _id: Types.ObjectId;
  rev: number;
  version: number;
}

const schema = new Schema<ProgressDocument>(
  { rev: { type: Number, required: true }, version: { type: Number, required: true } },
  { collection: "searchProgress", versionKey: false },
);

export function progressModel(database: Connection): Model<ProgressDocument> {
  return database.model<ProgressDocument>("SearchProgress", schema);
}

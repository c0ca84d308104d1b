import { Schema, type Connection, type Model, type Types } from "mongoose";

/** How far a channel is indexed: all its changes up to `rev` are. */
export interface ProgressDocument {
  /** The channel's id. */
  _id: Types.ObjectId;
  rev: number;
  version: number;
  /** Of a thread: among whose entries its own are. null: it is no thread. */
  parentId: Types.ObjectId | null;
}

const schema = new Schema<ProgressDocument>(
  {
    rev: { type: Number, required: true },
    version: { type: Number, required: true },
    parentId: { type: Schema.Types.ObjectId, default: null },
  },
  { collection: "searchProgress", versionKey: false },
);

export function progressModel(database: Connection): Model<ProgressDocument> {
  return database.model<ProgressDocument>("SearchProgress", schema);
}

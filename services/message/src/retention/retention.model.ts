import type { Head } from "@fanfare/contract";
import { Schema, type Connection, type Model, type Types } from "mongoose";

/** Where a channel with old messages stood some time ago: only what is below it is removed. */
export interface BoundaryDocument extends Head {
  /** The channel's id. */
  _id: Types.ObjectId;
  notedAt: Date;
}

const schema = new Schema<BoundaryDocument>(
  {
    _id: Schema.Types.ObjectId,
    seq: { type: Number, required: true },
    rev: { type: Number, required: true },
    notedAt: { type: Date, required: true },
  },
  { collection: "retentionBoundaries", versionKey: false },
);

export function boundaryModel(database: Connection): Model<BoundaryDocument> {
  return database.model<BoundaryDocument>("RetentionBoundary", schema);
}

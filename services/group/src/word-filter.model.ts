import type { WordFilter } from "@fanfare/contract";
import { Schema, type Connection, type Model, type Types } from "mongoose";
import { DURABLE } from "./durable.ts";

/** Beside the group, which is read much more often. */
export interface WordFilterDocument extends WordFilter {
  /** The group's. */
  _id: Types.ObjectId;
  rev: number;
}

const schema = new Schema<WordFilterDocument>(
  {
    _id: Schema.Types.ObjectId,
    rev: { type: Number, required: true },
    words: { type: [String], required: true },
    onHit: { type: String, required: true },
  },
  { collection: "wordFilters", writeConcern: DURABLE, versionKey: false },
);

export function wordFilterModel(connection: Connection): Model<WordFilterDocument> {
  return connection.model<WordFilterDocument>("WordFilter", schema);
}

import { Schema, type Connection, type Model } from "mongoose";

export interface UsageDocument {
  /** `user:<id>` or `group:<id>`. */
  _id: string;
  bytes: number;
  /** Absent: what the configuration says. */
  maxBytes?: number;
  /** When room was last taken. */
  takenAt?: Date;
  /** When it was last counted from the files themselves. */
  countedAt?: Date;
}

const schema = new Schema<UsageDocument>(
  {
    _id: { type: String, required: true },
    bytes: { type: Number, required: true },
    maxBytes: Number,
    takenAt: Date,
    countedAt: Date,
  },
  { collection: "fileUsage", versionKey: false },
);

export function usageModel(database: Connection): Model<UsageDocument> {
  return database.model<UsageDocument>("FileUsage", schema);
}

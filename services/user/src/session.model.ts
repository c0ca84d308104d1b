import { Schema, type Connection, type Model, type Types } from "mongoose";
import { DURABLE } from "./user.model.ts";

export interface SessionDocument {
  _id: Types.ObjectId;
  userId: Types.ObjectId;
  /** SHA-256 of the part of the refresh token that stays the same as long as the session lives. */
  familyHash: string;
  /** SHA-256 of the part that the next refresh must show. */
  currentHash: string;
  /** The part before the last refresh, good for one repetition until `graceUntil`. */
  previousHash: string | null;
  graceUntil: Date | null;
  /** Where it was opened from, and with what. */
  address?: string;
  userAgent?: string;
  createdAt: Date;
  refreshedAt: Date;
  /** When the refresh token dies; of a revoked session, when its last access token does. */
  expiresAt: Date;
  /** Absent while the session lives, so that the sparse index holds only ended ones. */
  revokedAt?: Date;
}

const sessionSchema = new Schema<SessionDocument>(
  {
    userId: { type: Schema.Types.ObjectId, required: true },
    familyHash: { type: String, required: true },
    currentHash: { type: String, required: true },
    previousHash: { type: String, default: null },
    graceUntil: { type: Date, default: null },
    address: String,
    userAgent: String,
    createdAt: { type: Date, required: true },
    refreshedAt: { type: Date, required: true },
    expiresAt: { type: Date, required: true },
    revokedAt: Date,
  },
  { collection: "sessions", writeConcern: DURABLE, versionKey: false },
);
sessionSchema.index({ userId: 1, _id: 1 });
sessionSchema.index({ revokedAt: 1 }, { sparse: true });
// Cleans up only: every reader compares the times itself.
sessionSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export function sessionModel(connection: Connection): Model<SessionDocument> {
  return connection.model<SessionDocument>("Session", sessionSchema);
}

import { Schema, type Connection, type Model, type Types } from "mongoose";

/** Two years: long enough to find out who did what. */
const KEPT_FOR_S = 2 * 365 * 24 * 60 * 60;

/** What an admin has done, or was about to do. */
export interface AuditDocument {
  _id: Types.ObjectId;
  actorId: Types.ObjectId;
  address: string | null;
  action: string;
  params: unknown;
  outcome: string;
  createdAt: Date;
}

/** What is acknowledged is on disk. */
export const DURABLE = { w: "majority", j: true } as const;

const auditSchema = new Schema<AuditDocument>(
  {
    actorId: { type: Schema.Types.ObjectId, required: true },
    address: { type: String, default: null },
    action: { type: String, required: true },
    params: Schema.Types.Mixed,
    outcome: { type: String, required: true },
    createdAt: { type: Date, required: true },
  },
  { collection: "adminAudit", writeConcern: DURABLE, versionKey: false, minimize: false },
);
auditSchema.index({ actorId: 1, _id: -1 });
auditSchema.index({ createdAt: 1 }, { expireAfterSeconds: KEPT_FOR_S });

export function auditModel(connection: Connection): Model<AuditDocument> {
  return connection.model<AuditDocument>("AdminAudit", auditSchema);
}

import { DURABLE } from "@fanfare/kernel";
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

function auditModel(connection: Connection): Model<AuditDocument> {
  return connection.model<AuditDocument>("AdminAudit", auditSchema);
}

export type AuditRepository = ReturnType<typeof createAuditRepository>;

/** Every query of the collection adminAudit. */
export function createAuditRepository(connection: Connection) {
  const entries = auditModel(connection);
  return {
    async insert(entry: AuditDocument): Promise<void> {
      await entries.collection.insertOne(entry, { writeConcern: DURABLE });
    },

    async setOutcome({ _id }: AuditDocument, outcome: string): Promise<void> {
      await entries.updateOne({ _id }, { $set: { outcome } });
    },

    /** Newest first. */
    listPage: (
      { actorId, beforeId }: { actorId?: string | undefined; beforeId?: string | undefined },
      limit: number,
    ) =>
      entries
        .find({
          ...(actorId === undefined ? {} : { actorId }),
          ...(beforeId === undefined ? {} : { _id: { $lt: beforeId } }),
        })
        .sort({ _id: -1 })
        .limit(limit)
        .lean(),
  };
}

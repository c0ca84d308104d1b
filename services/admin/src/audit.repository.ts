import type { Connection } from "mongoose";
import { auditModel, DURABLE, type AuditDocument } from "./audit.model.ts";

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

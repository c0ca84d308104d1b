import type { Params } from "@fanfare/contract";
import { Types, type Connection } from "mongoose";
import { auditModel, type AuditDocument } from "./audit.model.ts";
import { DURABLE } from "./durable.ts";

export type AuditRecord = Params<"group.recordAudit">;
export type AuditRepository = ReturnType<typeof createAuditRepository>;

export interface AuditPage {
  actorId?: string | undefined;
  action?: string | undefined;
  beforeId?: string | undefined;
  limit: number;
}

/** Every query of the collection groupAudits. */
export function createAuditRepository(connection: Connection) {
  const audits = auditModel(connection);
  return {
    async insert(record: AuditRecord): Promise<void> {
      const { groupId, actorId, action, targetId, reason = null, before = null, after = null } = record;
      const entry: AuditDocument = {
        _id: new Types.ObjectId(),
        groupId: new Types.ObjectId(groupId),
        actorId: new Types.ObjectId(actorId),
        action,
        targetId: targetId ? new Types.ObjectId(targetId) : null,
        reason,
        before,
        after,
        createdAt: new Date(),
      };
      await audits.collection.insertOne(entry, { writeConcern: DURABLE });
    },

    /** Newest first. */
    list: (groupId: string, { actorId, action, beforeId, limit }: AuditPage) =>
      audits
        .find({
          groupId,
          ...(actorId !== undefined && { actorId }),
          ...(action !== undefined && { action }),
          ...(beforeId !== undefined && { _id: { $lt: beforeId } }),
        })
        .sort({ _id: -1 })
        .limit(limit)
        .lean(),

    /** @returns how many were removed: fewer than `limit` when none are left. */
    async removeSome(groupId: string, limit: number): Promise<number> {
      const found = await audits.find({ groupId }, { _id: 1 }).limit(limit).lean();
      await audits.deleteMany({ _id: { $in: found.map(({ _id }) => _id) } });
      return found.length;
    },
  };
}

import { LIMITS, type Params } from "@fanfare/contract";
import { DURABLE } from "@fanfare/kernel";
import { Schema, type Connection, type Model, Types } from "mongoose";

export interface AuditDocument {
  _id: Types.ObjectId;
  groupId: Types.ObjectId;
  actorId: Types.ObjectId;
  action: string;
  targetId: Types.ObjectId | null;
  reason: string | null;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  createdAt: Date;
}

const auditSchema = new Schema<AuditDocument>(
  {
    groupId: { type: Schema.Types.ObjectId, required: true },
    actorId: { type: Schema.Types.ObjectId, required: true },
    action: { type: String, required: true },
    targetId: { type: Schema.Types.ObjectId, default: null },
    reason: { type: String, default: null },
    before: { type: Schema.Types.Mixed, default: null },
    after: { type: Schema.Types.Mixed, default: null },
    createdAt: { type: Date, required: true },
  },
  { collection: "groupAudits", writeConcern: DURABLE, versionKey: false },
);
auditSchema.index({ groupId: 1, _id: -1 });
auditSchema.index({ groupId: 1, actorId: 1, _id: -1 });
auditSchema.index({ groupId: 1, action: 1, _id: -1 });
auditSchema.index({ createdAt: 1 }, { expireAfterSeconds: LIMITS.groupAuditLifetimeMs / 1000 });

function auditModel(connection: Connection): Model<AuditDocument> {
  return connection.model<AuditDocument>("GroupAudit", auditSchema);
}

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

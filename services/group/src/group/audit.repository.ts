import { LIMITS, type Params } from "@fanfare/contract";
import { defineRepository, ID, newId, REQUIRED_ID } from "@fanfare/kernel";
import { Schema } from "mongoose";

export interface AuditDocument {
  _id: string;
  groupId: string;
  actorId: string;
  action: string;
  targetId: string | null;
  reason: string | null;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  createdAt: Date;
}

const schema = new Schema<AuditDocument>(
  {
    groupId: REQUIRED_ID,
    actorId: REQUIRED_ID,
    action: { type: String, required: true },
    targetId: { type: ID, default: null },
    reason: { type: String, default: null },
    before: { type: Schema.Types.Mixed, default: null },
    after: { type: Schema.Types.Mixed, default: null },
    createdAt: { type: Date, required: true },
  },
  { collection: "groupAudits" },
);
schema.index({ groupId: 1, _id: -1 });
schema.index({ groupId: 1, actorId: 1, _id: -1 });
schema.index({ groupId: 1, action: 1, _id: -1 });
schema.index({ createdAt: 1 }, { expireAfterSeconds: LIMITS.groupAuditLifetimeMs / 1000 });

export type AuditRecord = Params<"group.recordAudit">;
export type AuditRepository = ReturnType<typeof createAuditRepository>;

interface AuditPage {
  actorId?: string | undefined;
  action?: string | undefined;
  beforeId?: string | undefined;
  limit: number;
}

/** Queries of the collection groupAudits. */
export const createAuditRepository = defineRepository(
  { name: "GroupAudit", schema },
  ({ model: audits, insert, removeSome }) => ({
    async insert(record: AuditRecord): Promise<void> {
      const { groupId, actorId, action, targetId, reason = null, before = null, after = null } = record;
      await insert({
        _id: newId(),
        groupId,
        actorId,
        action,
        targetId: targetId || null,
        reason,
        before,
        after,
        createdAt: new Date(),
      });
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

    /** @returns the number of removed entries: fewer than `limit` when none are left */
    removeSome: (groupId: string, limit: number) => removeSome({ groupId }, limit),
  }),
);

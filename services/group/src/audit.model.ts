import { LIMITS } from "@fanfare/contract";
import { Schema, type Connection, type Model, type Types } from "mongoose";
import { DURABLE } from "./durable.ts";

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

export function auditModel(connection: Connection): Model<AuditDocument> {
  return connection.model<AuditDocument>("GroupAudit", auditSchema);
}

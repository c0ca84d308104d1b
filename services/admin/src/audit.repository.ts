import { defineRepository, ID, newId } from "@fanfare/kernel";
import { Schema } from "mongoose";

/** Two years. */
const RETENTION_S = 2 * 365 * 24 * 60 * 60;

/** An attempted or completed action of an admin or of the identity provider. */
export interface AuditDocument {
  _id: string;
  /** null: the identity provider, by SCIM. */
  actorId: string | null;
  address: string | null;
  action: string;
  params: unknown;
  outcome: string;
  createdAt: Date;
}

const schema = new Schema<AuditDocument>(
  {
    actorId: { type: ID, default: null },
    address: { type: String, default: null },
    action: { type: String, required: true },
    params: Schema.Types.Mixed,
    outcome: { type: String, required: true },
    createdAt: { type: Date, required: true },
  },
  { collection: "adminAudit", minimize: false },
);
schema.index({ actorId: 1, _id: -1 });
schema.index({ createdAt: 1 }, { expireAfterSeconds: RETENTION_S });

/** Queries of the collection adminAudit. */
export const createAuditRepository = defineRepository(
  { name: "AdminAudit", schema },
  ({ model: entries, insert, update }) => ({
    /** @returns the id of the entry */
    async insert(entry: Omit<AuditDocument, "_id">): Promise<string> {
      return (await insert({ _id: newId(), ...entry }))._id;
    },

    /** @param more parameters that are only known afterwards */
    setOutcome: (entryId: string, outcome: string, more: Record<string, unknown>) =>
      update(
        { _id: entryId },
        {
          $set: {
            outcome,
            ...Object.fromEntries(Object.entries(more).map(([name, value]) => [`params.${name}`, value])),
          },
        },
      ),

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
  }),
);

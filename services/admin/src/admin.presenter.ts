import type { AdminAuditEntry } from "@fanfare/contract";
import type { AuditDocument } from "./audit.repository.ts";

export function presentEntry(entry: AuditDocument): AdminAuditEntry {
  return {
    id: entry._id,
    actorId: entry.actorId,
    address: entry.address,
    action: entry.action,
    params: entry.params,
    outcome: entry.outcome,
    createdAt: entry.createdAt.toISOString(),
  };
}

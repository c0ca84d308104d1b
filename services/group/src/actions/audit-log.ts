import type { AuditEntry } from "@fanfare/contract";
import { AnswerBudget, type Handler } from "@fanfare/kernel";
import type { AuditDocument } from "../audit.model.ts";
import type { GroupDependencies } from "../group.dependencies.ts";

export function auditLog({ audits }: GroupDependencies): Handler<"group.auditLog"> {
  return async ({ params: { groupId, ...page } }) => {
    const found = (await audits.list(groupId, page)).map(presentEntry);
    const entries = new AnswerBudget().cut(found);
    return { entries, hasMore: entries.length < found.length || found.length === page.limit };
  };
}

export function recordAudit({ audits }: GroupDependencies): Handler<"group.recordAudit"> {
  return async ({ params }) => {
    await audits.insert(params);
    return {};
  };
}

function presentEntry(entry: AuditDocument): AuditEntry {
  const { _id, groupId, actorId, targetId, createdAt, action, reason, before, after } = entry;
  return {
    id: _id.toHexString(),
    groupId: groupId.toHexString(),
    actorId: actorId.toHexString(),
    action,
    targetId: targetId?.toHexString() ?? null,
    reason,
    before,
    after,
    createdAt: createdAt.toISOString(),
  };
}

import { actionDefinition, type AuditEntry, isActionName } from "@fanfare/contract";
import { ResponseBudget, type Handlers, can } from "@fanfare/kernel";
import type { AuditDocument, AuditRecord, AuditRepository } from "./audit.repository.ts";
import type { GroupDependencies } from "../group.dependencies.ts";

type What = Omit<AuditRecord, "groupId" | "actorId" | "action">;
/** Records an action in the audit log of a group; awaited before the action returns. */
export function createAudit(audits: AuditRepository) {
  return (groupId: string, actorId: string, action: string, what: What = {}): Promise<void> =>
    audits.insert({ groupId, actorId, action, ...what });
}

/** @returns the fields that differ, or null when none do */
export function difference<T extends object>(
  before: T,
  after: T,
  keys: readonly (keyof T & string)[],
): Pick<What, "before" | "after"> | null {
  const changed = keys.filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]));
  if (changed.length === 0) return null;
  const pick = (from: T) => Object.fromEntries(changed.map((key) => [key, from[key]]));
  return { before: pick(before), after: pick(after) };
}

export const auditActions = ({ node, audits }: GroupDependencies): Handlers => ({
  /** Omits details that the reader can't see: invite codes of others, and changes of channels hidden from them. */
  "group.auditLog": async ({ params: { groupId, ...page }, actor: { userId }, access }) => {
    const found = (await audits.list(groupId, page)).map(presentEntry);
    const channelIds = [...new Set(found.map(channelIdOf).filter((id) => id !== null))];
    const accesses = await Promise.all(channelIds.map((channelId) => node.access.get(userId, { channelId })));
    const seen = new Set(channelIds.filter((_, index) => can(accesses[index]!, "view")));
    const isShown = (entry: AuditEntry): boolean => {
      if (entry.actorId === userId || can(access, "ownGroup")) return true;
      const channelId = channelIdOf(entry);
      // For a deleted channel, only the entry of its deletion says whether everyone could see it.
      if (channelId !== null) return seen.has(channelId) || entry.before?.["private"] === false;
      return auditTarget(entry) !== "invite" || can(access, "manageInvites");
    };
    const shown = found.map((entry) => (isShown(entry) ? entry : { ...entry, before: null, after: null }));
    const entries = new ResponseBudget().takeWhileFits(shown);
    return { entries, hasMore: entries.length < found.length || found.length === page.limit };
  },

  "group.recordAudit": async ({ params }) => {
    await audits.insert(params);
    return {};
  },
});

function auditTarget({ action }: AuditEntry) {
  return isActionName(action) ? actionDefinition(action).audited : undefined;
}

/** The channel that the details of an entry refer to. */
function channelIdOf(entry: AuditEntry): string | null {
  if (auditTarget(entry) === "channel" && entry.targetId !== null) return entry.targetId;
  const id = (entry.after ?? entry.before)?.["channelId"];
  return typeof id === "string" ? id : null;
}

function presentEntry(entry: AuditDocument): AuditEntry {
  const { _id, groupId, actorId, targetId, createdAt, action, reason, before, after } = entry;
  return {
    id: _id,
    groupId,
    actorId,
    action,
    targetId: targetId ?? null,
    reason,
    before,
    after,
    createdAt: createdAt.toISOString(),
  };
}

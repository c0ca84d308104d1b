import type { AuditRecord, AuditRepository } from "./audit.repository.ts";

type What = Omit<AuditRecord, "groupId" | "actorId" | "action">;
export type Audit = ReturnType<typeof createAudit>;

/** Keeps who has done what in a group, before whoever did it is answered. */
export function createAudit(audits: AuditRepository) {
  return (groupId: string, actorId: string, action: string, what: What = {}): Promise<void> =>
    audits.insert({ groupId, actorId, action, ...what });
}

/**
 * Of two states, what differs.
 * @returns null where nothing does
 */
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

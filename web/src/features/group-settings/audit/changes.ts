import type { AuditEntry } from "@fanfare/contract";
import { PERMISSIONS, type PermissionName } from "@fanfare/contract/permissions";

type Value = string | number | boolean | null;

export interface Change {
  field: string;
  before: Value;
  after: Value;
}

/** Fields whose values are sets of permissions. */
export const PERMISSION_FIELDS = ["permissions", "allow", "deny"];

/** What people can read; ids and addresses are left out. */
const FIELDS = [
  "name",
  "description",
  "topic",
  "color",
  "mentionable",
  "slowModeSeconds",
  "retentionDays",
  "onHit",
  "words",
  ...PERMISSION_FIELDS,
];

/** What an entry tells of things that were changed; nothing of what was made or deleted as a whole. */
export function changesOf({ before, after }: AuditEntry): Change[] {
  if (before === null || after === null) return [];
  return FIELDS.filter((field) => field in before || field in after)
    .map((field) => ({ field, before: readable(field, before[field]), after: readable(field, after[field]) }))
    .filter(({ before: old, after: now }) => old !== now);
}

/** The permissions in one number and not in the other. */
export function bitsBetween(
  before: Value,
  after: Value,
): { added: PermissionName[]; removed: PermissionName[] } {
  const [old, now] = [Number(before ?? 0), Number(after ?? 0)];
  const namesIn = (bits: number): PermissionName[] =>
    (Object.keys(PERMISSIONS) as PermissionName[]).filter((name) => (bits & PERMISSIONS[name]) !== 0);
  return { added: namesIn(now & ~old), removed: namesIn(old & ~now) };
}

function readable(field: string, value: unknown): Value {
  if (field === "words" && Array.isArray(value)) return value.length;
  if (field === "color" && typeof value === "number") return `#${value.toString(16).padStart(6, "0")}`;
  const isPlain = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  return isPlain ? value : null;
}

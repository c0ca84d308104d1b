export interface AuditDetails {
  /** Whom it was done to. */
  userId: string | null;
  reason: string | null;
  /** All other params, as text. */
  others: string | null;
}

/** What an action was called with, as far as the log keeps it. */
export function auditDetails(params: unknown): AuditDetails {
  const given = typeof params === "object" && params !== null ? (params as Record<string, unknown>) : {};
  const { userId, reason, ...others } = given;
  const texts = Object.entries(others).map(([name, value]) => `${name}: ${textOf(value)}`);
  return {
    userId: typeof userId === "string" ? userId : null,
    reason: typeof reason === "string" && reason !== "" ? reason : null,
    others: texts.length === 0 ? null : texts.join(", "),
  };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

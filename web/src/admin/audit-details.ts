interface AuditDetails {
  userId: string | null;
  reason: string | null;
  others: string | null;
}

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

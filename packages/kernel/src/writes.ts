/** The write concern of everything that is acknowledged: it outlives a crash, and a change of the primary. */
export const DURABLE = { w: "majority", j: true } as const;

const DUPLICATE_KEY = 11_000;

/** The name of the unique index that a write ran into, or null when the error is another one. */
export function duplicateKeyIndex(error: unknown): string | null {
  if (!(error instanceof Error) || !("code" in error) || error.code !== DUPLICATE_KEY) return null;
  return /index: (\S+)/.exec(error.message)?.[1] ?? "";
}

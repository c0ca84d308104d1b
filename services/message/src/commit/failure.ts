import { currentScope, hasPassed, serviceError, toServiceError, type ServiceError } from "@fanfare/kernel";
import { RETRY_AFTER_MS } from "../limits.ts";

/** Why a write failed, for its sender, who may repeat it with the same nonce. */
export function failure(error: unknown): ServiceError {
  const known = toServiceError(error);
  return known.type === "INTERNAL" ? serviceError("UNAVAILABLE", { retryAfterMs: RETRY_AFTER_MS }) : known;
}

/**
 * Whether only this write was refused: its callers had gone, or too many commands waited. Then what waits behind it is tried,
 * which it is not when the database is away.
 */
export function wasOnlyRefused(error: unknown): boolean {
  return hasPassed(currentScope()?.deadline) || toServiceError(error).type === "OVERLOADED";
}

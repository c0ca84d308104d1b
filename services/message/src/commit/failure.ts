import { serviceError, toServiceError, type ServiceError } from "@fanfare/kernel";
import { RETRY_AFTER_MS } from "../limits.ts";

/** Why a write failed, for its sender, who may repeat it with the same nonce. */
export function failure(error: unknown): ServiceError {
  const known = toServiceError(error);
  return known.type === "INTERNAL" ? serviceError("UNAVAILABLE", { retryAfterMs: RETRY_AFTER_MS }) : known;
}

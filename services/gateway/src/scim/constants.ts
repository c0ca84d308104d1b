import { LIMITS } from "@fanfare/contract";

/** Requests of one address. Entra ID sends up to 25 in a second. */
export const SCIM_RATE_LIMIT = { points: 3000, durationMs: 60_000 } as const;
export const SCIM_PAGE_MAX_ITEMS = LIMITS.pageMaxItems;
export const SCIM_FILTER_MAX_CHARS = 1000;
export const SCIM_MAX_OPERATIONS = 100;
/** A group can be sent with all of its members. */
export const SCIM_GROUP_BODY_MAX_BYTES = 1024 * 1024;

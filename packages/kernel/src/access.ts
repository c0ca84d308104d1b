import {
  type ActionDefinition,
  type Actor,
  ANSWERS_ACCESS,
  type Call,
  hasPermission,
  type InstancePolicy,
  type PermissionName,
  type PermissionRule,
} from "@fanfare/contract";
import { LRUCache } from "lru-cache";
import { serviceError, type ServiceError } from "./errors.ts";
import { entryLimit } from "./lru-options.ts";

/** A user's permissions in a group or channel. */
export interface Access {
  permissions: number;
  /** null in a direct channel. */
  groupId: string | null;
  /** Milliseconds since the epoch; 0: not muted. */
  mutedUntilMs: number;
  /** Minimum time between two messages of this user; absent: none. */
  slowModeMs?: number;
  /** Revision of the word filter for this user's messages; absent: none. */
  wordFilterRev?: number;
  /** Rooms that events of the group or channel are published to. */
  rooms: readonly string[];
  /** Absent: the place is not a thread. */
  isThread?: true;
}

export type Place = { groupId: string } | { channelId: string };

interface AccessCacheOptions {
  /** Maximum number of cached (user, place) pairs. */
  maxEntries?: number;
  /** TTL of an entry, in case an invalidation was lost. */
  maxAgeMs?: number;
}

interface Entry {
  access: Access;
  /** The cache's epoch at the start of the lookup. */
  epoch: number;
}

interface Lookup {
  epoch: number;
  access: Promise<Access>;
}

/**
 * Caches permissions, so that checks on the hot path need no I/O. If an invalidation arrives during a lookup, the result is used
 * by the calls that wait for it, but not cached. Calls share a lookup: otherwise a later message could overtake an earlier one
 * whose own lookup takes longer.
 */
export class AccessCache {
  readonly #lookup: (userId: string, place: Place) => Promise<Access>;
  readonly #entries: LRUCache<string, Entry>;
  readonly #lookups = new Map<string, Lookup>();
  readonly #maxInvalidations: number;
  readonly #invalidatedAt = new Map<string, number>();
  #epoch = 0;
  /** Invalidations up to this epoch are no longer tracked, so older results are stale. */
  #untrackedUntil = 0;

  constructor(lookup: (userId: string, place: Place) => Promise<Access>, options: AccessCacheOptions = {}) {
    const { maxEntries = 200_000, maxAgeMs = 60_000 } = options;
    this.#lookup = lookup;
    this.#entries = new LRUCache({ ...entryLimit(maxEntries), ttl: maxAgeMs });
    this.#maxInvalidations = maxEntries;
  }

  /** Returns cached access synchronously, because this is the hot path. */
  peek(userId: string, place: Place): Access | undefined {
    const entry = this.#entries.get(cacheKey(userId, place));
    return entry !== undefined && this.#isFresh(entry, userId, place) ? entry.access : undefined;
  }

  async get(userId: string, place: Place): Promise<Access> {
    const known = this.peek(userId, place);
    if (known !== undefined) return known;
    const key = cacheKey(userId, place);
    const running = this.#lookups.get(key);
    if (running?.epoch === this.#epoch) return running.access;
    const lookup = { epoch: this.#epoch, access: this.#look(key, userId, place) };
    this.#lookups.set(key, lookup);
    try {
      return await lookup.access;
    } finally {
      if (this.#lookups.get(key) === lookup) this.#lookups.delete(key);
    }
  }

  async #look(key: string, userId: string, place: Place): Promise<Access> {
    const entry = { epoch: this.#epoch, access: await this.#lookup(userId, place) };
    // Negative results aren't cached: access can be granted at any time, and non-members must not be able to fill the cache.
    if (hasPermission(entry.access.permissions, "view")) this.#entries.set(key, entry);
    return entry.access;
  }

  /** Evicts the permissions of a user, or of all users if `userId` is null, in a group or a direct channel. */
  invalidate(scopeId: string, userId: string | null): void {
    if (this.#invalidatedAt.size >= this.#maxInvalidations) this.clear();
    this.#epoch += 1;
    this.#invalidatedAt.set(userId === null ? scopeId : `${scopeId}:${userId}`, this.#epoch);
  }

  /** Clears the cache, because invalidations may have been lost. */
  clear(): void {
    this.#entries.clear();
    this.#invalidatedAt.clear();
    this.#epoch += 1;
    this.#untrackedUntil = this.#epoch;
  }

  #isFresh({ access, epoch }: Entry, userId: string, place: Place): boolean {
    if (this.#epoch === epoch) return true;
    if (epoch < this.#untrackedUntil) return false;
    const scopeId = access.groupId ?? ("channelId" in place ? place.channelId : place.groupId);
    const ofAll = this.#invalidatedAt.get(scopeId) ?? 0;
    const ofUser = this.#invalidatedAt.get(`${scopeId}:${userId}`) ?? 0;
    return ofAll <= epoch && ofUser <= epoch;
  }
}

/** Includes the kind of place: a group id passed as a channel id must not match the group's entry. */
function cacheKey(userId: string, place: Place): string {
  return "channelId" in place ? `${userId}:channel:${place.channelId}` : `${userId}:group:${place.groupId}`;
}

/** Looks up access in the service that owns it. */
export function accessLookup(call: Call): (userId: string, place: Place) => Promise<Access> {
  return async (userId, place) => {
    const { mutedUntil, ...access } = await call(ANSWERS_ACCESS, { ...place, userId });
    return { ...access, mutedUntilMs: mutedUntil === null ? 0 : Date.parse(mutedUntil) };
  };
}

export function can(access: Access, permission: PermissionName): boolean {
  return hasPermission(access.permissions, permission);
}

type PlaceRule = Extract<PermissionRule, { rule: "group" | "channel" }>;

/** Checks that need no lookup. @returns the error, or null if the caller passes */
export function checkActor({ rule }: PermissionRule, actor: Actor | null): ServiceError | null {
  if (rule === "public" || rule === "internal") return null;
  if (actor === null) return serviceError("UNAUTHENTICATED");
  if (rule === "account" && actor.kind === "guest") return serviceError("GUEST_NOT_ALLOWED");
  // The existence of admin actions is public, so FORBIDDEN reveals nothing.
  return rule === "admin" && actor.admin !== true ? serviceError("FORBIDDEN") : null;
}

/** Checks the scopes of a bot's token. @returns the error, or null if the caller passes */
export function checkBotScope(
  { permission: { rule }, botScope }: Pick<ActionDefinition, "permission" | "botScope">,
  actor: Actor | null,
): ServiceError | null {
  if (actor?.kind !== "bot" || rule === "public" || rule === "internal") return null;
  if (botScope === "any" || (botScope !== null && actor.scopes?.includes(botScope) === true)) return null;
  return serviceError("BOT_NOT_ALLOWED");
}

/** Whether the policy requires a second factor of a user. */
export function requiresSecondFactor(
  { requireSecondFactor }: Pick<InstancePolicy, "requireSecondFactor">,
  { kind, admin }: { kind: Actor["kind"]; admin?: true },
): boolean {
  if (requireSecondFactor === "off" || kind !== "member") return false;
  return requireSecondFactor === "accounts" || admin === true;
}

/**
 * Checks the caller's permissions in a group or channel. Groups and channels that the user can't view are reported as not found,
 * so that ids can't be probed.
 * @returns the error, or null if the caller passes
 */
export function checkAccess(rule: PlaceRule, access: Access, nowMs: number): ServiceError | null {
  if (!can(access, "view")) {
    return serviceError(rule.rule === "group" ? "GROUP_NOT_FOUND" : "CHANNEL_NOT_FOUND");
  }
  if ((rule.can === "sendMessages" || rule.can === "addReactions") && access.mutedUntilMs > nowMs) {
    return mutedError(access);
  }
  return can(access, rule.can) ? null : serviceError("FORBIDDEN");
}

/** @throws {ServiceError} MUTED */
export function assertNotMuted(access: Pick<Access, "mutedUntilMs">): void {
  if (access.mutedUntilMs > Date.now()) throw mutedError(access);
}

const mutedError = ({ mutedUntilMs }: Pick<Access, "mutedUntilMs">): ServiceError =>
  serviceError("MUTED", { mutedUntil: new Date(mutedUntilMs).toISOString() });

import type { User } from "@fanfare/contract";
import { type Handlers, type NodeContext, serviceError } from "@fanfare/kernel";
import {
  FULL_INSTANCE_TTL_MS,
  INSTANCE_USAGE_TTL_MS,
  RECOUNT_INTERVAL_MS,
  RECOUNT_SETTLE_MS,
} from "./constants.ts";
import type { FileDocument, FileRepository } from "./file.repository.ts";
import type { UsageRepository } from "./usage.repository.ts";
import type { FileDependencies } from "./file.dependencies.ts";

interface Owner {
  type: "user" | "group";
  id: string;
}

const NEVER = new Date(0);
const FIELDS = { user: "ownerId", group: "groupId" } as const;

/** The owners whose quotas a file counts toward: its user and the group. */
export function ownersOf({ ownerId, groupId }: Pick<FileDocument, "ownerId" | "groupId">): Owner[] {
  const user: Owner = { type: "user", id: ownerId };
  return groupId === undefined ? [user] : [user, { type: "group", id: groupId }];
}

/**
 * Storage quotas of users and groups. The counters are stored separately from the files, so a crash in between leaves one off by
 * a file. Before an upload is rejected they are recounted.
 */
export class Quotas {
  readonly #files: FileRepository;
  readonly #usage: UsageRepository;
  readonly #policy: NodeContext["policy"];
  /** The total size of all files at the last count, plus what this process has taken since. */
  #instance = { bytes: 0, readAtMs: -Infinity };

  constructor(files: FileRepository, usage: UsageRepository, policy: NodeContext["policy"]) {
    this.#files = files;
    this.#usage = usage;
    this.#policy = policy;
  }

  /**
   * @param kind of the user
   * @throws {ServiceError} LIMIT_REACHED when an owner or the instance has no space left; nothing is taken then
   */
  async take(owners: readonly Owner[], bytes: number, kind?: User["kind"]): Promise<void> {
    const taken: Owner[] = [];
    const full = await this.#takeSpace(bytes);
    if (full !== null) throw serviceError("LIMIT_REACHED", { limit: "fileQuotaInstanceBytes", max: full });
    for (const owner of owners) {
      const { limit, maxBytes } = await this.#maxOf(owner, kind);
      const max = maxBytes ?? Number.MAX_SAFE_INTEGER;
      const hasRoom =
        (await this.#usage.take(keyOf(owner), bytes, max)) ||
        ((await this.#recount(owner)) && (await this.#usage.take(keyOf(owner), bytes, max)));
      if (hasRoom) taken.push(owner);
      else {
        await this.giveBack(taken, bytes);
        throw serviceError("LIMIT_REACHED", { limit, max });
      }
    }
  }

  /** Gives back space that was taken for a file that isn't stored. */
  async giveBack(owners: readonly Owner[], bytes: number): Promise<void> {
    this.#instance.bytes -= bytes;
    await this.add(owners, -bytes);
  }

  /** Takes space that only the quota of the instance limits. @returns false if there is none left */
  async takeOfInstance(owners: readonly Owner[], bytes: number): Promise<boolean> {
    if ((await this.#takeSpace(bytes)) !== null) return false;
    await this.add(owners, bytes);
    return true;
  }

  /** Corrects the space of a file when its size is known. */
  async add(owners: readonly Owner[], bytes: number): Promise<void> {
    for (const owner of owners) await this.#usage.add(keyOf(owner), bytes);
  }

  /** The total size of all files. */
  total(): Promise<number> {
    return this.#usage.sumOfUsers();
  }

  async of(owner: Owner, kind?: User["kind"]): Promise<{ usedBytes: number; maxBytes: number | null }> {
    const { found, maxBytes } = await this.#maxOf(owner, kind);
    return { usedBytes: Math.max(0, found?.bytes ?? 0), maxBytes };
  }

  async #maxOf(owner: Owner, kind?: User["kind"]) {
    const found = await this.#usage.find(keyOf(owner));
    const { fileQuotaUserBytes, fileQuotaGuestBytes, fileQuotaGroupBytes } = await this.#policy.get();
    if (owner.type === "group") {
      const maxBytes = found?.maxBytes ?? fileQuotaGroupBytes;
      return { found, limit: "fileQuotaGroupBytes", maxBytes };
    }
    const isOfGuest =
      found?.maxBytes === undefined &&
      kind === "guest" &&
      (fileQuotaGuestBytes ?? Infinity) < (fileQuotaUserBytes ?? Infinity);
    const maxBytes = found?.maxBytes ?? (isOfGuest ? fileQuotaGuestBytes : fileQuotaUserBytes);
    return { found, limit: isOfGuest ? "fileQuotaGuestBytes" : "fileQuotaUserBytes", maxBytes };
  }

  /**
   * Other processes can take space between two counts, so the instance can slightly exceed its quota.
   * @returns the quota if it is used up, and takes nothing then; otherwise null
   */
  async #takeSpace(bytes: number): Promise<number | null> {
    const max = (await this.#policy.get()).fileQuotaInstanceBytes;
    if (max === null) return null;
    const isFull = (): boolean => this.#instance.bytes + bytes > max;
    const ageMs = Date.now() - this.#instance.readAtMs;
    if (ageMs >= (isFull() ? FULL_INSTANCE_TTL_MS : INSTANCE_USAGE_TTL_MS))
      this.#instance = { bytes: await this.#usage.sumOfUsers(), readAtMs: Date.now() };
    if (isFull()) return max;
    this.#instance.bytes += bytes;
    return null;
  }

  /** @param maxBytes null: the default of the policy */
  async setMax(owner: Owner, maxBytes: number | null): Promise<void> {
    await this.#usage.setMax(keyOf(owner), maxBytes);
  }

  /** @returns whether the counter was wrong and has been corrected */
  async #recount(owner: Owner): Promise<boolean> {
    const found = await this.#usage.find(keyOf(owner));
    if (found === null) return false;
    const { bytes, countedAt = NEVER, takenAt = NEVER } = found;
    const nowMs = Date.now();
    // A file that has just taken space may not be stored yet.
    if (nowMs - takenAt.getTime() < RECOUNT_SETTLE_MS) return false;
    if (nowMs - countedAt.getTime() < RECOUNT_INTERVAL_MS[owner.type]) return false;
    const sum = await this.#files.sumBytes(FIELDS[owner.type], owner.id);
    await this.#usage.correct(found, sum);
    return sum !== bytes;
  }
}

export function keyOf({ type, id }: { type: string; id: string }): string {
  return `${type}:${id}`;
}

export const quotaActions = ({ quotas }: FileDependencies): Handlers => ({
  "file.getUsage": ({ actor }) => quotas.of({ type: "user", id: actor.userId }, actor.kind),

  "file.countBytes": async () => ({ bytes: Math.max(0, await quotas.total()) }),

  "file.getGroupUsage": ({ params }) => quotas.of({ type: "group", id: params.groupId }),

  "file.setQuota": async ({ params: { of, maxBytes }, services }) => {
    await quotas.setMax(of, maxBytes);
    if (of.type === "group") return quotas.of(of);
    const { users } = await services.user.getMany({ userIds: [of.id] });
    return quotas.of(of, users[0]?.kind);
  },
});

import { serviceError, type Config } from "@fanfare/kernel";
import { RECOUNT_GAP_MS, RECOUNT_QUIET_MS } from "./bounds.ts";
import type { FileDocument } from "./file.model.ts";
import type { FileRepository } from "./file.repository.ts";
import type { UsageRepository } from "./usage.repository.ts";

export interface Owner {
  type: "user" | "group";
  id: string;
}

const NEVER = new Date(0);
const LIMIT_NAMES = { user: "fileQuotaUserBytes", group: "fileQuotaGroupBytes" } as const;
const FIELDS = { user: "ownerId", group: "groupId" } as const;

/** Whose room a file takes: its owner's, and that of the group it is in. */
export function ownersOf({ ownerId, groupId }: Pick<FileDocument, "ownerId" | "groupId">): Owner[] {
  const user: Owner = { type: "user", id: ownerId.toHexString() };
  return groupId === undefined ? [user] : [user, { type: "group", id: groupId.toHexString() }];
}

/**
 * How much room users and groups have. The counts are kept beside the files, so a crash between the two leaves one wrong by a file:
 * before somebody is refused they are counted anew.
 */
export class Quotas {
  readonly #files: FileRepository;
  readonly #usage: UsageRepository;
  readonly #configured: Config["fileQuotaBytes"];

  constructor(files: FileRepository, usage: UsageRepository, configured: Config["fileQuotaBytes"]) {
    this.#files = files;
    this.#usage = usage;
    this.#configured = configured;
  }

  /** @throws {ServiceError} LIMIT_REACHED where one of them has not so much room; then nobody's is taken */
  async take(owners: readonly Owner[], bytes: number): Promise<void> {
    const taken: Owner[] = [];
    for (const owner of owners) {
      const max = (await this.of(owner)).maxBytes;
      const hasRoom =
        (await this.#usage.take(keyOf(owner), bytes, max)) ||
        ((await this.#recount(owner)) && (await this.#usage.take(keyOf(owner), bytes, max)));
      if (hasRoom) taken.push(owner);
      else {
        await this.add(taken, -bytes);
        throw serviceError("LIMIT_REACHED", { limit: LIMIT_NAMES[owner.type], max });
      }
    }
  }

  /** What a file turns out to take more, or less. */
  async add(owners: readonly Owner[], bytes: number): Promise<void> {
    for (const owner of owners) await this.#usage.add(keyOf(owner), bytes);
  }

  async of(owner: Owner): Promise<{ usedBytes: number; maxBytes: number }> {
    const found = await this.#usage.find(keyOf(owner));
    const maxBytes = found?.maxBytes ?? this.#configured[owner.type];
    return { usedBytes: Math.max(0, found?.bytes ?? 0), maxBytes };
  }

  /** @param maxBytes null: as configured */
  async setMax(owner: Owner, maxBytes: number | null): Promise<void> {
    await this.#usage.setMax(keyOf(owner), maxBytes);
  }

  /** Whether it was counted anew, and was wrong. */
  async #recount(owner: Owner): Promise<boolean> {
    const found = await this.#usage.find(keyOf(owner));
    if (found === null) return false;
    const { bytes, countedAt = NEVER, takenAt = NEVER } = found;
    const nowMs = Date.now();
    // Of what has taken room just now the file may not be there yet.
    if (nowMs - takenAt.getTime() < RECOUNT_QUIET_MS) return false;
    if (nowMs - countedAt.getTime() < RECOUNT_GAP_MS[owner.type]) return false;
    const sum = await this.#files.sumBytes(FIELDS[owner.type], owner.id);
    await this.#usage.correct(found, sum);
    return sum !== bytes;
  }
}

export function keyOf({ type, id }: Owner): string {
  return `${type}:${id}`;
}

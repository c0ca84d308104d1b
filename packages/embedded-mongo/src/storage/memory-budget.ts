import { CommandError } from "../errors.ts";

const MIB = 1024 * 1024;

/** Counts the estimated memory of documents and index entries, and refuses to grow beyond a bound. */
export class MemoryBudget {
  readonly maxBytes: number;
  #used = 0;

  /** @param maxBytes bound in bytes */
  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  get usedBytes(): number {
    return this.#used;
  }

  /**
   * Call before a change that needs more memory.
   * @throws CommandError OutOfDiskSpace, so that nothing was changed yet
   */
  ensure(additionalBytes: number): void {
    if (additionalBytes > 0 && this.#used + additionalBytes > this.maxBytes) {
      throw new CommandError(
        "OutOfDiskSpace",
        `The embedded database is full: its documents and indexes take ${Math.ceil(this.#used / MIB)} of ` +
          `${Math.floor(this.maxBytes / MIB)} MiB. Reads and deletes go on. Delete something, raise maxDataBytes, or move to MongoDB with MONGO_URL.`,
      );
    }
  }

  add(bytes: number): void {
    this.#used += bytes;
  }
}

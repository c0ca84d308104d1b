import type { mongo } from "mongoose";
import { DURABLE } from "../repository.ts";

/** Stored next to the records, so a backup of both is consistent. */
const COLLECTION = "migrationLease";
const ID = "lease";

interface LeaseDocument {
  _id: typeof ID;
  /** Fencing token, incremented with each acquisition: writes with a lower one are rejected (see history.ts). */
  fence: number;
  /** Heartbeat counter of the holder. */
  beat: number;
  /** null: the lease is free. */
  holder: string | null;
}

export interface LeaseTimes {
  /** Heartbeat interval of the holder. */
  beatMs: number;
  /** The lease expires after this time without a heartbeat: several intervals, and longer than a garbage collection. */
  lostAfterMs: number;
}

export interface Lease {
  fence: number;
  /** Whether this process knows that it lost the lease. */
  isLost(): boolean;
  /** Queries whether another process has taken the lease. */
  wasTaken(): Promise<boolean>;
  release(): Promise<void>;
}

/**
 * Mutual exclusion of processes by a lease in the database. Independent of clock skew: a waiting process measures how long the
 * heartbeat counter hasn't changed.
 */
export class Leases {
  readonly #leases: mongo.Collection<LeaseDocument>;
  readonly #holder: string;
  readonly #times: LeaseTimes;
  #seen: { fence: number; beat: number; sinceMs: number } | undefined;

  /** @param holder a readable name of this process */
  constructor(db: mongo.Db, holder: string, times: LeaseTimes) {
    this.#leases = db.collection<LeaseDocument>(COLLECTION, { writeConcern: DURABLE });
    this.#holder = holder;
    this.#times = times;
  }

  /**
   * @param isAlone whether no other process can have the database open; a holder must have crashed then
   * @returns null if another process holds it; try again soon
   */
  async take(isAlone: boolean): Promise<Lease | null> {
    const found = await this.#leases.findOne({ _id: ID });
    if (found === null) return this.#insert();
    const isFree = found.holder === null || isAlone || this.#isExpired(found);
    if (!isFree) return null;
    const { fence, beat } = found;
    const taken = await this.#leases.updateOne(
      { _id: ID, fence, beat },
      { $set: { holder: this.#holder, beat: 0 }, $inc: { fence: 1 } },
    );
    return taken.modifiedCount === 1 ? this.#hold(fence + 1) : null;
  }

  async #insert(): Promise<Lease | null> {
    try {
      await this.#leases.insertOne({ _id: ID, fence: 1, beat: 0, holder: this.#holder });
      return this.#hold(1);
    } catch (error) {
      if ((error as mongo.MongoServerError).code === 11_000) return null;
      throw error;
    }
  }

  #isExpired({ fence, beat }: LeaseDocument): boolean {
    const now = performance.now();
    if (this.#seen?.fence !== fence || this.#seen.beat !== beat) this.#seen = { fence, beat, sinceMs: now };
    return now - this.#seen.sinceMs >= this.#times.lostAfterMs;
  }

  #hold(fence: number): Lease {
    let isLost = false;
    const beat = async (): Promise<void> => {
      const { matchedCount } = await this.#leases.updateOne({ _id: ID, fence }, { $inc: { beat: 1 } });
      if (matchedCount === 0) isLost = true;
    };
    // A failed heartbeat is harmless: the next can succeed; if none does, another process takes the lease.
    const timer = setInterval(() => void beat().catch(() => undefined), this.#times.beatMs);
    return {
      fence,
      isLost: () => isLost,
      wasTaken: async () => (await this.#leases.findOne({ _id: ID, fence })) === null,
      release: async () => {
        clearInterval(timer);
        await this.#leases.updateOne({ _id: ID, fence }, { $set: { holder: null } });
      },
    };
  }
}

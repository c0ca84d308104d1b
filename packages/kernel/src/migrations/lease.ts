import type { mongo } from "mongoose";
import { DURABLE } from "../repository.ts";

/** Beside the records, so that a backup of both fits together. */
const COLLECTION = "migrationLease";
const ID = "lease";

interface LeaseDocument {
  _id: typeof ID;
  /** One higher each time it is taken: what is written with a lower one is refused (see history.ts). */
  fence: number;
  /** Moves while the holder lives. */
  beat: number;
  /** null: nobody has it. */
  holder: string | null;
}

export interface LeaseTimes {
  /** The holder shows so often that it lives. */
  beatMs: number;
  /** Who has not shown it for so long has lost it. Several beats, and longer than a garbage collection. */
  lostAfterMs: number;
}

export interface Lease {
  fence: number;
  /** Whether it was lost, as far as this process knows. */
  isLost(): boolean;
  /** Whether another process has taken it since, as the database knows. */
  wasTaken(): Promise<boolean>;
  release(): Promise<void>;
}

/**
 * One process at a time, with a lease in the database. No two clocks are compared: who waits measures on its own how long the
 * holder's beat has stood still.
 */
export class Leases {
  readonly #leases: mongo.Collection<LeaseDocument>;
  readonly #holder: string;
  readonly #times: LeaseTimes;
  #seen: { fence: number; beat: number; sinceMs: number } | undefined;

  /** @param holder who this is, for people */
  constructor(db: mongo.Db, holder: string, times: LeaseTimes) {
    this.#leases = db.collection<LeaseDocument>(COLLECTION, { writeConcern: DURABLE });
    this.#holder = holder;
    this.#times = times;
  }

  /**
   * @param isAlone no other process can have the database: whoever holds the lease is dead
   * @returns null when another process has it; then ask again soon
   */
  async take(isAlone: boolean): Promise<Lease | null> {
    const found = await this.#leases.findOne({ _id: ID });
    if (found === null) return this.#insert();
    const isFree = found.holder === null || isAlone || this.#hasStoodStill(found);
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

  #hasStoodStill({ fence, beat }: LeaseDocument): boolean {
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
    // A beat that fails is no loss: the next one may succeed, and if none does, others see it stand still.
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

import { hash, randomFillSync } from "node:crypto";

export interface ConnectionLimits {
  max: number;
  maxPerAddress: number;
}

// Memory layout in units of 32 bits: the header, then the slots of a hash table with linear probing.
const LOCK = 0;
const TOTAL = 1;
const SALT = 2;
const SALT_LENGTH = 4;
const HEADER = SALT + SALT_LENGTH;
/** 64 bits of the hash of the address, and its number of connections; 0: a free slot. */
const SLOT = 3;

/**
 * Limits connections in total and per address. Counted in memory shared by the threads of a process, so the limits are exact, and
 * counting takes about a microsecond without messages between threads.
 */
export class ConnectionLimit {
  readonly #limits: ConnectionLimits;
  readonly #memory: Int32Array<SharedArrayBuffer>;
  readonly #salt: Buffer;
  readonly #slots: number;

  /** Allocates memory for one limit. Each thread creates its `ConnectionLimit` on it, with the same limits. */
  static memory({ max }: Pick<ConnectionLimits, "max">): SharedArrayBuffer {
    // At most half full, so that a free slot is always near.
    const slots = 2 ** Math.ceil(Math.log2(2 * max + 1));
    const memory = new Int32Array(new SharedArrayBuffer((HEADER + slots * SLOT) * 4));
    // The key is random, so that clients can't choose addresses that collide.
    memory.set(randomFillSync(new Int32Array(SALT_LENGTH)), SALT);
    return memory.buffer;
  }

  constructor(memory: SharedArrayBuffer, limits: ConnectionLimits) {
    this.#limits = limits;
    this.#memory = new Int32Array(memory);
    this.#salt = Buffer.from(memory, SALT * 4, SALT_LENGTH * 4);
    this.#slots = (this.#memory.length - HEADER) / SLOT;
  }

  /** Whether `take` would succeed. */
  hasRoom(address: string): boolean {
    return this.#locked(address, (at) => this.#isBelowLimits(at));
  }

  /** Counts a connection unless that would exceed a limit. @returns whether it is counted and must be released */
  take(address: string): boolean {
    return this.#locked(address, (at, high, low) => {
      if (!this.#isBelowLimits(at)) return false;
      const memory = this.#memory;
      memory[TOTAL]! += 1;
      memory[at] = high;
      memory[at + 1] = low;
      memory[at + 2]! += 1;
      return true;
    });
  }

  release(address: string): void {
    this.#locked(address, (at) => {
      this.#memory[TOTAL]! -= 1;
      this.#memory[at + 2]! -= 1;
      if (this.#memory[at + 2] === 0) this.#closeGap(at);
    });
  }

  #isBelowLimits(at: number): boolean {
    return this.#memory[TOTAL]! < this.#limits.max && this.#memory[at + 2]! < this.#limits.maxPerAddress;
  }

  /** @param act receives the index of the address's slot, or of the free slot where it belongs */
  #locked<T>(address: string, act: (at: number, high: number, low: number) => T): T {
    const digest = hash("sha1", Buffer.concat([this.#salt, Buffer.from(address)]), "buffer");
    const [high, low] = [digest.readInt32LE(0), digest.readInt32LE(4)];
    const memory = this.#memory;
    // Held by another thread for less than a microsecond, unless that thread is preempted.
    while (Atomics.compareExchange(memory, LOCK, 0, 1) !== 0) Atomics.wait(memory, LOCK, 1, 1);
    try {
      let slot = this.#homeOf(low);
      while (this.#countAt(slot) > 0 && !this.#isAt(slot, high, low)) slot = this.#after(slot);
      return act(placeOf(slot), high, low);
    } finally {
      Atomics.store(memory, LOCK, 0);
      Atomics.notify(memory, LOCK, 1);
    }
  }

  /** A search ends at a free slot, so following entries are moved up if their own search would pass the gap. */
  #closeGap(at: number): void {
    let gap = (at - HEADER) / SLOT;
    for (let slot = this.#after(gap); this.#countAt(slot) > 0; slot = this.#after(slot)) {
      const home = this.#homeOf(this.#memory[placeOf(slot) + 1]!);
      if (this.#distance(home, slot) < this.#distance(gap, slot)) continue;
      this.#memory.copyWithin(placeOf(gap), placeOf(slot), placeOf(slot) + SLOT);
      this.#memory[placeOf(slot) + 2] = 0;
      gap = slot;
    }
  }

  #homeOf(low: number): number {
    return low & (this.#slots - 1);
  }

  #after(slot: number): number {
    return (slot + 1) & (this.#slots - 1);
  }

  #distance(from: number, to: number): number {
    return (to - from) & (this.#slots - 1);
  }

  #countAt(slot: number): number {
    return this.#memory[placeOf(slot) + 2]!;
  }

  #isAt(slot: number, high: number, low: number): boolean {
    return this.#memory[placeOf(slot)] === high && this.#memory[placeOf(slot) + 1] === low;
  }
}

function placeOf(slot: number): number {
  return HEADER + slot * SLOT;
}

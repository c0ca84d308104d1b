/** Maximum size of all incomplete messages; the oldest are discarded first. */
const MAX_BYTES = 256 * 1_048_576;
const MAX_INCOMPLETE = 1000;

export interface Piece {
  /** Unique among incomplete messages. */
  readonly id: string;
  readonly index: number;
  readonly count: number;
}

/** Splits a message that is larger than the bus allows. */
export function* cut(id: string, message: Uint8Array, maxBytes: number): Generator<[Piece, Uint8Array]> {
  const count = Math.max(1, Math.ceil(message.length / maxBytes));
  for (let index = 0; index < count; index++) {
    yield [{ id, index, count }, message.subarray(index * maxBytes, (index + 1) * maxBytes)];
  }
}

interface Incomplete {
  readonly bodies: Buffer[];
  bytes: number;
}

/** Reassembles messages from pieces that arrive in order, possibly interleaved with those of other messages. */
export class Assembly {
  readonly #incomplete = new Map<string, Incomplete>();
  #bytes = 0;

  /** @returns the message once it is complete, otherwise null. Discards a message if a piece is missing. */
  add({ id, index, count }: Piece, body: Uint8Array): Buffer | null {
    const existing = this.#incomplete.get(id);
    this.#discard(id);
    const message = index === 0 ? { bodies: [], bytes: 0 } : existing;
    if (message?.bodies.length !== index) return null;
    // Copied, because the connection reuses the buffer.
    message.bodies.push(Buffer.from(body));
    message.bytes += body.length;
    if (message.bodies.length === count) return Buffer.concat(message.bodies);
    this.#incomplete.set(id, message);
    this.#bytes += message.bytes;
    for (const oldest of this.#incomplete.keys()) {
      if (this.#bytes <= MAX_BYTES && this.#incomplete.size <= MAX_INCOMPLETE) break;
      this.#discard(oldest);
    }
    return null;
  }

  clear(): void {
    this.#incomplete.clear();
    this.#bytes = 0;
  }

  /** The number of incomplete messages. */
  get size(): number {
    return this.#incomplete.size;
  }

  #discard(id: string): void {
    this.#bytes -= this.#incomplete.get(id)?.bytes ?? 0;
    this.#incomplete.delete(id);
  }
}

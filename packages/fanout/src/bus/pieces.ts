/** Bytes of all incomplete messages together. Beyond it the oldest are forgotten: their senders are gone. */
const MAX_BYTES = 256 * 1_048_576;
const MAX_INCOMPLETE = 1000;

/** Which piece of which message. */
export interface Piece {
  /** Unique among the messages on their way. */
  readonly id: string;
  readonly index: number;
  readonly count: number;
}

/** Cuts a message that is larger than the bus takes. */
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

/** Puts messages together again whose pieces come in order, with pieces of other messages in between. */
export class Assembly {
  readonly #incomplete = new Map<string, Incomplete>();
  #bytes = 0;

  /** @returns the message with its last piece, before that null. A message that lacks a piece is forgotten. */
  add({ id, index, count }: Piece, body: Uint8Array): Buffer | null {
    const begun = this.#incomplete.get(id);
    this.#forget(id);
    const message = index === 0 ? { bodies: [], bytes: 0 } : begun;
    if (message?.bodies.length !== index) return null;
    // A copy: the rest of the buffer belongs to the connection.
    message.bodies.push(Buffer.from(body));
    message.bytes += body.length;
    if (message.bodies.length === count) return Buffer.concat(message.bodies);
    this.#incomplete.set(id, message);
    this.#bytes += message.bytes;
    for (const oldest of this.#incomplete.keys()) {
      if (this.#bytes <= MAX_BYTES && this.#incomplete.size <= MAX_INCOMPLETE) break;
      this.#forget(oldest);
    }
    return null;
  }

  clear(): void {
    this.#incomplete.clear();
    this.#bytes = 0;
  }

  /** Incomplete messages. */
  get size(): number {
    return this.#incomplete.size;
  }

  #forget(id: string): void {
    this.#bytes -= this.#incomplete.get(id)?.bytes ?? 0;
    this.#incomplete.delete(id);
  }
}

import type { Message } from "./wire.ts";

/** One message that came in several pieces: more is no answer between servers, but a mistake. */
const MAX_BYTES = 256 * 1_048_576;

interface Pieces {
  readonly sequence: number;
  readonly bodies: Buffer[];
  bytes: number;
}

/** Splits what is larger than the bus takes. */
export function* pieces(body: Uint8Array, maxBytes: number): Generator<Uint8Array> {
  for (let at = 0; at < body.length; at += maxBytes) yield body.subarray(at, at + maxBytes);
}

/** Puts it together again. The pieces of one publisher follow each other, so there is one message at a time of each. */
export class Assembly {
  readonly #begun = new Map<string, Pieces>();

  /** @returns the whole body with its last piece, before that null. A body that lacks a piece is forgotten. */
  add({ publisher, sequence, header, body }: Message): Buffer | null {
    const [index, count] = header?.piece ?? [0, 1];
    if (count === 1) return body;
    const begun = this.#begun.get(publisher);
    this.#begun.delete(publisher);
    const so: Pieces = index === 0 || begun === undefined ? { sequence, bodies: [], bytes: 0 } : begun;
    if (so.sequence !== sequence || so.bodies.length !== index || so.bytes + body.length > MAX_BYTES)
      return null;
    so.bodies.push(body);
    so.bytes += body.length;
    if (so.bodies.length === count) return Buffer.concat(so.bodies);
    this.#begun.set(publisher, so);
    return null;
  }

  /** Messages of which there are some pieces. */
  get size(): number {
    return this.#begun.size;
  }
}

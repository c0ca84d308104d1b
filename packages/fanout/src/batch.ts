/** One broadcast, encoded once for all its receivers. */
export interface EncodedPacket {
  /** The Socket.IO packet as text. */
  readonly text: string;
  /** The same as a WebSocket frame. */
  readonly frame: Buffer;
  /** Event name and arguments, for `onAnyOutgoing` listeners. */
  readonly args: readonly unknown[];
  /** What its publisher's `traceOf` said. */
  readonly trace?: string | undefined;
}

/**
 * Packets that a socket has yet to be sent, oldest first. Sockets that wait for the same packets share one batch, so
 * their bytes are put together once.
 */
export class Batch {
  readonly latest: readonly EncodedPacket[];
  readonly #previous: Batch | null;
  #bytes: Buffer | null = null;

  constructor(previous: Batch | null, latest: readonly EncodedPacket[]) {
    this.#previous = previous;
    this.latest = latest;
  }

  get packets(): readonly EncodedPacket[] {
    return Batch.#runs(this).toReversed().flat();
  }

  get bytes(): Buffer {
    if (this.#bytes === null) {
      const frames = this.packets.map((packet) => packet.frame);
      this.#bytes = frames.length === 1 && frames[0] ? frames[0] : Buffer.concat(frames);
    }
    return this.#bytes;
  }

  static #runs(newest: Batch): (readonly EncodedPacket[])[] {
    const runs: (readonly EncodedPacket[])[] = [];
    for (let batch: Batch | null = newest; batch !== null; batch = batch.#previous) runs.push(batch.latest);
    return runs;
  }
}

/** Appends one run of packets to whatever each socket waits for already, keeping equal batches shared. */
export class Extension {
  readonly packets: readonly EncodedPacket[];
  readonly #extended = new Map<Batch | null, Batch>();
  #lastFrom: Batch | null = null;
  #lastTo: Batch | null = null;

  constructor(packets: readonly EncodedPacket[]) {
    this.packets = packets;
  }

  of(previous: Batch | null): Batch {
    if (this.#lastTo !== null && previous === this.#lastFrom) return this.#lastTo;
    let batch = this.#extended.get(previous);
    if (batch === undefined) {
      batch = new Batch(previous, this.packets);
      this.#extended.set(previous, batch);
    }
    this.#lastFrom = previous;
    this.#lastTo = batch;
    return batch;
  }
}

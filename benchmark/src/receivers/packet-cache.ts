import type { Packet } from "./packet.ts";

/** A known payload with its decoded packet. */
export interface KnownPacket {
  bytes: Buffer;
  packet: Packet;
  /** What followed it on the connection that last received it: the most likely next payload of others. */
  next: KnownPacket | undefined;
}

const MAX_ENTRIES = 256;
const MAX_ENTRY_BYTES = 256 * 1024;

/**
 * In a broadcast every connection gets the same bytes, so each distinct payload is decoded once. Payloads are
 * only equal if every byte is.
 */
export class PacketCache {
  readonly #entries: KnownPacket[] = [];
  #newest = -1;

  /** @param previous what this connection received before, if anything */
  find(
    bytes: Buffer,
    start: number,
    end: number,
    previous: KnownPacket | undefined,
  ): KnownPacket | undefined {
    const expected = previous?.next;
    if (expected && isSame(expected, bytes, start, end)) return expected;
    // Newest first: a miss of the guess above is nearly always a message that has just been added.
    for (let i = 0; i < this.#entries.length; i++) {
      const entry = this.#entries[(this.#newest - i + MAX_ENTRIES) % MAX_ENTRIES];
      if (!entry || !isSame(entry, bytes, start, end)) continue;
      if (previous) previous.next = entry;
      return entry;
    }
    return undefined;
  }

  add(
    bytes: Buffer,
    start: number,
    end: number,
    packet: Packet,
    previous: KnownPacket | undefined,
  ): KnownPacket {
    const entry = { bytes: Buffer.copyBytesFrom(bytes, start, end - start), packet, next: undefined };
    if (previous) previous.next = entry;
    if (end - start <= MAX_ENTRY_BYTES) {
      this.#newest = (this.#newest + 1) % MAX_ENTRIES;
      this.#entries[this.#newest] = entry;
    }
    return entry;
  }
}

function isSame(entry: KnownPacket, bytes: Buffer, start: number, end: number): boolean {
  return (
    entry.bytes.length === end - start && bytes.compare(entry.bytes, 0, entry.bytes.length, start, end) === 0
  );
}

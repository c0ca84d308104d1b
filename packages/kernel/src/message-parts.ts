import { randomBytes } from "node:crypto";

/** Messages of which some parts are missing. Their senders are gone; there cannot be many. */
const MAX_INCOMPLETE = 1000;

/** What is said of a part: `<message> <index> <count>`. */
export type PartLabel = string;

/** Cuts a message that is larger than the bus takes in one piece. */
export function* cut(message: Buffer, maxBytes: number): Generator<[PartLabel, Buffer]> {
  const id = randomBytes(9).toString("base64url");
  const count = Math.ceil(message.length / maxBytes);
  for (let index = 0; index < count; index += 1) {
    yield [`${id} ${index} ${count}`, message.subarray(index * maxBytes, (index + 1) * maxBytes)];
  }
}

/** Puts messages together again whose parts come in order, and other messages in between. */
export class PartCollector {
  readonly #incomplete = new Map<string, Buffer[]>();

  /** @returns the message when this was its last part */
  add(label: PartLabel, part: Uint8Array): Buffer | undefined {
    const [id = "", index, count] = label.split(" ");
    const parts = Number(index) === 0 ? [] : this.#incomplete.get(id);
    // The beginning was sent before this process listened, or it was lost with the connection.
    if (parts?.length !== Number(index)) return undefined;
    // A copy: the rest of the buffer is the connection's.
    parts.push(Buffer.from(part));
    this.#incomplete.delete(id);
    if (parts.length === Number(count)) return Buffer.concat(parts);
    this.#incomplete.set(id, parts);
    this.#forgetOldest();
    return undefined;
  }

  clear(): void {
    this.#incomplete.clear();
  }

  #forgetOldest(): void {
    if (this.#incomplete.size <= MAX_INCOMPLETE) return;
    for (const oldest of this.#incomplete.keys()) {
      this.#incomplete.delete(oldest);
      return;
    }
  }
}

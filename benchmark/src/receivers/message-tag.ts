/** Instead of the index of a message: the text is of another run, or of a user. */
const FOREIGN = -1;
/** Instead of the index of a message: the text names this run, but isn't what was sent. */
export const CORRUPTED = -2;

const LETTERS = "abcdefghijklmnopqrstuvwxyz";

export function newRunId(): string {
  return Math.floor(Math.random() * 2 ** 32).toString(36);
}

/**
 * The content of a measured message names its run, its index and its length, so that receivers recognize each message and
 * every change of its text. Other messages in the same channel are never mistaken for one.
 */
export function taggedContent(runId: string, index: number, bytes: number): string {
  const tag = `bench ${runId} ${index} ${bytes} `;
  return tag.padEnd(bytes, LETTERS.slice(index % LETTERS.length) + LETTERS);
}

/** The index of the message in the run, FOREIGN or CORRUPTED. */
export function taggedIndex(runId: string, content: unknown): number {
  if (typeof content !== "string" || !content.includes(runId)) return FOREIGN;
  const [, , index = "", bytes = ""] = content.split(" ", 4);
  if (!/^\d{1,7}$/.test(index) || !/^\d{1,5}$/.test(bytes)) return CORRUPTED;
  return content === taggedContent(runId, Number(index), Number(bytes)) ? Number(index) : CORRUPTED;
}

/** The shortest payload that fits a tag. */
export const MIN_PAYLOAD_BYTES = 32;

/** A larger number of copies of a message is counted as this. */
const MOST_COPIES = 255;

/** Counts the stored messages of a run, by the whole text of each. */
export class StoredCopies {
  /** How often each message is stored. */
  readonly copies: Uint8Array;
  /** All of them together. */
  found = 0;
  readonly #runId: string;

  /** @param messages how many the run can have */
  constructor(runId: string, messages: number) {
    this.#runId = runId;
    this.copies = new Uint8Array(messages);
  }

  add(content: unknown): void {
    const index = taggedIndex(this.#runId, content);
    if (index < 0 || index >= this.copies.length) return;
    this.found++;
    if (this.copies[index]! < MOST_COPIES) this.copies[index]!++;
  }

  /** Adds everything that is stored. */
  async addAll(contents: AsyncIterable<unknown>): Promise<this> {
    for await (const content of contents) this.add(content);
    return this;
  }

  /** Copies beyond the first of each message. */
  get further(): number {
    return this.found - this.copies.reduce((stored, copies) => stored + (copies > 0 ? 1 : 0), 0);
  }

  /** How many of these messages are stored. */
  of(messages: readonly { index: number }[]): number {
    return messages.filter(({ index }) => this.copies[index]! > 0).length;
  }
}

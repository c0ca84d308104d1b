import { createReadStream } from "node:fs";
import { appendFile } from "node:fs/promises";
import { splitLines } from "@fanfare/group-file";

const CHARS_PER_WRITE = 1024 * 1024;

/** A temporary file with one value on each line, which is written in large parts. */
export class JsonLines<T> {
  readonly #path: string;
  readonly #maxLineBytes: number;
  #waiting = "";

  constructor(path: string, maxLineBytes: number) {
    this.#path = path;
    this.#maxLineBytes = maxLineBytes;
  }

  async add(value: T): Promise<void> {
    this.#waiting += `${JSON.stringify(value)}\n`;
    if (this.#waiting.length >= CHARS_PER_WRITE) await this.#store();
  }

  async *read(): AsyncGenerator<T, undefined> {
    await this.#store();
    for await (const line of splitLines(createReadStream(this.#path), this.#maxLineBytes))
      yield JSON.parse(line.toString()) as T;
    return undefined;
  }

  async #store(): Promise<void> {
    await appendFile(this.#path, this.#waiting, { mode: 0o600 });
    this.#waiting = "";
  }
}

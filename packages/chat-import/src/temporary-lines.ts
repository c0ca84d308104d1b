import { createReadStream } from "node:fs";
import { appendFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { splitLines } from "@fanfare/group-file";

const CHARS_PER_WRITE = 1024 * 1024;
/** A message of 10,000 characters, and 20 reactions of as many users as there are. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** A temporary file with one value on each line, which is written in large parts. */
export class JsonLines<T> {
  readonly #path: string;
  #waiting = "";

  constructor(path: string) {
    this.#path = path;
  }

  async add(value: T): Promise<void> {
    this.#waiting += `${JSON.stringify(value)}\n`;
    if (this.#waiting.length >= CHARS_PER_WRITE) await this.#store();
  }

  async *read(): AsyncGenerator<T, undefined> {
    await this.#store();
    for await (const line of splitLines(createReadStream(this.#path), MAX_LINE_BYTES))
      yield JSON.parse(line.toString()) as T;
    return undefined;
  }

  async #store(): Promise<void> {
    await appendFile(this.#path, this.#waiting, { mode: 0o600 });
    this.#waiting = "";
  }
}

/** Held in memory; the rest is in files. */
const MAX_CHARS = 32 * 1024 * 1024;

interface Item {
  key: string;
  text: string;
}

/** Sorts more items than fit into memory, with the help of files in a folder. */
export class SortedItems {
  readonly #folder: string;
  readonly #files: string[] = [];
  #items: Item[] = [];
  #chars = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** @param key without tabs and line breaks, like the text */
  async add(key: string, text: string): Promise<void> {
    this.#items.push({ key, text });
    this.#chars += key.length + text.length;
    if (this.#chars > MAX_CHARS) await this.#store();
  }

  /** The texts by key; those with the same key in any order. */
  async *read(): AsyncGenerator<string> {
    const runs: (AsyncIterator<Item> | Iterator<Item>)[] = this.#files.map(itemsOf);
    runs.push(sorted(this.#items).values());
    const heads = await Promise.all(runs.map(async (run) => ({ run, next: await run.next() })));
    for (;;) {
      let least: (typeof heads)[number] | undefined;
      for (const head of heads)
        if (head.next.done !== true && (least === undefined || head.next.value.key < least.next.value.key))
          least = head;
      if (least === undefined) return;
      yield least.next.value.text;
      least.next = await least.run.next();
    }
  }

  async #store(): Promise<void> {
    const file = join(this.#folder, `sorted-${this.#files.length}`);
    const lines = sorted(this.#items).map(({ key, text }) => `${key}\t${text}\n`);
    await writeFile(file, lines, { mode: 0o600 });
    this.#files.push(file);
    this.#items = [];
    this.#chars = 0;
  }
}

const sorted = (items: readonly Item[]): Item[] =>
  items.toSorted((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)));

async function* itemsOf(file: string): AsyncGenerator<Item> {
  for await (const line of splitLines(createReadStream(file), MAX_LINE_BYTES)) {
    const whole = line.toString();
    const tab = whole.indexOf("\t");
    yield { key: whole.slice(0, tab), text: whole.slice(tab + 1) };
  }
}

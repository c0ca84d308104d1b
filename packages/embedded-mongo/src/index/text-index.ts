import type { StoredRecord } from "../storage/record.ts";
import { collectValues, splitPath } from "../values/path.ts";
import { isObject, type PlainObject } from "../values/types.ts";
import type { IndexSpec } from "./spec.ts";

/** Estimated memory of one (word, document) pair, in bytes. */
const POSTING_BYTES = 60;

/** Case and diacritics do not count; no stemming and no stop words, whatever the language. */
export const normalizeText = (text: string): string =>
  text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

export const words = (text: string): string[] => normalizeText(text).match(/[\p{L}\p{N}_]+/gu) ?? [];

function strings(value: unknown, out: string[]): string[] {
  if (typeof value === "string") out.push(value);
  else if (Array.isArray(value)) for (const element of value) strings(element, out);
  return out;
}

function allStrings(value: unknown, out: string[]): string[] {
  if (typeof value === "string") out.push(value);
  else if (Array.isArray(value)) for (const element of value) allStrings(element, out);
  else if (isObject(value)) for (const element of Object.values(value)) allStrings(element, out);
  return out;
}

/** An inverted index: word → documents with the weight of the word in them. */
export class TextIndex {
  readonly spec: IndexSpec;
  readonly #weights: ReadonlyMap<string, number>;
  readonly #postings = new Map<string, Map<StoredRecord, number>>();
  #entries = 0;

  constructor(spec: IndexSpec) {
    this.spec = spec;
    this.#weights = spec.textWeights ?? new Map();
  }

  get bytes(): number {
    return this.#entries * POSTING_BYTES;
  }

  /** The indexed texts of a document with their weights. */
  texts(document: PlainObject): { text: string; weight: number }[] {
    const out: { text: string; weight: number }[] = [];
    for (const [path, weight] of this.#weights) {
      const found: string[] = [];
      if (path === "$**") allStrings(document, found);
      else for (const value of collectValues(document, splitPath(path))) strings(value, found);
      for (const text of found) out.push({ text, weight });
    }
    return out;
  }

  /** Score of each word: the more often it stands in a short text of great weight, the higher. */
  scores(document: PlainObject): Map<string, number> {
    const scores = new Map<string, number>();
    for (const { text, weight } of this.texts(document)) {
      const all = words(text);
      const counts = new Map<string, number>();
      for (const word of all) counts.set(word, (counts.get(word) ?? 0) + 1);
      for (const [word, count] of counts) {
        const score = weight * (0.5 + count / (2 * all.length)) * (2 - 1 / count);
        scores.set(word, (scores.get(word) ?? 0) + score);
      }
    }
    return scores;
  }

  add(document: PlainObject, record: StoredRecord): void {
    for (const [word, score] of this.scores(document)) {
      let posting = this.#postings.get(word);
      if (!posting) this.#postings.set(word, (posting = new Map()));
      posting.set(record, score);
      this.#entries++;
    }
  }

  remove(document: PlainObject, record: StoredRecord): void {
    for (const word of this.scores(document).keys()) {
      const posting = this.#postings.get(word);
      if (posting?.delete(record)) this.#entries--;
      if (posting?.size === 0) this.#postings.delete(word);
    }
  }

  posting(word: string): ReadonlyMap<StoredRecord, number> | undefined {
    return this.#postings.get(word);
  }
}

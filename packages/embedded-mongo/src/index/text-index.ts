import type { StatementSync } from "node:sqlite";
import { isPauseDue, PAUSE } from "../command-scope.ts";
import { CommandError } from "../errors.ts";
import type { Database } from "../storage/database.ts";
import { collectValues, splitPath } from "../values/path.ts";
import { isObject, type PlainObject } from "../values/types.ts";
import type { IndexSpec } from "./spec.ts";

/** Entries read per query. */
const CHUNK = 4096;

/** Ignores case and diacritics. No stemming or stop words in any language. */
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

/** An inverted index: a table of words, the documents that contain them, and the word's score in each document. */
export class TextIndex {
  readonly spec: IndexSpec;
  readonly #weights: ReadonlyMap<string, number>;
  readonly #database: Database;
  readonly #insert: StatementSync;
  readonly #delete: StatementSync;
  readonly #select: StatementSync;
  #isDropped = false;

  constructor(database: Database, table: string, spec: IndexSpec) {
    this.spec = spec;
    this.#weights = spec.textWeights ?? new Map();
    this.#database = database;
    this.#insert = database.prepare(`INSERT INTO ${table} (word, ord, score) VALUES (?, ?, ?)`);
    this.#delete = database.prepare(`DELETE FROM ${table} WHERE word = ? AND ord = ?`);
    this.#select = database.prepare(
      `SELECT ord, score FROM ${table} WHERE word = ? AND ord > ? ORDER BY ord LIMIT ${CHUNK}`,
    );
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

  /** The score of each word: higher for more occurrences in a shorter text with a higher weight. */
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

  add(document: PlainObject, order: number): void {
    for (const [word, score] of this.scores(document)) this.#database.run(this.#insert, word, order, score);
  }

  remove(document: PlainObject, order: number): void {
    for (const word of this.scores(document).keys()) this.#database.run(this.#delete, word, order);
  }

  /** Called after the table was dropped: searches fail. */
  markDropped(): void {
    this.#isDropped = true;
  }

  /**
   * The orders of the documents that contain a word, with its scores.
   * @throws CommandError QueryPlanKilled if the index is dropped during the search
   */
  *posting(word: string): Generator<[order: number, score: number] | typeof PAUSE> {
    for (let after = 0; ;) {
      if (this.#isDropped)
        throw new CommandError("QueryPlanKilled", `the index ${this.spec.name} was dropped during the query`);
      const found = this.#select.all(word, after) as unknown as [number, number][];
      for (const entry of found) {
        if (isPauseDue()) yield PAUSE;
        yield entry;
      }
      if (found.length < CHUNK) return;
      [after] = found.at(-1)!;
    }
  }
}

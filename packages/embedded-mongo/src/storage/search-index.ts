import type { StatementSync } from "node:sqlite";
import { isPauseDue } from "../command-scope.ts";
import type { Database } from "./database.ts";

/** Row numbers are an id's timestamp in seconds times this, plus a number within the second, so that newer ids have higher rows. At most 2^53. */
const ROWS_PER_SECOND = 2 ** 21;

/** Cached numbers of places. */
const CACHED_PLACES = 10_000;

/** An entry of a document. */
export interface SearchEntry {
  /** The 12 bytes of an ObjectId. */
  readonly id: Uint8Array;
  /** Searches are limited to places, such as channels. */
  readonly place: Uint8Array;
  /** An entry is only replaced by one with the same or a higher revision. */
  readonly rev: number;
  /** Without spaces; the only ASCII characters are letters, digits, `:` and `~`. ASCII case is ignored. */
  readonly tokens: readonly string[];
}

/** An entry matches if it has one of the tokens, or a token that starts with the prefix. */
export interface SearchWord {
  readonly tokens: readonly string[];
  readonly prefix?: string | undefined;
}

export interface SearchQuery {
  readonly places: readonly Uint8Array[];
  /** An entry must match all of them. */
  readonly words: readonly SearchWord[];
  /** Only ids lower than this. */
  readonly below: Uint8Array;
  /** Only this id and higher ones. */
  readonly from: Uint8Array;
  readonly limit: number;
}

/**
 * A full-text index on FTS5, which appends the tokens of new entries, whereas an ordinary index would write a page per token. Each token
 * is stored with the number of its place, and each entry also has a token for its place.
 */
export class SearchIndex {
  readonly number: number;
  readonly #database: Database;
  /** By id in hex. Starts empty after a rollback, because the catalog is loaded again. */
  readonly #places = new Map<string, number>();
  readonly #rowOf: StatementSync;
  readonly #lastRowBelow: StatementSync;
  readonly #insertRow: StatementSync;
  readonly #updateRow: StatementSync;
  readonly #deleteRow: StatementSync;
  readonly #insertTokens: StatementSync;
  readonly #deleteTokens: StatementSync;
  readonly #selectPlace: StatementSync;
  readonly #insertPlace: StatementSync;
  readonly #find: StatementSync;
  readonly #findAny: StatementSync;

  constructor(database: Database, number: number) {
    this.number = number;
    this.#database = database;
    const [rows, tokens, places] = tablesOf(number);
    this.#rowOf = database.prepare(`SELECT row, rev FROM ${rows} WHERE id = ?`);
    this.#lastRowBelow = database.prepare(`SELECT max(row) FROM ${rows} WHERE row < ?`);
    this.#insertRow = database.prepare(`INSERT INTO ${rows} (row, id, rev) VALUES (?, ?, ?)`);
    this.#updateRow = database.prepare(`UPDATE ${rows} SET rev = ? WHERE row = ?`);
    this.#deleteRow = database.prepare(`DELETE FROM ${rows} WHERE row = ?`);
    this.#insertTokens = database.prepare(`INSERT INTO ${tokens} (rowid, tokens) VALUES (?, ?)`);
    this.#deleteTokens = database.prepare(`DELETE FROM ${tokens} WHERE rowid = ?`);
    this.#selectPlace = database.prepare(`SELECT number FROM ${places} WHERE place = ?`);
    this.#insertPlace = database.prepare(`INSERT INTO ${places} (place) VALUES (?)`);
    this.#find = database.prepare(
      `SELECT r.row, r.id FROM ${tokens} JOIN ${rows} r ON r.row = ${tokens}.rowid
       WHERE ${tokens} MATCH ? AND ${tokens}.rowid BETWEEN ? AND ? ORDER BY ${tokens}.rowid DESC`,
    );
    this.#findAny = database.prepare(`SELECT rowid FROM ${tokens} WHERE ${tokens} MATCH ? LIMIT +?`);
  }

  /** Creates the tables of a new index. */
  static define(database: Database, number: number): void {
    const [rows, tokens, places] = tablesOf(number);
    database.define(`
      CREATE TABLE ${rows} (row INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, rev INTEGER NOT NULL);
      CREATE TABLE ${places} (number INTEGER PRIMARY KEY, place BLOB NOT NULL UNIQUE);
      CREATE VIRTUAL TABLE ${tokens} USING fts5(
        tokens, content='', contentless_delete=1, detail=none, tokenize="ascii tokenchars ':~_'")`);
  }

  drop(): void {
    for (const table of tablesOf(this.number)) this.#database.define(`DROP TABLE ${table}`);
  }

  put({ id, place, rev, tokens }: SearchEntry): void {
    const database = this.#database;
    const stored = this.#rowOf.get(id) as unknown as [number, number] | undefined;
    if (stored !== undefined && stored[1] > rev) return;
    const row = stored?.[0] ?? this.#newRow(id);
    if (stored === undefined) database.run(this.#insertRow, row, id, rev);
    else {
      database.run(this.#deleteTokens, row);
      database.run(this.#updateRow, rev, row);
    }
    const prefix = placePrefix(this.#placeNumber(place) ?? this.#addPlace(place));
    database.run(this.#insertTokens, row, [prefix, ...tokens.map((token) => prefix + token)].join(" "));
  }

  delete(id: Uint8Array): void {
    const stored = this.#rowOf.get(id) as unknown as [number] | undefined;
    if (stored !== undefined) this.#deleteAt(stored[0]);
  }

  /**
   * Deletes entries of a place.
   * @param token only entries with this token
   * @returns how many were deleted: fewer than `limit` if none are left
   */
  deletePlace(place: Uint8Array, token: string, limit: number): number {
    const number = this.#placeNumber(place);
    if (number === undefined) return 0;
    const found = this.#findAny.all(`"${placePrefix(number)}${token}"`, limit) as unknown as [number][];
    for (const [row] of found) this.#deleteAt(row);
    return found.length;
  }

  /** The ids of the newest matching entries, newest first. */
  find({ places, words, below, from, limit }: SearchQuery): Uint8Array[] {
    const prefixes = places.flatMap((place) => {
      const number = this.#placeNumber(place);
      return number === undefined ? [] : [placePrefix(number)];
    });
    if (prefixes.length === 0) return [];
    const lowest = BigInt(firstRow(from));
    const highest = BigInt(firstRow(below) + ROWS_PER_SECOND - 1);
    const found: Uint8Array[] = [];
    // Rows are ordered by second only, so the ids within a second are sorted here.
    let second: Uint8Array[] = [];
    let secondStart = -1;
    const finishSecond = () => {
      found.push(...second.sort((a, b) => Buffer.compare(b, a)));
      second = [];
    };
    for (const one of this.#find.iterate(matchOf(prefixes, words), lowest, highest)) {
      isPauseDue();
      const [row, id] = one as unknown as [number, Uint8Array];
      if (row < secondStart) {
        finishSecond();
        if (found.length >= limit) break;
      }
      secondStart = row - (row % ROWS_PER_SECOND);
      if (Buffer.compare(id, below) < 0 && Buffer.compare(id, from) >= 0) second.push(id);
    }
    finishSecond();
    return found.slice(0, limit);
  }

  #deleteAt(row: number): void {
    this.#database.run(this.#deleteTokens, row);
    this.#database.run(this.#deleteRow, row);
  }

  #newRow(id: Uint8Array): number {
    const first = firstRow(id);
    const [last] = this.#lastRowBelow.get(first + ROWS_PER_SECOND) as unknown as [number | null];
    return last === null || last < first ? first : last + 1;
  }

  #placeNumber(place: Uint8Array): number | undefined {
    const key = Buffer.from(place).toString("latin1");
    const cached = this.#places.get(key);
    if (cached !== undefined) return cached;
    const stored = this.#selectPlace.get(place) as unknown as [number] | undefined;
    if (stored === undefined) return undefined;
    if (this.#places.size >= CACHED_PLACES) this.#places.clear();
    this.#places.set(key, stored[0]);
    return stored[0];
  }

  #addPlace(place: Uint8Array): number {
    this.#database.run(this.#insertPlace, place);
    return this.#placeNumber(place)!;
  }
}

const tablesOf = (number: number): [rows: string, tokens: string, places: string] => [
  `s${number}`,
  `st${number}`,
  `sp${number}`,
];

const placePrefix = (number: number): string => `${number.toString(36)}_`;

/** The first row of the second in which an ObjectId was created. */
const firstRow = (id: Uint8Array): number =>
  new DataView(id.buffer, id.byteOffset).getUint32(0) * ROWS_PER_SECOND;

function matchOf(prefixes: readonly string[], words: readonly SearchWord[]): string {
  const terms = ({ tokens, prefix }: SearchWord) => [
    ...tokens.flatMap((token) => prefixes.map((place) => `"${place}${token}"`)),
    ...(prefix === undefined ? [] : prefixes.map((place) => `"${place}${prefix}"*`)),
  ];
  return words.map((word) => `(${terms(word).join(" OR ")})`).join(" AND ");
}

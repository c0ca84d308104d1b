import { UUID } from "bson";
import { CommandError } from "../errors.ts";
import { Collection } from "./collection.ts";
import type { Database } from "./database.ts";
import { SearchIndex } from "./search-index.ts";

const MAX_NAMESPACE_BYTES = 255;
const MAX_COLLECTIONS = 10_000;

/** Name prefix of the collections that `$out` fills before they replace others. */
const UNFINISHED = "tmp.agg_out.";

const TABLES = `
  CREATE TABLE collections (
    number INTEGER PRIMARY KEY AUTOINCREMENT, db TEXT NOT NULL, name TEXT NOT NULL, uuid BLOB NOT NULL,
    documents INTEGER NOT NULL DEFAULT 0, documentBytes INTEGER NOT NULL DEFAULT 0,
    indexBytes INTEGER NOT NULL DEFAULT 0, UNIQUE (db, name));
  CREATE TABLE indexes (
    number INTEGER PRIMARY KEY AUTOINCREMENT, collection INTEGER NOT NULL, definition BLOB NOT NULL,
    multikey INTEGER NOT NULL DEFAULT 0);
`;

const SEARCH_TABLE = `
  CREATE TABLE searchIndexes (
    number INTEGER PRIMARY KEY AUTOINCREMENT, db TEXT NOT NULL, name TEXT NOT NULL, UNIQUE (db, name))
`;

/** All databases and collections of a server. A database exists as long as it has a collection. */
export class Catalog {
  readonly #database: Database;
  readonly #databases = new Map<string, Map<string, Collection>>();
  readonly #byNumber = new Map<number, Collection>();
  /** By namespace. */
  readonly #searches = new Map<string, SearchIndex>();

  constructor(database: Database) {
    this.#database = database;
    this.load();
  }

  /** Creates the tables of a new file, and deletes remains of interrupted commands. */
  static prepare(database: Database): void {
    if (database.hasTable("collections")) Collection.dropUnfinishedIndexes(database);
    else database.define(TABLES);
    database.commit();
  }

  /** (Re)loads all collections from the file. */
  load(): void {
    for (const collection of this.#byNumber.values()) collection.markReplaced();
    this.#databases.clear();
    this.#byNumber.clear();
    this.#loadSearches();
    const stored = this.#database
      .prepare(
        "SELECT number, db, name, uuid, documents, documentBytes, indexBytes FROM collections ORDER BY number",
      )
      .all() as unknown as [number, string, string, Uint8Array, number, number, number][];
    for (const [number, db, name, uuid, documents, documentBytes, indexBytes] of stored) {
      this.#add(
        new Collection(
          this.#database,
          { number, db, name, uuid: new UUID(uuid) },
          { documents, documentBytes, indexBytes },
        ),
      );
    }
  }

  databases(): string[] {
    return [...this.#databases.keys()].sort();
  }

  collections(db?: string): Collection[] {
    return db === undefined ? [...this.#byNumber.values()] : [...(this.#databases.get(db)?.values() ?? [])];
  }

  find(db: string, name: string): Collection | undefined {
    return this.#databases.get(db)?.get(name);
  }

  ensure(db: string, name: string): Collection {
    return this.find(db, name) ?? this.create(db, name);
  }

  /** @throws CommandError NamespaceExists or InvalidNamespace */
  create(db: string, name: string): Collection {
    checkNamespace(db, name);
    if (this.find(db, name)) {
      throw new CommandError("NamespaceExists", `Collection ${db}.${name} already exists.`);
    }
    if (this.#byNumber.size >= MAX_COLLECTIONS) {
      throw new CommandError(
        "OutOfDiskSpace",
        `The embedded database holds at most ${MAX_COLLECTIONS} collections`,
      );
    }
    const uuid = new UUID();
    const insert = this.#database.prepare("INSERT INTO collections (db, name, uuid) VALUES (?, ?, ?)");
    this.#database.run(insert, db, name, uuid.buffer);
    const number = this.#database.number("SELECT last_insert_rowid()");
    const collection = new Collection(this.#database, { number, db, name, uuid });
    this.#add(collection);
    return collection;
  }

  /** Creates a temporary collection, which is dropped at the next start unless it is renamed. */
  createTemporary(db: string): Collection {
    return this.create(db, `${UNFINISHED}${new UUID().toHexString()}`);
  }

  /** Drops temporary collections left by a crash, and updates the indexes of the others. */
  repair(): void {
    for (const collection of this.collections())
      if (collection.name.startsWith(UNFINISHED)) this.drop(collection);
      else collection.refreshIndexes();
  }

  drop(collection: Collection): void {
    collection.drop();
    this.#database.watcher?.namespaceChanged(collection.namespace);
    this.#database.run(this.#database.prepare("DELETE FROM collections WHERE number = ?"), collection.number);
    this.#forget(collection);
    this.#byNumber.delete(collection.number);
  }

  rename(collection: Collection, db: string, name: string): void {
    checkNamespace(db, name);
    const update = this.#database.prepare("UPDATE collections SET db = ?, name = ? WHERE number = ?");
    this.#database.run(update, db, name, collection.number);
    this.#forget(collection);
    this.#database.watcher?.namespaceChanged(collection.namespace);
    collection.db = db;
    collection.name = name;
    this.#database.watcher?.namespaceChanged(collection.namespace);
    this.#place(collection);
  }

  findSearch(db: string, name: string): SearchIndex | undefined {
    return this.#searches.get(`${db}.${name}`);
  }

  ensureSearch(db: string, name: string): SearchIndex {
    const found = this.findSearch(db, name);
    if (found) return found;
    checkNamespace(db, name);
    const database = this.#database;
    if (!database.hasTable("searchIndexes")) database.define(SEARCH_TABLE);
    database.run(database.prepare("INSERT INTO searchIndexes (db, name) VALUES (?, ?)"), db, name);
    const number = database.number("SELECT last_insert_rowid()");
    SearchIndex.define(database, number);
    const index = new SearchIndex(database, number);
    this.#searches.set(`${db}.${name}`, index);
    return index;
  }

  /** @returns whether the collection existed */
  dropSearch(db: string, name: string): boolean {
    const index = this.findSearch(db, name);
    if (!index) return false;
    index.drop();
    const remove = this.#database.prepare("DELETE FROM searchIndexes WHERE number = ?");
    this.#database.run(remove, index.number);
    return this.#searches.delete(`${db}.${name}`);
  }

  /** Drops all search indexes of a database. */
  dropSearches(db: string): void {
    for (const key of this.#searches.keys())
      if (key.startsWith(`${db}.`)) this.dropSearch(db, key.slice(db.length + 1));
  }

  #loadSearches(): void {
    this.#searches.clear();
    if (!this.#database.hasTable("searchIndexes")) return;
    const stored = this.#database.prepare("SELECT number, db, name FROM searchIndexes").all();
    for (const [number, db, name] of stored as unknown as [number, string, string][])
      this.#searches.set(`${db}.${name}`, new SearchIndex(this.#database, number));
  }

  #add(collection: Collection): void {
    this.#byNumber.set(collection.number, collection);
    this.#place(collection);
  }

  #place(collection: Collection): void {
    let database = this.#databases.get(collection.db);
    if (!database) this.#databases.set(collection.db, (database = new Map()));
    database.set(collection.name, collection);
  }

  #forget(collection: Collection): void {
    const database = this.#databases.get(collection.db);
    database?.delete(collection.name);
    if (database?.size === 0) this.#databases.delete(collection.db);
  }
}

function checkNamespace(db: string, name: string): void {
  const bad = (what: string) =>
    new CommandError("InvalidNamespace", `Invalid namespace specified '${db}.${name}': ${what}`);
  if (db === "" || /[\0/\\. "$]/.test(db)) throw bad("bad database name");
  if (
    name === "" ||
    name.includes("\0") ||
    name.includes("$") ||
    name.startsWith(".") ||
    name.endsWith(".")
  ) {
    throw bad("bad collection name");
  }
  if (Buffer.byteLength(`${db}.${name}`) > MAX_NAMESPACE_BYTES)
    throw bad(`longer than ${MAX_NAMESPACE_BYTES} bytes`);
}

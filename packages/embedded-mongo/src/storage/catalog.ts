import { CommandError } from "../errors.ts";
import { Collection } from "./collection.ts";
import type { CatalogChange, ChangeLog } from "./change-log.ts";
import type { MemoryBudget } from "./memory-budget.ts";

const MAX_NAMESPACE_BYTES = 255;
const MAX_COLLECTIONS = 10_000;

/** All databases and collections of one server. A database exists as long as it has a collection. */
export class Catalog {
  readonly budget: MemoryBudget;
  readonly #log: ChangeLog;
  readonly #databases = new Map<string, Map<string, Collection>>();
  readonly #byNumber = new Map<number, Collection>();
  #nextNumber = 1;

  constructor(log: ChangeLog, budget: MemoryBudget) {
    this.#log = log;
    this.budget = budget;
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

  byNumber(number: number): Collection | undefined {
    return this.#byNumber.get(number);
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
    const collection = this.#add(this.#nextNumber, db, name);
    this.#log.catalogChange({ type: "create", collection: collection.number, db, name });
    return collection;
  }

  drop(collection: Collection): void {
    this.#log.catalogChange({ type: "drop", collection: collection.number });
    this.#forget(collection);
    this.#byNumber.delete(collection.number);
    collection.release();
  }

  rename(collection: Collection, db: string, name: string): void {
    checkNamespace(db, name);
    this.#log.catalogChange({ type: "rename", collection: collection.number, db, name });
    this.#move(collection, db, name);
  }

  /** Recovery only: applies a change of the catalog as read from disk; indexes are collected by the caller. */
  restore(change: CatalogChange): void {
    if (change.type === "create") {
      this.#add(change.collection, change.db, change.name);
      return;
    }
    const collection = this.#byNumber.get(change.collection);
    if (!collection) return;
    if (change.type === "rename") this.#move(collection, change.db, change.name);
    if (change.type === "drop") {
      this.#forget(collection);
      this.#byNumber.delete(collection.number);
      collection.release();
    }
  }

  #add(number: number, db: string, name: string): Collection {
    const collection = new Collection(number, db, name, { log: this.#log, budget: this.budget });
    this.#nextNumber = Math.max(this.#nextNumber, number + 1);
    this.#byNumber.set(number, collection);
    this.#place(collection);
    return collection;
  }

  #move(collection: Collection, db: string, name: string): void {
    this.#forget(collection);
    collection.db = db;
    collection.name = name;
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

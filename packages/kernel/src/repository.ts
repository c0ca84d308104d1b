import { LIMITS } from "@fanfare/contract";
import {
  Schema,
  Types,
  type Connection,
  type Model,
  mongo,
  type Query,
  type QueryFilter,
  type SchemaType,
  type UpdateQuery,
} from "mongoose";

/** Write concern of acknowledged writes: they survive a crash and a change of the primary. */
export const DURABLE = { w: "majority", j: true } as const;

/** A field that holds the id of a document: a string for callers, an ObjectId in the database. */
export const ID = Schema.Types.ObjectId as unknown as typeof Schema.Types.String;
export const REQUIRED_ID = { type: ID, required: true } as const;

export function newId(): string {
  return new Types.ObjectId().toHexString();
}

/** A collection of this process's database. Its documents have strings where the database has ids. */
export interface Collection<D> {
  /** Query with `lean()`: what is read that way has strings as ids. */
  model: Model<D>;
  /** The driver's own, with ids as they are stored; for queries of which mongoose would be the larger part. */
  native: mongo.Collection;
  /** What `native` has read, with strings as ids. */
  fromNative: (stored: mongo.Document[]) => D[];
  /** Past mongoose's document class, which costs more than the insert itself. */
  insert: (document: D) => Promise<D>;
  insertMany: (documents: readonly D[]) => Promise<void>;
  /** Unordered. */
  updateMany: (updates: readonly { filter: QueryFilter<D>; update: UpdateQuery<D> }[]) => Promise<void>;
  /** @returns whether there is such a document */
  update: (filter: QueryFilter<D>, change: UpdateQuery<D>) => Promise<boolean>;
  /** @returns the document as it is now; null where there is none */
  change: (filter: QueryFilter<D>, change: UpdateQuery<D>) => Promise<D | null>;
  updateAll: (filter: QueryFilter<D>, change: UpdateQuery<D>) => Promise<void>;
  /** @returns whether there was such a document */
  remove: (filter: QueryFilter<D>) => Promise<boolean>;
  removeAll: (filter: QueryFilter<D>) => Promise<void>;
  /** The ids of at most `limit` documents. */
  listIds: (filter: QueryFilter<D>, limit?: number) => Promise<string[]>;
  /** @returns how many were removed: fewer than `limit` when none are left */
  removeSome: (filter: QueryFilter<D>, limit: number) => Promise<number>;
}

interface Definition<D> {
  /** The name of the model. */
  name: string;
  schema: Schema<D>;
  /** False: writes are acknowledged as the database is set up to, which may be before they are on disk. */
  durable?: boolean;
}

/**
 * Defines the queries of a collection. Every command that goes through the model or an insert is durable, and the database gives it
 * up when no caller waits for it any more.
 * @returns what makes the repository on a process's connection
 */
export function defineRepository<D extends { _id: string }, R>(
  { name, schema, durable = true }: Definition<D>,
  build: (collection: Collection<D>) => R,
): (connection: Connection) => R {
  const writeConcern = durable ? { writeConcern: DURABLE } : {};
  const maxTimeMS = LIMITS.writeTimeoutMs;
  prepare(schema, writeConcern, maxTimeMS);
  const encode = encoderOf(schema);
  return (connection) => {
    const model = connection.model<D>(name, schema);
    const native = model.collection as unknown as mongo.Collection;
    const options = { ...writeConcern, maxTimeMS, ignoreUndefined: true };
    const listIds = async (filter: QueryFilter<D>, limit = 0): Promise<string[]> => {
      const found = await model.find(filter, { _id: 1 }).limit(limit).lean<{ _id: string }[]>();
      return found.map(({ _id }) => _id);
    };
    const removeAll = async (filter: QueryFilter<D>): Promise<void> => void (await model.deleteMany(filter));
    return build({
      model,
      native,
      fromNative: (stored) => replaceIds(stored) as D[],
      async insert(document) {
        await native.insertOne(encode(document), options);
        return document;
      },
      async insertMany(documents) {
        await native.insertMany(documents.map(encode), options);
      },
      async updateMany(updates) {
        if (updates.length === 0) return;
        const operations = updates.map((updateOne) => ({ updateOne }));
        await model.bulkWrite(operations as never, { ...options, ordered: false });
      },
      update: async (filter, change) => (await model.updateOne(filter, change)).matchedCount === 1,
      change: (filter, change) =>
        model.findOneAndUpdate(filter, change, { returnDocument: "after" }).lean<D>().exec(),
      updateAll: async (filter, change) => void (await model.updateMany(filter, change)),
      remove: async (filter) => (await model.deleteOne(filter)).deletedCount === 1,
      removeAll,
      listIds,
      async removeSome(filter, limit) {
        const ids = await listIds(filter, limit);
        await removeAll({ _id: { $in: ids } });
        return ids.length;
      },
    });
  };
}

const prepared = new WeakSet<Schema>();

/** Once, where several repositories share a collection. */
function prepare(schema: Schema, options: { writeConcern?: typeof DURABLE }, maxTimeMS: number): void {
  if (prepared.has(schema)) return;
  prepared.add(schema);
  schema.set("versionKey", false);
  if (options.writeConcern !== undefined) schema.set("writeConcern", options.writeConcern);
  schema.pre<Query<unknown, unknown>>(/^(count|estimated|find|update|delete)/, function () {
    this.getOptions().maxTimeMS ??= maxTimeMS;
  });
  schema.pre("aggregate", function () {
    this.option({ maxTimeMS });
  });
  schema.post(/^find/, (found: unknown) => void replaceIds(found));
}

/** Replaces ids with strings, in place. */
function replaceIds(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Types.ObjectId) return value.toHexString();
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) value[index] = replaceIds(value[index]);
  } else if (Object.getPrototypeOf(value) === Object.prototype) {
    const fields = value as Record<string, unknown>;
    for (const name of Object.keys(fields)) fields[name] = replaceIds(fields[name]);
  }
  return value;
}

type Encode = (value: never) => unknown;

/** Converts the ids of a new document to the types in the schema. */
function encoderOf(schema: Schema): (document: object) => mongo.Document {
  const encoders = Object.entries(schema.paths).flatMap(([name, type]) => {
    const encode = encodeValue(type);
    return encode === undefined ? [] : [[name, encode] as const];
  });
  return (document) => {
    const stored: Record<string, unknown> = { ...document };
    for (const [name, encode] of encoders) {
      const value = stored[name];
      if (value !== undefined && value !== null) stored[name] = encode(value as never);
    }
    return stored;
  };
}

function encodeValue(type: SchemaType): Encode | undefined {
  if (type instanceof Schema.Types.ObjectId) return (id: string) => new Types.ObjectId(id);
  if (type instanceof Schema.Types.DocumentArray) {
    const encode = encoderOf(type.schema);
    return (items: object[]) => items.map(encode);
  }
  const ofItem = type.getEmbeddedSchemaType();
  const encode = ofItem === undefined ? undefined : encodeValue(ofItem);
  return encode && ((items: never[]) => items.map(encode));
}

const DUPLICATE_KEY = 11_000;

/** The name of the unique index that a write ran into, or null when the error is another one. */
export function duplicateKeyIndex(error: unknown): string | null {
  if (!(error instanceof Error) || !("code" in error) || error.code !== DUPLICATE_KEY) return null;
  return /index: (\S+)/.exec(error.message)?.[1] ?? "";
}

/**
 * The operations that the server refused in a bulk write. It applied all others; if the write is ordered, only those before.
 * @throws the error itself if the write failed in any other way. The driver throws the same class, without refused operations,
 *   if the connection breaks; it is then unknown which operations were applied.
 */
export function refusedOperations(error: unknown): mongo.WriteError[] {
  if (!(error instanceof mongo.MongoBulkWriteError)) throw error;
  const refused = error.result.getWriteErrors();
  if (refused.length === 0 || error.result.getWriteConcernError() !== undefined) throw error;
  return refused;
}

/**
 * The operations of a bulk write that failed with a duplicate key.
 * @throws the error itself if the write failed in any other way
 */
export function duplicateOperations(error: unknown): mongo.WriteError[] {
  const refused = refusedOperations(error);
  if (refused.some(({ code }) => code !== DUPLICATE_KEY)) throw error;
  return refused;
}

/** The result of a write; null when it ran into a unique index. */
export async function unlessDuplicate<T>(write: PromiseLike<T>): Promise<T | null> {
  try {
    return await write;
  } catch (error) {
    if (duplicateKeyIndex(error) !== null) return null;
    throw error;
  }
}

/** Two concurrent upserts can both try to insert; the one that fails is repeated and finds the other's document. */
export async function upsert<T>(write: () => PromiseLike<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (duplicateKeyIndex(error) !== null) return write();
    throw error;
  }
}

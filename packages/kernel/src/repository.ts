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
import { createBatcher } from "./batcher.ts";

/** Acknowledged writes survive a crash and a change of the primary. */
export const DURABLE = { w: "majority", j: true } as const;

/** The schema type of a document id: a string for callers, an ObjectId in the database. */
export const ID = Schema.Types.ObjectId as unknown as typeof Schema.Types.String;
export const REQUIRED_ID = { type: ID, required: true } as const;

/** Bounds the size of a command that several callers share. */
const INSERTS_PER_COMMAND = 100;

export function newId(): string {
  return new Types.ObjectId().toHexString();
}

/** Lower than all ids made from this second on, higher than those made before. */
export function firstIdAt(time: Date): string {
  return Types.ObjectId.createFromTime(Math.floor(time.getTime() / 1000)).toHexString();
}

/** A collection. Its documents have ids as strings instead of ObjectIds. */
export interface Collection<D> {
  /** Query it with `lean()`, which returns ids as strings. */
  model: Model<D>;
  /** The driver's collection, with ids as ObjectIds, for hot queries where mongoose would dominate the cost. */
  native: mongo.Collection;
  /** Converts documents read by `native`: ids become strings. */
  fromNative: (stored: mongo.Document[]) => D[];
  /** Bypasses mongoose's document class, which costs more than the insert itself. Concurrent inserts share a command. */
  insert: (document: D) => Promise<D>;
  insertMany: (documents: readonly D[]) => Promise<void>;
  /** Unordered. */
  updateMany: (updates: readonly { filter: QueryFilter<D>; update: UpdateQuery<D> }[]) => Promise<void>;
  /** @returns whether a document matched */
  update: (filter: QueryFilter<D>, change: UpdateQuery<D>) => Promise<boolean>;
  /** @returns the updated document; null if none matched */
  change: (filter: QueryFilter<D>, change: UpdateQuery<D>) => Promise<D | null>;
  updateAll: (filter: QueryFilter<D>, change: UpdateQuery<D>) => Promise<void>;
  /** @returns whether a document was removed */
  remove: (filter: QueryFilter<D>) => Promise<boolean>;
  removeAll: (filter: QueryFilter<D>) => Promise<void>;
  /** The ids of at most `limit` documents. */
  listIds: (filter: QueryFilter<D>, limit?: number) => Promise<string[]>;
  /** @returns how many were removed; fewer than `limit` if none are left */
  removeSome: (filter: QueryFilter<D>, limit: number) => Promise<number>;
}

interface Definition<D> {
  /** The name of the model. */
  name: string;
  schema: Schema<D>;
  /** False: writes use the database's default write concern, and can be acknowledged before they are on disk. */
  durable?: boolean;
}

/**
 * Defines the queries of a collection. All commands of the model and inserts are durable, and have a time limit after which no
 * caller waits for them.
 * @returns a function that creates the repository on a connection
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
    const insertShared = createBatcher(
      async (_key, documents: mongo.Document[]) => {
        const refused = new Map<mongo.Document, Error>();
        if (documents.length === 1) await native.insertOne(documents[0]!, options);
        else
          await native.insertMany(documents, { ...options, ordered: false }).catch((error: unknown) => {
            for (const { index, code, errmsg = "" } of rejectedOperations(error))
              refused.set(documents[index]!, new mongo.MongoServerError({ code, message: errmsg }));
          });
        return refused;
      },
      { maxBatch: INSERTS_PER_COMMAND },
    );
    const removeAll = async (filter: QueryFilter<D>): Promise<void> => void (await model.deleteMany(filter));
    return build({
      model,
      native,
      fromNative: (stored) => replaceIds(stored) as D[],
      async insert(document) {
        const stored = encode(document);
        const refused = (await insertShared(name, stored)).get(stored);
        if (refused !== undefined) throw refused;
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

/** Runs once per schema, because repositories can share a collection. */
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

/** The unique index that a write violated, or null for other errors. */
export function duplicateKeyIndex(error: unknown): string | null {
  if (!(error instanceof Error) || !("code" in error) || error.code !== DUPLICATE_KEY) return null;
  return /index: (\S+)/.exec(error.message)?.[1] ?? "";
}

/**
 * The operations that the server rejected in a bulk write. All others were applied; in an ordered write, only those before.
 * @throws the error itself if the write failed in any other way. The driver throws the same class, without rejected operations,
 *   if the connection is lost; it is then unknown which operations were applied.
 */
export function rejectedOperations(error: unknown): mongo.WriteError[] {
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
  const refused = rejectedOperations(error);
  if (refused.some(({ code }) => code !== DUPLICATE_KEY)) throw error;
  return refused;
}

/**
 * The result of a write; null if it violated a unique index. Upserts of a unique key don't: when another one has inserted it
 * first, the database updates that document.
 */
export async function nullIfDuplicate<T>(write: PromiseLike<T>): Promise<T | null> {
  try {
    return await write;
  } catch (error) {
    if (duplicateKeyIndex(error) !== null) return null;
    throw error;
  }
}

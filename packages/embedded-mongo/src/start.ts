import v8 from "node:v8";
import { CHANGE_WEIGHT, isPauseDue, PAUSE, type Task } from "./command-scope.ts";
import { type Endpoint, openEndpoint, uriOf } from "./endpoint.ts";
import type { IndexSpec } from "./index/spec.ts";
import { type EmbeddedMongoOptions, resolveOptions } from "./options.ts";
import { selectToChange } from "./query/select.ts";
import type { Catalog } from "./storage/catalog.ts";
import type { Collection } from "./storage/collection.ts";
import { Store } from "./storage/store.ts";
import { WireServer } from "./wire/server.ts";

export interface EmbeddedMongo {
  /** Connection string for the MongoDB driver, without a database name. */
  readonly uri: string;
  /** Closes all connections, writes everything to disk and releases the folder. */
  close(): Promise<void>;
}

/**
 * Starts the server in this thread.
 * @throws DataFolderInUseError, DataFolderMismatchError, DataFolderCorruptError, RangeError for invalid options, or an error of the
 *   operating system
 */
export async function startEmbeddedMongo(options: EmbeddedMongoOptions): Promise<EmbeddedMongo> {
  const resolved = resolveOptions(options);
  let server: WireServer | undefined;
  const store = await Store.open({
    ...resolved,
    onFatal: (error) => {
      void server?.close();
      resolved.onFatal(error);
    },
  });
  let endpoint: Endpoint | undefined;
  try {
    endpoint = openEndpoint(resolved.listen, resolved.dir);
    server = new WireServer(store, resolved);
    const address = await server.listen(endpoint.target);
    let isExpiring = false;
    const timer = setInterval(async () => {
      server!.expire();
      if (isExpiring) return;
      isExpiring = true;
      // If it fails, the next run tries again.
      await server!.runInBackground("ttl", expireDocuments(store.catalog, Date.now()));
      isExpiring = false;
    }, resolved.ttlIntervalMs);
    timer.unref();
    let closing: Promise<void> | undefined;
    const close = async () => {
      clearInterval(timer);
      await server!.close();
      endpoint!.cleanUp();
      await store.close();
    };
    return { uri: uriOf(address), close: () => (closing ??= close()) };
  } catch (error) {
    endpoint?.cleanUp();
    await store.close();
    throw error;
  }
}

/** Maximum number of documents removed per collection and run. */
const MAX_REMOVED_PER_RUN = 5_000;

function* expireIndex(collection: Collection, index: IndexSpec, before: Date): Task<number> {
  const { fields, partialFilter = {}, collation } = index;
  const filter = { $and: [partialFilter, { [fields[0]!.path]: { $lt: before } }] };
  const expired = { filter, collation, limit: MAX_REMOVED_PER_RUN };
  let removed = 0;
  for (const record of selectToChange(collection, expired)) {
    if (record === PAUSE) yield PAUSE;
    else {
      collection.remove(record);
      removed++;
      if (isPauseDue(CHANGE_WEIGHT)) yield PAUSE;
    }
  }
  return removed;
}

/**
 * Removes expired documents. In an array of dates, the earliest applies.
 * @param now milliseconds since the epoch
 * @returns the number of removed documents
 */
function* expireDocuments(catalog: Catalog, now: number): Task<number> {
  let removed = 0;
  for (const collection of catalog.collections()) {
    for (const { spec } of collection.indexes) {
      if (spec.expireAfterSeconds === undefined) continue;
      removed += yield* expireIndex(collection, spec, new Date(now - spec.expireAfterSeconds * 1000));
    }
  }
  return removed;
}

/**
 * For a process that only runs the server. The main thread waits for the threads that collect young objects with it, tens of
 * milliseconds if all cores are busy; alone it needs a few.
 */
export function tuneProcess(): void {
  v8.setFlagsFromString("--no-parallel-scavenge");
}

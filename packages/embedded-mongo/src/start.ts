import { type Endpoint, openEndpoint, uriOf } from "./endpoint.ts";
import { type EmbeddedMongoOptions, resolveOptions } from "./options.ts";
import { Store } from "./storage/store.ts";
import { expireDocuments } from "./ttl.ts";
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

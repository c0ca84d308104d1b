import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { type EmbeddedMongoOptions, type ListenOptions, resolveOptions } from "./options.ts";
import { Store } from "./storage/store.ts";
import { expireDocuments } from "./ttl.ts";
import { WireServer } from "./wire/server.ts";

export interface EmbeddedMongo {
  /** Connection string for the MongoDB driver, without a database name. */
  readonly uri: string;
  /** Ends all connections, writes everything to disk and gives the folder free. */
  close(): Promise<void>;
}

/** `sun_path` is 104 bytes on macOS and 108 on Linux, with the final NUL. */
const MAX_SOCKET_PATH_BYTES = 103;
const URI_OPTIONS = "directConnection=true&retryWrites=false&retryReads=false";

interface Endpoint {
  readonly target: { path: string } | { host: string; port: number };
  cleanUp(): void;
}

function openEndpoint(listen: ListenOptions | undefined): Endpoint {
  if (listen && "port" in listen) {
    const host = listen.host ?? "127.0.0.1";
    if (!/^(?:127\.\d+\.\d+\.\d+|::1|localhost)$/.test(host)) {
      throw new RangeError(
        `The embedded database has no authentication and listens on loopback only, not on ${host}`,
      );
    }
    return { target: { host, port: listen.port }, cleanUp: () => {} };
  }
  if (process.platform === "win32") return { target: { host: "127.0.0.1", port: 0 }, cleanUp: () => {} };
  const given = listen?.socketPath;
  if (given === undefined) {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "fanfare-db-"));
    return {
      target: { path: path.join(folder, "mongo.sock") },
      cleanUp: () => fs.rmSync(folder, { recursive: true, force: true }),
    };
  }
  if (Buffer.byteLength(given) > MAX_SOCKET_PATH_BYTES) {
    throw new RangeError(`The socket path is longer than ${MAX_SOCKET_PATH_BYTES} bytes: ${given}`);
  }
  // Whoever holds the lock of the data folder may replace what a killed process left here.
  fs.rmSync(given, { force: true });
  return { target: { path: given }, cleanUp: () => fs.rmSync(given, { force: true }) };
}

const uriOf = (address: { address: string; port: number; family: string } | string): string => {
  if (typeof address === "string") return `mongodb://${encodeURIComponent(address)}/?${URI_OPTIONS}`;
  const host = address.family === "IPv6" ? `[${address.address}]` : address.address;
  return `mongodb://${host}:${address.port}/?${URI_OPTIONS}`;
};

/**
 * Starts the server in this thread.
 * @throws DataFolderInUseError, DataFolderMismatchError, DataFolderCorruptError, RangeError for bad options, or what
 *   the operating system says
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
    endpoint = openEndpoint(resolved.listen);
    server = new WireServer(store, resolved);
    const address = await server.listen(endpoint.target);
    const timer = setInterval(() => {
      server!.expireCursors();
      if (expireDocuments(store.catalog, Date.now()) > 0) store.flush();
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

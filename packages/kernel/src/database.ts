import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type FolderLock, lockFolder } from "@fanfare/embedded-mongo/lock";
// Not from the index, so that only the database process loads the engine.
import { startEmbeddedMongoProcess } from "@fanfare/embedded-mongo/process";
import mongoose from "mongoose";
import { LIMITS } from "@fanfare/contract";
import type { Config } from "./config.ts";
import type { CommandEvents } from "./tracing/tracing.ts";
import { currentScope, assertNotExceeded } from "./request-scope.ts";
import { overloaded, unreachable } from "./errors.ts";

export interface Database {
  connection: mongoose.Connection;
  db: mongoose.mongo.Db;
  /** `embedded`: a child process of this one. */
  engine: "embedded" | "mongodb";
  /** Also true if `MONGO_URL` is the address of an embedded database. */
  isEmbedded: boolean;
  close(): Promise<void>;
}

const SELECT_TIMEOUT_MS = 5000;
const POOL_SIZE = 20;
/** How long a command waits for a connection: shorter than the call timeout, so that the caller gets an error. */
const CHECKOUT_TIMEOUT_MS = LIMITS.writeTimeoutMs / 2;

interface OpenOptions {
  onProgress?: ((message: string) => void) | undefined;
  watchCommands?: ((events: CommandEvents) => void) | undefined;
}

/**
 * Opens the configured MongoDB, otherwise the embedded database. Never falls back to the embedded one if MongoDB can't be reached.
 * @param onLost called if the embedded database exits unexpectedly; nothing can be stored from then on
 * @param options.onProgress called with the progress while a data folder of an older version is converted
 * @param options.watchCommands receives the emitter of command events; without it the driver emits none
 * @throws {StartError} or an error of the embedded database's data folder
 */
export async function openDatabase(
  config: Pick<Config, "mongoUrl" | "dataDir">,
  onLost: (error: Error) => void,
  { onProgress, watchCommands }: OpenOptions = {},
): Promise<Database> {
  if (config.mongoUrl !== undefined) {
    const connection = await connect(config.mongoUrl, watchCommands);
    const isEmbedded = await isEmbeddedDatabase(connection);
    return {
      connection,
      db: connection.db!,
      engine: "mongodb",
      isEmbedded,
      close: () => connection.close(),
    };
  }
  const dir = join(config.dataDir, "db");
  const embedded = await startEmbeddedMongoProcess({ dir, ...(onProgress && { onProgress }) });
  // Without an error it was closed below.
  embedded.onExit((error) => error !== undefined && onLost(error));
  const connection = await connect(embedded.uri, watchCommands);
  return {
    connection,
    db: connection.db!,
    engine: "embedded",
    isEmbedded: true,
    async close() {
      await connection.close();
      await embedded.close();
    },
  };
}

/**
 * Prevents that a process opens the embedded database until the lock is released.
 * @throws {DataFolderInUseError} if one has opened it
 */
export async function lockEmbeddedDatabase({ dataDir }: Pick<Config, "dataDir">): Promise<FolderLock> {
  const dir = join(dataDir, "db");
  await mkdir(dir, { recursive: true, mode: 0o700 });
  return lockFolder(dir);
}

/** Whether the server is an embedded database. */
async function isEmbeddedDatabase(connection: mongoose.Connection): Promise<boolean> {
  const { modules } = (await connection.db!.command({ buildInfo: 1 })) as { modules?: string[] };
  return modules?.includes("fanfare-embedded-mongo") === true;
}

async function connect(
  uri: string,
  watchCommands: ((events: CommandEvents) => void) | undefined,
): Promise<mongoose.Connection> {
  const connection = await mongoose
    .createConnection(uri, {
      dbName: databaseName(uri),
      autoIndex: false,
      autoCreate: false,
      maxPoolSize: POOL_SIZE,
      serverSelectionTimeoutMS: SELECT_TIMEOUT_MS,
      waitQueueTimeoutMS: CHECKOUT_TIMEOUT_MS,
      ...(watchCommands !== undefined && { monitorCommands: true }),
    })
    .asPromise()
    .catch((error: unknown) => {
      const advice = "Start it, or unset MONGO_URL to use the embedded one.";
      throw unreachable("The database", uri, error, advice);
    });
  watchCommands?.(connection.getClient());
  guardCheckouts(connection.getClient());
  return connection;
}

/** The database name in a connection string, which `URL` can't parse if it has several hosts. */
function databaseName(uri: string): string {
  return /^mongodb(?:\+srv)?:\/\/[^/]+\/([^?]+)/.exec(uri)?.[1] ?? "fanfare";
}

/** Maximum number of commands waiting for a connection to one database server. */
const MAX_COMMANDS_WAITING = 2000;

/** The part of the driver used here that its typings lack. */
interface Pool {
  readonly waitQueueSize: number;
  minPoolSizeTimer: NodeJS.Timeout | undefined;
  ensureMinPoolSize(): void;
  checkOut(options: unknown): Promise<unknown>;
  checkIn(connection: unknown): void;
}
interface Topology {
  selectServer(selector: unknown, options: unknown): Promise<{ pool: Pool }>;
}

/** How often unusable connections are dropped. The driver does it every 100 ms, which wakes an idle process; it never uses them. */
const DROP_UNUSABLE_MS = 10_000;

/**
 * Rejects commands whose deadline has passed, both before and after they wait for a connection, and limits how many wait. Otherwise,
 * under overload, the database would mostly execute commands of callers that have given up.
 * @param client a connected client
 * @throws {Error} if the driver's internals have changed, so that commands would not be checked
 */
function guardCheckouts(client: object): void {
  const { topology } = client as { topology?: Topology };
  if (typeof topology?.selectServer !== "function")
    throw new Error(
      "This version of the MongoDB driver has no topology.selectServer, which deadline checks need.",
    );
  const selectServer = topology.selectServer.bind(topology);
  const guarded = new WeakSet<Pool>();
  topology.selectServer = async (selector, options) => {
    const server = await selectServer(selector, options);
    if (!guarded.has(server.pool)) {
      guarded.add(server.pool);
      guardPool(server.pool);
      slowDown(server.pool);
    }
    return server;
  };
}

function guardPool(pool: Pool): void {
  const checkOut = pool.checkOut.bind(pool);
  pool.checkOut = async (options) => {
    const deadline = currentScope()?.deadline;
    assertNotExceeded(deadline);
    if (pool.waitQueueSize >= MAX_COMMANDS_WAITING) throw overloaded();
    const connection = await checkOut(options);
    try {
      assertNotExceeded(deadline);
    } catch (late) {
      pool.checkIn(connection);
      throw late;
    }
    return connection;
  };
}

function slowDown(pool: Pool): void {
  const ensureMinPoolSize = pool.ensureMinPoolSize.bind(pool);
  pool.ensureMinPoolSize = () => {
    const before = pool.minPoolSizeTimer;
    ensureMinPoolSize();
    // The pool is closed or paused.
    if (pool.minPoolSizeTimer === before) return;
    clearTimeout(pool.minPoolSizeTimer);
    pool.minPoolSizeTimer = setTimeout(() => pool.ensureMinPoolSize(), DROP_UNUSABLE_MS);
  };
}

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedMongo } from "@fanfare/embedded-mongo";
import mongoose, { type Connection } from "mongoose";

export interface OwnDatabase {
  url: string;
  close(): Promise<void>;
}

/**
 * Starts the embedded database of a data folder in this process: as its own process, as instances do it, it needs
 * more CPU to start than most tests.
 */
export async function startOwnDatabase(dataDir: string): Promise<OwnDatabase> {
  const database = await startEmbeddedMongo({ dir: join(dataDir, "db") });
  return { url: database.uri, close: () => database.close() };
}

export interface ConnectedDatabase {
  connection: Connection;
  /** Also deletes the data. */
  close: () => Promise<void>;
}

/** Starts a database with a temporary data folder, for tests of queries without a service. */
export async function connectOwnDatabase(): Promise<ConnectedDatabase> {
  const dataDir = await mkdtemp(join(tmpdir(), "fanfare-own-"));
  const database = await startOwnDatabase(dataDir);
  const connection = await mongoose.createConnection(database.url, { dbName: "test" }).asPromise();
  return {
    connection,
    close: async () => {
      await connection.close();
      await database.close();
      await rm(dataDir, { recursive: true });
    },
  };
}

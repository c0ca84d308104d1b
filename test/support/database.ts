import { join } from "node:path";
import { startEmbeddedMongo } from "@fanfare/embedded-mongo";

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

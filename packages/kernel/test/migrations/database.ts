import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedMongo } from "@fanfare/embedded-mongo";
import mongoose, { type Connection, type mongo } from "mongoose";
import type { MigrateOptions } from "../../src/migrations/migrate.ts";
import type { Report } from "../../src/migrations/migration.ts";

export interface TestDatabase {
  uri: string;
  /** Opens a new connection, like that of another process; each name is a separate database. */
  connect(name: string): Promise<Connection>;
  close(): Promise<void>;
}

export async function startDatabase(): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), "fanfare-migrations-"));
  const server = await startEmbeddedMongo({ dir: folder, listen: { port: 0 } });
  const connections: Connection[] = [];
  return {
    uri: server.uri,
    async connect(name) {
      const options = { dbName: name, autoIndex: false, autoCreate: false };
      const connection = await mongoose.createConnection(server.uri, options).asPromise();
      connections.push(connection);
      return connection;
    },
    async close() {
      await Promise.all(connections.map((connection) => connection.close()));
      await server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export const dbOf = (connection: Connection): mongo.Db => connection.getClient().db(connection.name);

export class RecordedReport implements Report {
  readonly logged: string[] = [];
  readonly warned: string[] = [];
  readonly states: string[] = [];

  log(message: string, fields: Record<string, unknown>): void {
    this.logged.push(`${message} ${JSON.stringify(fields)}`);
  }

  warn(message: string, fields: Record<string, unknown>): void {
    this.warned.push(`${message} ${JSON.stringify(fields)}`);
  }

  state(doing: string): void {
    this.states.push(doing);
  }
}

export const optionsOf = (changed: Partial<MigrateOptions> = {}): MigrateOptions => ({
  version: "1.2.0",
  holder: "test",
  isAlone: false,
  removesIndexes: false,
  isAutomatic: true,
  report: new RecordedReport(),
  migrations: [],
  ...changed,
});

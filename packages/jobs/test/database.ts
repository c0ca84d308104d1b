import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedMongo } from "@fanfare/embedded-mongo";
import mongoose from "mongoose";
import { Registry } from "prom-client";
import { Jobs, type JobsOptions } from "../src/jobs.ts";

export interface JobDatabase {
  uri: string;
  connection: mongoose.Connection;
  stop(): Promise<void>;
}

/** A database with the indexes of the `jobs` collection: embedded, or on the server at `MONGO_URL`. */
export async function startJobDatabase(): Promise<JobDatabase> {
  const dir = await mkdtemp(join(tmpdir(), "fanfare-jobs-"));
  const engine = process.env["MONGO_URL"] === undefined ? await startEmbeddedMongo({ dir }) : null;
  const uri = engine?.uri ?? process.env["MONGO_URL"]!;
  const connection = await connect(uri);
  await connection.dropDatabase();
  jobsOn(connection);
  await connection.syncIndexes();
  return {
    uri,
    connection,
    async stop() {
      await connection.close();
      await engine?.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

export const connect = (uri: string): Promise<mongoose.Connection> =>
  mongoose.createConnection(uri, { dbName: "jobs", autoIndex: false, autoCreate: false }).asPromise();

/** Simulates another process. */
export function jobsOn(connection: mongoose.Connection, options: Partial<JobsOptions> = {}): Jobs {
  const logger = { warn() {}, error() {} };
  return new Jobs({ connection, logger, metrics: new Registry(), pollMs: 20, ...options });
}

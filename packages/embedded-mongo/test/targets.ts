import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { MongoClient, type Db } from "mongodb";
import { startEmbeddedMongo } from "../src/index.ts";

/** A server that the conformance suite runs against. */
export interface Target {
  readonly name: string;
  open(): Promise<{ client: MongoClient; db: Db; uri: string; close(): Promise<void> }>;
}

export const temporaryFolder = (): string => fs.mkdtempSync(path.join(os.tmpdir(), "fanfare-em-"));

async function connect(uri: string) {
  const client = await new MongoClient(uri).connect();
  const db = client.db(`conformance_${process.pid}_${Date.now().toString(36)}`);
  return { client, db };
}

const embedded: Target = {
  name: "embedded",
  async open() {
    const dir = temporaryFolder();
    const server = await startEmbeddedMongo({ dir, ttlIntervalMs: 200 });
    const { client, db } = await connect(server.uri);
    const close = async () => {
      await client.close();
      await server.close();
      fs.rmSync(dir, { recursive: true });
    };
    return { client, db, uri: server.uri, close };
  },
};

const external = (url: string): Target => ({
  name: "MONGO_URL",
  async open() {
    const { client, db } = await connect(url);
    const close = async () => {
      await db.dropDatabase();
      await client.close();
    };
    return { client, db, uri: url, close };
  },
});

/** The embedded server, and the one at MONGO_URL if it is set. */
export const targets: readonly Target[] = [
  embedded,
  ...(process.env["MONGO_URL"] ? [external(process.env["MONGO_URL"])] : []),
];

import fs from "node:fs";
import { MongoClient, ObjectId } from "mongodb";
import { afterEach, beforeEach, expect, test } from "vitest";
import { DataFolderInUseError, startEmbeddedMongoProcess, type SupervisedMongo } from "../src/index.ts";
import { temporaryFolder } from "./targets.ts";

let dir: string;
let server: SupervisedMongo;
let client: MongoClient;

beforeEach(async () => {
  dir = temporaryFolder();
  server = await startEmbeddedMongoProcess({ dir });
  client = await new MongoClient(server.uri).connect();
});

afterEach(async () => {
  await client.close();
  await server.close();
  fs.rmSync(dir, { recursive: true });
});

test("reads a snapshot despite concurrent writes", async () => {
  const db = client.db("test");
  await db.collection("b").insertMany(Array.from({ length: 5000 }, (_, n) => ({ n, is: "old" })));
  await db.collection("a").insertMany([{ n: 1, is: "old" }]);
  await client.db("other").collection("c").insertOne({});
  const entry = { _id: new ObjectId(), place: new ObjectId(), rev: 1, tokens: ["found"] };
  await db.command({ fanfareSearchPut: "notADocument", entries: [entry], deleted: [] });
  const cursor = db.runCursorCommand({ fanfareEverything: 1 });
  const seen = [await cursor.next()];
  await db.collection("a").insertOne({ n: 2 });
  await db.collection("b").updateMany({}, { $set: { is: "new" } });
  await db.collection("b").deleteMany({ n: { $gt: 10 } });
  for await (const document of cursor) seen.push(document);
  expect(seen.filter((document) => document?.["collection"] !== undefined)).toEqual([
    { collection: "a", documents: 1 },
    { collection: "b", documents: 5000 },
  ]);
  expect(seen.slice(3).map((document) => document?.["n"] as number)).toEqual(
    Array.from({ length: 5000 }, (_, n) => n),
  );
  expect(seen.filter((document) => document?.["is"] === "old")).toHaveLength(5001);
});

test("the error of a folder in use has the address of its server", async () => {
  const error = await startEmbeddedMongoProcess({ dir }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(DataFolderInUseError);
  expect((error as DataFolderInUseError).uri).toBe(server.uri);
});

import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { MongoClient, ObjectId } from "mongodb";
import { afterEach, beforeEach, expect, test } from "vitest";
import { DataFolderCorruptError, startEmbeddedMongo } from "../src/index.ts";
import { temporaryFolder } from "./targets.ts";

/** A snapshot and a journal written by the last version before SQLite, which was then killed. */
const ORIGINAL = fileURLToPath(new URL("old-format/", import.meta.url));

let dir: string;

beforeEach(() => {
  dir = temporaryFolder();
  fs.cpSync(ORIGINAL, dir, { recursive: true });
});
afterEach(() => fs.rmSync(dir, { recursive: true }));

async function withClient(
  use: (client: MongoClient) => Promise<void>,
  messages: string[] = [],
): Promise<void> {
  const server = await startEmbeddedMongo({ dir, onProgress: (message) => messages.push(message) });
  const client = await new MongoClient(server.uri).connect();
  await use(client);
  await client.close();
  await server.close();
}

async function expectEverything(client: MongoClient): Promise<void> {
  const db = client.db("t");
  const things = db.collection("things");
  const all = await things.find().sort({ $natural: 1 }).toArray();
  expect(all.map(({ n }) => n)).toEqual(Array.from({ length: 50 }, (_, n) => n));
  expect(all.filter(({ changed }) => changed === true)).toHaveLength(20);
  expect(all[1]).toMatchObject({ _id: 1, again: 1, tags: ["t1", "u1"], at: new Date(1) });
  expect(await things.countDocuments({ tags: "t0" })).toBe(17);
  expect(await things.countDocuments({ $text: { $search: "word7" } })).toBe(1);
  expect((await things.indexes()).map(({ name }) => name)).toEqual(["_id_", "n_1", "tags_1", "text_text"]);
  await expect(things.insertOne({ n: 5 })).rejects.toMatchObject({ code: 11000 });
  const names = await db.listCollections().toArray();
  expect(names.map(({ name }) => name).toSorted()).toEqual(["after", "things"]);
  const others = await client.db("other").collection("o").find().toArray();
  expect(others).toEqual([{ _id: 1 }, { _id: new ObjectId("0123456789abcdef01234567") }, { _id: { a: 1 } }]);
}

test("converts a folder in the old format once and reports the progress", async () => {
  const messages: string[] = [];
  await withClient(expectEverything, messages);
  expect(messages.at(0)).toMatch(/^converting the data folder to SQLite: /);
  expect(fs.readdirSync(dir).toSorted()).toEqual(["data.sqlite", "data.sqlite-synced", "engine.json"]);
  const again: string[] = [];
  await withClient(expectEverything, again);
  expect(again).toEqual([]);
});

test("restarts an interrupted conversion, and does not repeat a finished one", async () => {
  fs.writeFileSync(path.join(dir, "data.sqlite.new"), "half of it");
  await withClient(expectEverything);
  // Simulates a kill before the old files were removed.
  fs.cpSync(ORIGINAL, dir, { recursive: true });
  await withClient(async (client) => {
    await client.db("t").collection("after").insertOne({ is: "new" });
  });
  await withClient(async (client) => {
    await expectEverything(client);
    expect(await client.db("t").collection("after").countDocuments()).toBe(2);
  });
});

test("drops an unfinished write at the end of the journal", async () => {
  const journal = path.join(dir, "journal-2.log");
  fs.truncateSync(journal, fs.statSync(journal).size - 5);
  await withClient(async (client) => {
    expect(await client.db("other").collection("o").countDocuments()).toBe(0);
    expect(await client.db("t").collection("things").countDocuments()).toBe(50);
  });
});

test.each([
  ["a missing journal", (place: string) => fs.rmSync(path.join(place, "journal-2.log"))],
  ["a shortened snapshot", (place: string) => fs.truncateSync(path.join(place, "snapshot-2.log"), 3000)],
  ["an emptied journal", (place: string) => fs.truncateSync(path.join(place, "journal-2.log"), 0)],
  [
    "both missing",
    (place: string) =>
      ["journal", "snapshot"].forEach((kind) => fs.rmSync(path.join(place, `${kind}-2.log`))),
  ],
  [
    "a journal that is damaged in the middle",
    (place: string) => flip(path.join(place, "journal-2.log"), 300),
  ],
])("rejects %s and leaves the folder unchanged", async (_, damage) => {
  damage(dir);
  const before = contents(dir);
  await expect(startEmbeddedMongo({ dir })).rejects.toThrow(DataFolderCorruptError);
  const left = contents(dir);
  const changed = [...before].filter(([name, content]) => left.get(name)?.equals(content) !== true);
  expect(changed.map(([name]) => name)).toEqual([]);
});

function flip(file: string, at: number): void {
  const bytes = fs.readFileSync(file);
  bytes[at]! ^= 0x55;
  fs.writeFileSync(file, bytes);
}

const contents = (place: string): Map<string, Buffer> =>
  new Map(fs.readdirSync(place).map((name) => [name, fs.readFileSync(path.join(place, name))]));

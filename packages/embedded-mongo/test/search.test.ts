import fs from "node:fs";
import { type Db, MongoClient, ObjectId } from "mongodb";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Random } from "./random.ts";
import { type ServerProcess, spawnServer } from "./spawn-server.ts";
import { temporaryFolder } from "./targets.ts";

interface Entry {
  _id: ObjectId;
  place: ObjectId;
  rev: number;
  tokens: string[];
}
interface Word {
  tokens: string[];
  prefix?: string;
}

const DURABLE = { writeConcern: { w: 1, j: true } } as const;
const LOWEST = new ObjectId("0".repeat(24));
const HIGHEST = new ObjectId("f".repeat(24));

let dir: string;
let server: ServerProcess;
let client: MongoClient;
let db: Db;

async function open(): Promise<void> {
  server = await spawnServer(dir);
  client = await new MongoClient(server.uri).connect();
  db = client.db("test");
}
beforeEach(async () => {
  dir = temporaryFolder();
  await open();
});
afterEach(async () => {
  await client.close();
  await server.kill();
  fs.rmSync(dir, { recursive: true });
});

const put = (entries: Entry[], deleted: ObjectId[] = []) =>
  db.command({ fanfareSearchPut: "entries", entries, deleted, ...DURABLE });

async function find(places: ObjectId[], words: Word[], more: object = {}): Promise<string[]> {
  const range = { below: HIGHEST, from: LOWEST, limit: 1000, ...more };
  const { ids } = await db.command({ fanfareSearchFind: "entries", places, words, ...range });
  return (ids as ObjectId[]).map(String);
}

const hasWord = (entry: Entry, { tokens, prefix }: Word): boolean =>
  entry.tokens.some((token) => tokens.includes(token) || (prefix !== undefined && token.startsWith(prefix)));

test("matches a linear search, with many entries per second, changes, deletions and kills", async () => {
  const seed = Number(process.env["FUZZ_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
  const random = new Random(seed);
  const places = Array.from({ length: 5 }, () => new ObjectId());
  const words = ["a", "ab", "abc", "abd", "b", "中", "中文", "from:1", "~ab", "ünï", "٣"];
  const list = new Map<string, Entry>();
  const someId = (): ObjectId =>
    new ObjectId(
      (1_700_000_000 + random.int(20)).toString(16) +
        random
          .int(2 ** 31)
          .toString(16)
          .padStart(16, "0"),
    );
  for (let round = 0; round < 40; round++) {
    const entries: Entry[] = Array.from({ length: random.int(60) }, () => {
      const known = [...list.values()];
      const old = known.length > 0 && random.chance(0.2) ? random.pick(known) : undefined;
      const rev = random.int(5);
      const tokens = words.filter(() => random.chance(0.3));
      return { _id: old?._id ?? someId(), place: old?.place ?? random.pick(places), rev, tokens };
    });
    const deleted = [...list.values()].filter(() => random.chance(0.05)).map(({ _id }) => _id);
    await put(entries, deleted);
    for (const entry of entries) {
      const stored = list.get(String(entry._id));
      if (stored === undefined || entry.rev >= stored.rev) list.set(String(entry._id), entry);
    }
    for (const id of deleted) list.delete(String(id));
    if (round % 10 === 9) {
      await client.close();
      await server.kill();
      await open();
    }
    for (let query = 0; query < 10; query++) {
      const inPlaces = places.filter(() => random.chance(0.5));
      const wanted = Array.from({ length: 1 + random.int(2) }, (): Word => {
        const tokens = [random.pick(words)];
        return random.chance(0.5) ? { tokens, prefix: random.pick(words) } : { tokens };
      });
      const [from, below] = [someId(), someId()].sort((a, b) => (String(a) < String(b) ? -1 : 1));
      const limit = 1 + random.int(30);
      const expected = [...list.values()]
        .filter(({ place }) => inPlaces.some((one) => one.equals(place)))
        .filter((entry) => wanted.every((word) => hasWord(entry, word)))
        .map(({ _id }) => String(_id))
        .filter((id) => id >= String(from) && id < String(below))
        .toSorted()
        .toReversed()
        .slice(0, limit);
      const found = await find(inPlaces, wanted, { from, below, limit });
      expect({ seed, round, found }).toEqual({ seed, round, found: expected });
    }
  }
});

test("deletes entries of a place in batches, all or those with a token", async () => {
  const [here, there] = [new ObjectId(), new ObjectId()];
  const entry = (place: ObjectId, ...tokens: string[]): Entry => {
    return { _id: new ObjectId(), place, rev: 1, tokens };
  };
  await put([entry(here, "x", "y"), entry(here, "x"), entry(here, "x"), entry(there, "x")]);
  const remove = async (more: object) =>
    ((await db.command({ fanfareSearchDelete: "entries", place: here, ...more })) as { n?: number }).n;
  expect(await remove({ token: "y", limit: 5 })).toBe(1);
  expect(await remove({ limit: 1 })).toBe(1);
  expect(await find([here], [{ tokens: ["x"] }])).toHaveLength(1);
  expect(await remove({ limit: 5 })).toBe(1);
  expect(await remove({ limit: 5 })).toBe(0);
  expect(await find([here, there], [{ tokens: ["x"] }])).toHaveLength(1);
});

test("drop deletes an index, and dropDatabase those of a database", async () => {
  const place = new ObjectId();
  const entry = { _id: new ObjectId(), place, rev: 1, tokens: ["x"] };
  await put([entry]);
  expect(await db.dropCollection("entries")).toBe(true);
  expect(await find([place], [{ tokens: ["x"] }])).toEqual([]);
  await put([entry]);
  await client.db("test2").collection("things").insertOne({});
  await client.db("test2").dropDatabase();
  expect(await find([place], [{ tokens: ["x"] }])).toHaveLength(1);
  await db.dropDatabase();
  expect(await find([place], [{ tokens: ["x"] }])).toEqual([]);
});

test("rejects invalid words", async () => {
  const invalid = [
    { tokens: ["two words"] },
    { tokens: ['"'] },
    { tokens: [], prefix: "*" },
    { tokens: [""] },
    { tokens: [] },
    { tokens: [5] },
    5,
  ];
  for (const word of invalid)
    await expect(find([new ObjectId()], [word as Word])).rejects.toThrow(/token|wrong type/);
});

import fs from "node:fs";
import path from "node:path";
import { MongoClient, ObjectId } from "mongodb";
import { expect, test } from "vitest";
import { Random } from "./random.ts";
import { spawnServer } from "./spawn-server.ts";
import { temporaryFolder } from "./targets.ts";

const MIB = 1024 * 1024;
const WRITERS = 4;
const BATCHES = 200;
const DURABLE = { writeConcern: { w: 1, j: true } } as const;

test("the log size is limited while clients write as fast as possible", { tags: ["long"] }, async () => {
  const dir = temporaryFolder();
  const server = await spawnServer(dir);
  const client = await new MongoClient(server.uri).connect();
  const random = new Random(1);
  try {
    const db = client.db("test");
    const places = Array.from({ length: 500 }, () => new ObjectId());
    const documents = db.collection("documents");
    await documents.createIndexes([
      { key: { place: 1, n: 1 } },
      { key: { n: 1 } },
      { key: { place: 1, text: 1 } },
    ]);
    let left = BATCHES;
    const writer = async () => {
      while (left-- > 0) {
        const entries = Array.from({ length: 500 }, () => {
          const tokens = Array.from({ length: 15 }, () => `word${random.int(50_000)}`);
          return { _id: new ObjectId(), place: random.pick(places), rev: 1, tokens };
        });
        await Promise.all([
          documents.insertMany(
            entries.map(({ _id, place, tokens }) => ({
              _id,
              place,
              n: random.int(1e9),
              text: tokens.join(" "),
            })),
            DURABLE,
          ),
          db.command({ fanfareSearchPut: "entries", entries, deleted: [], ...DURABLE }),
        ]);
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, writer));
    await documents.updateMany({}, [{ $set: { n: { $multiply: ["$n", -1] } } }]);
    const logBytes = fs.statSync(path.join(dir, "data.sqlite-wal")).size;
    expect(logBytes / MIB).toBeLessThan(512);
  } finally {
    await client.close();
    await server.kill();
    fs.rmSync(dir, { recursive: true });
  }
});

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { MongoClient, ObjectId } from "mongodb";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type ServerProcess, spawnServer } from "./spawn-server.ts";
import { temporaryFolder } from "./targets.ts";

const DISK_MIB = 16;
const MIB = 1024 * 1024;
const DURABLE = { writeConcern: { w: 1, j: true } } as const;

/** Users can mount file systems in their own namespace. */
const NAMESPACE = ["--user", "--map-root-user", "--mount"];
const isPossible =
  process.env["REQUIRE_ALL_TESTS"] === "1" || spawnSync("unshare", [...NAMESPACE, "true"]).status === 0;
if (!isPossible) console.warn("Mount namespaces are not available: the full-disk test is skipped.");

let dir: string;
/** Keeps a mount namespace with a small disk at `dir` open. */
let disk: ChildProcess;
let server: ServerProcess;
let client: MongoClient;

/** A path on that disk, accessible from outside the namespace. */
const onDisk = (...names: string[]) => path.join(`/proc/${disk.pid}/root`, dir, ...names);

beforeEach(async () => {
  dir = temporaryFolder();
  const mount = `mount -t tmpfs -o size=${DISK_MIB}m none ${dir} && echo ready && exec sleep infinity`;
  disk = spawn("unshare", [...NAMESPACE, "sh", "-c", mount], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(disk.stdout!, "data");
  await start();
});
afterEach(async () => {
  await client.close();
  await server.kill();
  disk.kill("SIGKILL");
  fs.rmSync(dir, { recursive: true });
});

async function start(): Promise<void> {
  const enter = ["nsenter", "--target", String(disk.pid), "--user", "--mount", "--preserve-credentials"];
  server = await spawnServer(dir, { through: enter }, "--port", "0");
  client = await new MongoClient(server.uri).connect();
}

const things = () => client.db("t").collection<{ _id: number; s: string }>("things");

/** Inserts until one fails. @returns the number of acknowledged inserts and the error */
async function insertUntilRefused(first: number): Promise<{ count: number; error: unknown }> {
  for (let n = first; ; n++) {
    const error = await things()
      .insertOne({ _id: n, s: "x".repeat(50_000) }, DURABLE)
      .then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
    if (error !== undefined) return { count: n, error };
  }
}

const place = new ObjectId();

const FULL = { code: 14031, message: expect.stringMatching(/full.*Free up space/) };

test.skipIf(!isPossible)(
  "a full disk rejects writes but not reads, and needs no restart once there is space again",
  async () => {
    fs.writeFileSync(onDisk("filler"), Buffer.alloc(8 * MIB));
    await things().createIndex({ s: 1 });
    const { count, error } = await insertUntilRefused(0);
    expect(error).toMatchObject(FULL);
    expect(count).toBeGreaterThan(10);
    expect(await things().countDocuments()).toBe(count);
    // Concurrent inserts are rejected individually, and none is stored partially.
    const [first, second] = await Promise.all([insertUntilRefused(count), insertUntilRefused(count + 100)]);
    expect([first, second]).toMatchObject([
      { count, error: FULL },
      { count: count + 100, error: FULL },
    ]);
    await expect(things().updateMany({}, { $set: { t: "y".repeat(50_000) } })).rejects.toMatchObject({
      code: 14031,
    });
    const all = await things().find().batchSize(3).toArray();
    expect(all.map(({ _id }) => _id)).toEqual(Array.from({ length: count }, (_, n) => n));

    const putEntries = async () => {
      const entries = Array.from({ length: 100 }, (_, n) => {
        const tokens = Array.from({ length: 500 }, (__, i) => `word${n}x${i}`);
        return { _id: new ObjectId(), place, rev: 1, tokens };
      });
      await client.db("t").command({ fanfareSearchPut: "entries", entries, deleted: [], ...DURABLE });
    };
    await expect(putEntries()).rejects.toMatchObject(FULL);

    await client.close();
    await server.kill();
    await start();
    expect(await things().countDocuments({ s: /^x/ })).toBe(count);
    expect((await insertUntilRefused(count)).error).toMatchObject(FULL);

    fs.rmSync(onDisk("filler"));
    const before = await things().countDocuments();
    await things().insertOne({ _id: -1, s: "room" }, DURABLE);
    expect(await things().countDocuments()).toBe(before + 1);
    await putEntries();
    const range = { below: new ObjectId("f".repeat(24)), from: new ObjectId("0".repeat(24)), limit: 200 };
    const query = { places: [place], words: [{ tokens: [], prefix: "word" }], ...range };
    const { ids } = await client.db("t").command({ fanfareSearchFind: "entries", ...query });
    expect(ids).toHaveLength(100);
  },
);

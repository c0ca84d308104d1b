import fs from "node:fs";
import path from "node:path";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DataFolderCorruptError, startEmbeddedMongo } from "../src/index.ts";
import { spawnServer } from "./spawn-server.ts";
import { temporaryFolder } from "./targets.ts";

const COUNT = 100;
const TEXT = "x".repeat(300);

let home: string;
let killed: string;
let stopped: string;
let attempt = 0;

/** `stopped` has all documents in the data file; `killed` has them in the log. */
beforeAll(async () => {
  home = temporaryFolder();
  for (const how of ["killed", "stopped"] as const) {
    const dir = path.join(home, how);
    const server = await spawnServer(dir);
    const client = await new MongoClient(server.uri).connect();
    const things = client.db("t").collection("things");
    await things.createIndex({ n: 1 }, { unique: true });
    for (let n = 0; n < COUNT; n++)
      await things.insertOne({ n, s: TEXT }, { writeConcern: { w: 1, j: true } });
    await (how === "killed" ? server.kill() : server.stop());
    await client.close();
    if (how === "killed") killed = dir;
    else stopped = dir;
  }
});
afterAll(() => fs.rmSync(home, { recursive: true }));

interface Outcome {
  /** The numbers found, with NaN for changed texts; undefined if the server didn't start or the query failed. */
  found?: number[];
  error?: unknown;
  /** Whether the server refused to start but changed the folder. */
  hasChanged?: boolean;
}

/** Starts a server on a damaged copy. */
async function open(original: string, damage: (file: string) => void): Promise<Outcome> {
  const dir = path.join(home, `attempt-${attempt++}`);
  fs.mkdirSync(dir);
  for (const name of fs.readdirSync(original))
    if (name !== "lock.sock" && !name.endsWith("-shm"))
      fs.copyFileSync(path.join(original, name), path.join(dir, name));
  damage(path.join(dir, "data.sqlite"));
  const before = contents(dir);
  const server = await startEmbeddedMongo({ dir }).catch((error: unknown) => ({ error }));
  if ("error" in server)
    return { error: server.error, ...(contents(dir) !== before && { hasChanged: true }) };
  const client = await new MongoClient(server.uri).connect();
  const things = client.db("t").collection("things");
  try {
    const found = await things.find({ n: { $gte: 0 } }).toArray();
    return { found: found.map(({ n, s }) => (s === TEXT ? (n as number) : Number.NaN)) };
  } catch (error) {
    return { error };
  } finally {
    await client.close();
    await server.close();
  }
}

const contents = (dir: string): string =>
  fs
    .readdirSync(dir)
    .filter((name) => !name.endsWith("-shm"))
    .toSorted()
    .map((name) => `${name} ${fs.readFileSync(path.join(dir, name), "latin1")}`)
    .join();

const all = Array.from({ length: COUNT }, (_, n) => n);

function flip(file: string, at: number): void {
  const bytes = fs.readFileSync(file);
  bytes[at]! ^= 0x55;
  fs.writeFileSync(file, bytes);
}

test("an undamaged folder has all documents after a kill and after a stop", async () => {
  expect(await open(killed, () => {})).toEqual({ found: all });
  expect(await open(stopped, () => {})).toEqual({ found: all });
});

test("ignores garbage after the end of the log", async () => {
  for (const tail of [Buffer.alloc(5), Buffer.alloc(5000), Buffer.alloc(9000, 255)])
    expect(await open(killed, (file) => fs.appendFileSync(`${file}-wal`, tail))).toEqual({ found: all });
});

test("rejects a missing, truncated or damaged log and leaves the folder unchanged", async () => {
  const { size } = fs.statSync(path.join(killed, "data.sqlite-wal"));
  const damages: ((wal: string) => void)[] = [
    (wal) => fs.rmSync(wal),
    (wal) => fs.truncateSync(wal, 0),
    (wal) => fs.truncateSync(wal, 32),
    (wal) => fs.truncateSync(wal, size - 1),
    (wal) => fs.truncateSync(wal, 32 + Math.floor((size - 32) / 4120 / 2) * 4120),
    (wal) => flip(wal, 3),
    (wal) => flip(wal, 20),
    (wal) => flip(wal, size - 2000),
    (wal) => flip(wal, Math.floor(size / 2)),
    (wal) => {
      const bytes = fs.readFileSync(wal);
      fs.writeFileSync(wal, bytes.fill(0, Math.floor(size * 0.7)));
    },
  ];
  for (const damage of damages) {
    const outcome = await open(killed, (file) => damage(`${file}-wal`));
    expect(outcome).toEqual({ error: expect.any(DataFolderCorruptError) });
    expect((outcome.error as Error).message).toMatch(/Nothing was changed.*backup/);
  }
});

test("rejects a missing, truncated or empty data file", async () => {
  for (const original of [killed, stopped]) {
    const damages: ((file: string) => void)[] = [
      (file) => fs.rmSync(file),
      (file) => fs.truncateSync(file, 0),
      (file) => flip(file, 3),
    ];
    if (original === stopped)
      damages.push((file) => fs.truncateSync(file, Math.floor(fs.statSync(file).size / 2)));
    for (const damage of damages)
      expect(await open(original, damage)).toEqual({ error: expect.any(DataFolderCorruptError) });
  }
});

test("reports damage inside the data file and never silently omits documents", async () => {
  const { size } = fs.statSync(path.join(stopped, "data.sqlite"));
  for (let i = 0; i < 40; i++) {
    const at = 4096 + Math.floor(((size - 4096) * (i + 0.5)) / 40);
    const outcome = await open(stopped, (file) => flip(file, at));
    const told = /damaged|malformed|cannot be read|cannot read/;
    const isRight =
      outcome.found === undefined
        ? told.test((outcome.error as Error).message)
        : outcome.found.join() === all.join();
    expect(isRight, `byte ${at} flipped: ${String(outcome.error)}`).toBe(true);
  }
  const zeroed = await open(stopped, (file) => {
    const bytes = fs.readFileSync(file);
    fs.writeFileSync(
      file,
      bytes.fill(0, Math.floor(size / 2 / 4096) * 4096, Math.floor(size / 2 / 4096 + 2) * 4096),
    );
  });
  expect(zeroed).toEqual({ error: expect.any(Error) });
});

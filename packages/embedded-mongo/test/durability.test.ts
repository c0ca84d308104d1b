import fs from "node:fs";
import { setTimeout } from "node:timers/promises";
import { Int32, MongoClient, type Collection } from "mongodb";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type ServerProcess, spawnServer } from "./spawn-server.ts";
import { temporaryFolder } from "./targets.ts";

const WRITERS = 8;
const DURABLE = { writeConcern: { w: 1, j: true } } as const;

interface Thing {
  _id: string;
  writer: number;
  seq: number;
  n: number;
  tags: string[];
}

/** A writer's acknowledged documents, and the one write with an unknown outcome. */
class Writer {
  readonly documents = new Map<string, number>();
  counter = 0;
  readonly id: number;
  #seq = 0;
  #unsure: { id: string; before: number | undefined; after: number | undefined } | undefined;
  #counterUnsure = false;

  constructor(id: number) {
    this.id = id;
  }

  /** Writes until the connection is lost. */
  async run(things: Collection<Thing>, counters: Collection<{ _id: number; n: number }>): Promise<void> {
    try {
      for (;;) await this.#step(things, counters);
    } catch {
      // The server was killed, so the outcome of the write in flight is unknown.
    }
  }

  async #step(things: Collection<Thing>, counters: Collection<{ _id: number; n: number }>): Promise<void> {
    this.#counterUnsure = true;
    await counters.updateOne({ _id: this.id }, { $inc: { n: 1 } }, { upsert: true, ...DURABLE });
    this.counter++;
    this.#counterUnsure = false;
    const seq = this.#seq++;
    const id = `${this.id}-${seq}`;
    await this.#sure(id, 0, () =>
      things.insertOne(
        { _id: id, writer: this.id, seq, n: new Int32(0) as unknown as number, tags: [`t${seq % 3}`] },
        DURABLE,
      ),
    );
    const older = `${this.id}-${seq - 2}`;
    const known = this.documents.get(older);
    if (known === undefined) return;
    if (seq % 3 === 0) await this.#sure(older, undefined, () => things.deleteOne({ _id: older }, DURABLE));
    else
      await this.#sure(older, known + 1, () => things.updateOne({ _id: older }, { $inc: { n: 1 } }, DURABLE));
  }

  async #sure(id: string, after: number | undefined, write: () => Promise<unknown>): Promise<void> {
    this.#unsure = { id, before: this.documents.get(id), after };
    await write();
    this.#know(id, after);
    this.#unsure = undefined;
  }

  #know(id: string, n: number | undefined): void {
    if (n === undefined) this.documents.delete(id);
    else this.documents.set(id, n);
  }

  /** Compares with the documents after a restart, and adopts the outcome of the unknown write. */
  check(found: ReadonlyMap<string, number>, counter: number): string[] {
    if (this.#unsure) {
      const { id, before, after } = this.#unsure;
      const now = found.get(id);
      if (now !== before && now !== after) return [`unsure ${id}: ${now}, neither ${before} nor ${after}`];
      this.#know(id, now);
      this.#unsure = undefined;
    }
    const wrong: string[] = [];
    if (counter !== this.counter && !(this.#counterUnsure && counter === this.counter + 1)) {
      wrong.push(`counter ${this.id}: ${counter} instead of ${this.counter}`);
    }
    this.counter = counter;
    this.#counterUnsure = false;
    for (const [id, n] of this.documents)
      if (found.get(id) !== n) wrong.push(`${id}: ${found.get(id)} instead of ${n}`);
    for (const id of found.keys()) if (!this.documents.has(id)) wrong.push(`${id} is there`);
    return wrong;
  }
}

/** Every index must find exactly the existing documents. */
async function indexesAgree(things: Collection<Thing>, all: readonly Thing[]): Promise<void> {
  const ids = (found: { _id: string }[]) => found.map(({ _id }) => _id).sort((a, b) => a.localeCompare(b));
  for (let writer = 0; writer < WRITERS; writer++) {
    const expected = ids(all.filter((thing) => thing.writer === writer));
    expect(ids(await things.find({ writer, seq: { $gte: 0 } }).toArray())).toEqual(expected);
  }
  for (const tag of ["t0", "t1", "t2"]) {
    expect(ids(await things.find({ tags: tag }).toArray())).toEqual(
      ids(all.filter(({ tags }) => tags.includes(tag))),
    );
  }
  expect((await things.find().sort({ _id: 1 }).toArray()).length).toBe(all.length);
}

interface Place {
  readonly server: ServerProcess;
  readonly things: Collection<Thing>;
  readonly counters: Collection<{ _id: number; n: number }>;
}

async function verify(writers: readonly Writer[], { things, counters }: Place): Promise<void> {
  const all = await things.find().toArray();
  const counts = new Map((await counters.find().toArray()).map(({ _id, n }) => [_id, n]));
  for (const writer of writers) {
    const own = all
      .filter((thing) => thing.writer === writer.id)
      .map(({ _id, n }): [string, number] => [_id, n]);
    expect(writer.check(new Map(own), counts.get(writer.id) ?? 0)).toEqual([]);
  }
  await indexesAgree(things, all);
}

describe("durability", () => {
  let dir: string;
  beforeEach(() => {
    dir = temporaryFolder();
  });
  afterEach(() => {
    fs.rmSync(dir, { recursive: true });
  });

  async function withServer(use: (place: Place) => Promise<void>): Promise<void> {
    const server = await spawnServer(dir);
    const client = await new MongoClient(server.uri, { serverSelectionTimeoutMS: 2_000 }).connect();
    const db = client.db("d");
    await use({ server, things: db.collection("things"), counters: db.collection("counters") });
    await client.close();
    await server.stop();
  }

  for (const kills of [5, 20])
    it(
      `no acknowledged write is lost in ${kills} SIGKILLs`,
      { tags: kills === 5 ? [] : "long" },
      async () => {
        const writers = Array.from({ length: WRITERS }, (_, id) => new Writer(id));
        const counted = () => writers.reduce((sum, { counter }) => sum + counter, 0);
        await withServer(async ({ things }) => {
          await things.createIndex({ writer: 1, seq: -1 }, { unique: true });
          await things.createIndex({ tags: 1 });
        });
        for (let round = 0; round < kills; round++) {
          await withServer(async (place) => {
            await verify(writers, place);
            const before = counted();
            const running = writers.map((writer) => writer.run(place.things, place.counters));
            await vi.waitUntil(() => counted() > before, { timeout: 60_000 });
            await setTimeout(Math.random() * 200);
            await place.server.kill();
            await Promise.all(running);
          });
        }
        await withServer((place) => verify(writers, place));
        expect(counted()).toBeGreaterThanOrEqual(kills);
      },
    );

  it("transactions are atomic and durable across SIGKILL", { tags: "long" }, async () => {
    const WRITTEN = 5;
    const known: number[] = [];
    let next = 0;
    const run = async (client: MongoClient, things: Collection<Thing>): Promise<void> => {
      for (;;) {
        const seq = next++;
        await client.withSession(async (session) => {
          session.startTransaction(DURABLE);
          for (let writer = 0; writer < WRITTEN; writer++)
            await things.insertOne({ _id: `${seq}-${writer}`, writer, seq, n: 0, tags: [] }, { session });
          await session.commitTransaction();
        });
        known.push(seq);
      }
    };
    const check = async ({ things }: Place): Promise<void> => {
      const sizes = new Map<number, number>();
      for (const { seq } of await things.find().toArray()) sizes.set(seq, (sizes.get(seq) ?? 0) + 1);
      expect([...sizes.values()].filter((size) => size !== WRITTEN)).toEqual([]);
      expect(known.filter((seq) => !sizes.has(seq))).toEqual([]);
    };
    for (let round = 0; round < 3; round++) {
      await withServer(async (place) => {
        await check(place);
        const client = await new MongoClient(place.server.uri, { serverSelectionTimeoutMS: 2_000 }).connect();
        const { dbName, collectionName } = place.things;
        const things = client.db(dbName).collection<Thing>(collectionName);
        const before = known.length;
        const running = [1, 2, 3].map(() => run(client, things).catch(() => {}));
        await vi.waitUntil(() => known.length > before + 3, { timeout: 60_000 });
        await setTimeout(Math.random() * 50);
        await place.server.kill();
        await Promise.all(running);
        await client.close();
      });
    }
    await withServer(check);
  });

  for (const level of ["majority", "linearizable"] as const)
    it(
      `data returned by a ${level} read survives SIGKILL`,
      { tags: level === "majority" ? [] : "long" },
      async () => {
        const shown: string[] = [];
        const verifyShown = async ({ things }: Place): Promise<void> => {
          expect((await things.find().sort({ seq: 1 }).toArray()).map(({ _id }) => _id)).toEqual(shown);
        };
        for (let round = 0; round < 5; round++) {
          await withServer(async (place) => {
            const { server, things } = place;
            await verifyShown(place);
            const late = { writeConcern: { w: 1, j: false } };
            const readConcern = { level };
            const _id = `${round}`;
            await things.insertOne({ _id, writer: 0, seq: round, n: 0, tags: [] }, late);
            const read = [
              () => things.findOne({ _id }, { readConcern }),
              () => things.countDocuments({ _id }, { readConcern }),
              () => things.estimatedDocumentCount({ readConcern }),
              () => things.distinct("seq", { _id }, { readConcern }),
              () => things.aggregate([{ $match: { _id } }], { readConcern }).toArray(),
            ][round]!;
            expect(await read()).toBeTruthy();
            await server.kill();
            shown.push(_id);
          });
        }
        await withServer(verifyShown);
      },
    );

  it("a second process on the folder fails with one line; a killed process releases it", async () => {
    const server = await spawnServer(dir);
    await expect(spawnServer(dir)).rejects.toThrow(
      `The data folder ${dir} is in use by process ${server.process.pid}.`,
    );
    await server.kill();
    const next = await spawnServer(dir);
    expect(await next.stop()).toBe(0);
  });

  it("reports invalid arguments", async () => {
    await expect(spawnServer(dir, {}, "--port", "99999")).rejects.toThrow(/--port/);
    await expect(spawnServer(dir, {}, "--what")).rejects.toThrow(/usage/);
  });
});

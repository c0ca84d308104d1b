import type { Collection, CollationOptions, Document, Filter, Sort, UpdateFilter } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Random } from "./random.ts";
import { targets } from "./targets.ts";

/** FUZZ_ROUNDS=200 runs longer; FUZZ_SEED repeats a failure. */
const ROUNDS = Number(process.env["FUZZ_ROUNDS"] ?? 4);
const SEED = Number(process.env["FUZZ_SEED"] ?? Date.now() % 1_000_000);
const STEPS = 250;
const DOCUMENTS = 120;

const INDEXES: [key: Record<string, 1 | -1>, options: Document][] = [
  [{ a: 1 }, {}],
  [{ a: 1, b: -1 }, {}],
  [{ b: -1, c: 1 }, { sparse: true }],
  [{ c: 1 }, { partialFilterExpression: { c: { $exists: true } } }],
  [{ l: 1, a: 1 }, {}],
  [{ "o.x": 1, "o.y": -1 }, {}],
  [{ "list.k": 1, "list.v": 1 }, {}],
  [
    { a: 1, u: 1 },
    { unique: true, partialFilterExpression: { u: { $exists: true } } },
  ],
];

const FIELDS = ["a", "b", "c", "l", "o.x", "o.y", "list.k", "list.v", "o", "_id"];

class Generator {
  readonly #random: Random;
  constructor(random: Random) {
    this.#random = random;
  }

  scalar(): unknown {
    const { int, pick } = this.#random;
    return pick([
      () => int(4),
      () => int(6) + 0.5,
      () => pick(["", "a", "A", "ab", "áB", "b", "é", "E", "Z"]),
      () => null,
      () => int(2) === 1,
      () => new Date(int(4) * 1000),
    ])();
  }
  value(): unknown {
    const { int, pick } = this.#random;
    return pick([
      () => this.scalar(),
      () => this.scalar(),
      () => this.scalar(),
      () => Array.from({ length: int(3) }, () => this.scalar()),
      () => ({ x: this.scalar() }),
    ])();
  }
  document(u: number): Document {
    const { chance, int } = this.#random;
    const array = chance(0.3);
    const document: Document = {};
    if (chance(0.9)) document["a"] = array ? this.scalar() : this.value();
    if (chance(0.7)) document["b"] = Array.isArray(document["a"]) ? this.scalar() : this.scalar();
    if (chance(0.5)) document["c"] = this.scalar();
    if (chance(0.5))
      document["l"] = Array.isArray(document["a"])
        ? this.scalar()
        : Array.from({ length: int(4) }, () => this.scalar());
    if (chance(0.5))
      document["o"] = chance(0.5) ? { x: this.scalar(), y: this.scalar() } : { x: this.scalar() };
    if (chance(0.5))
      document["list"] = Array.from({ length: int(4) }, () => ({
        k: int(4),
        v: chance(0.5) ? int(4) : this.scalar(),
      }));
    if (chance(0.3)) document["u"] = u;
    return document;
  }
  condition(): unknown {
    const { int, pick, chance } = this.#random;
    return pick([
      () => this.scalar(),
      () => int(4),
      () => this.value(),
      () => ({ [pick(["$gt", "$gte", "$lt", "$lte"])]: this.scalar() }),
      () => ({ $gte: this.scalar(), $lt: this.scalar() }),
      () => ({ $in: Array.from({ length: int(4) }, () => this.scalar()) }),
      () => ({ $ne: this.scalar() }),
      () => ({ $exists: chance(0.5) }),
      () => ({ $nin: [this.scalar(), this.scalar()] }),
      () => ({ $regex: pick(["^a", "b", "^$"]) }),
      () => ({ $not: { $gt: this.scalar() } }),
      () => ({ $type: pick(["number", "string", "null", "array"]) }),
    ])();
  }
  filter(depth = 0): Filter<Document> {
    const { int, pick, chance } = this.#random;
    const filter: Document = {};
    if (chance(0.5)) for (const field of Object.keys(pick(INDEXES)[0])) filter[field] = this.condition();
    else for (let i = int(3) + (depth > 0 ? 1 : 0); i > 0; i--) filter[pick(FIELDS)] = this.condition();
    if (depth < 1 && chance(0.25)) filter[pick(["$or", "$and", "$nor"])] = [this.filter(1), this.filter(1)];
    return filter;
  }
  sort(): Sort {
    const { int, pick } = this.#random;
    const sort: Record<string, 1 | -1> = {};
    for (let i = int(3); i > 0; i--) sort[pick(FIELDS.slice(0, 8))] = pick([1, -1]);
    sort["_id"] ??= pick([1, -1]);
    return sort;
  }
  update(): UpdateFilter<Document> {
    const { int, pick } = this.#random;
    return pick<() => Document>([
      () => ({ $set: { [pick(["a", "b", "c"])]: this.scalar() } }),
      () => ({ $unset: { [pick(["a", "b", "c", "l", "o"])]: "" } }),
      () => ({ $inc: { n: int(5) } }),
      () => ({ $set: { l: Array.from({ length: int(3) }, () => this.scalar()) } }),
      () => ({ $push: { m: this.scalar() } }),
      () => ({ $set: { list: [{ k: int(4), v: this.scalar() }] } }),
      () => ({ $set: { o: { x: this.scalar(), y: this.scalar() } } }),
      () => ({ $max: { c: this.scalar() }, $set: { b: int(5) } }),
      () => ({ $rename: { c: "b" } }),
    ])();
  }
}

/** The collation of the commands in a round. Each index has the same, another or none. */
const COLLATIONS: (CollationOptions | undefined)[] = [
  undefined,
  { locale: "en", strength: 2 },
  { locale: "en", strength: 1 },
  { locale: "sv" },
];

/** Runs a command on both collections, which must return the same result or error code. */
async function both<T>(
  plain: Collection,
  indexed: Collection,
  action: (collection: Collection) => Promise<T>,
): Promise<T | number> {
  const [one, two] = await Promise.all(
    [plain, indexed].map((collection) => action(collection).catch((error: { code: number }) => error.code)),
  );
  expect(two).toEqual(one);
  return one as T | number;
}

describe.each(targets)(`differential fuzz on $name, FUZZ_SEED=${SEED}`, (target) => {
  let server: Awaited<ReturnType<typeof target.open>>;
  beforeAll(async () => {
    server = await target.open();
  });
  afterAll(() => server.close());

  it(`indexed and plain agree in ${ROUNDS} rounds of ${STEPS} steps`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const random = new Random(SEED + round);
      const generate = new Generator(random);
      const plain = server.db.collection(`plain${round}`);
      const indexed = server.db.collection(`indexed${round}`);
      const documents = Array.from({ length: DOCUMENTS }, (_, i) => ({
        _id: i as unknown as never,
        ...generate.document(i),
      }));
      const collation = COLLATIONS[round % COLLATIONS.length];
      for (const [key, options] of INDEXES) {
        const own = random.chance(0.7) ? collation : random.pick(COLLATIONS);
        await indexed.createIndex(key, own ? { ...options, collation: own } : options);
      }
      const inserted = await Promise.all(
        documents.map((document) =>
          indexed.insertOne(document).then(
            () => true,
            () => false,
          ),
        ),
      );
      await plain.insertMany(documents.filter((_, i) => inserted[i]));
      for (let step = 0; step < STEPS; step++) await oneStep(plain, indexed, random, generate, collation);
      expect(await indexed.find().sort({ _id: 1 }).toArray()).toEqual(
        await plain.find().sort({ _id: 1 }).toArray(),
      );
    }
  }, 600_000);

  async function oneStep(
    plain: Collection,
    indexed: Collection,
    random: Random,
    generate: Generator,
    collation: CollationOptions | undefined,
  ): Promise<void> {
    const how = collation && { collation };
    const filter = generate.filter();
    const sort = generate.sort();
    const [skip, limit] = [random.int(3) * random.int(5), random.int(20)];
    const context = JSON.stringify({ filter, sort, skip, limit, collation });
    const kind = random.int(10);
    try {
      if (kind < 5)
        await both(plain, indexed, (collection) =>
          collection.find(filter, { ...how, sort, skip, limit }).toArray(),
        );
      else if (kind < 6) await both(plain, indexed, (collection) => collection.countDocuments(filter, how));
      else if (kind < 7)
        await both(plain, indexed, async (collection) => ids(await collection.find(filter, how).toArray()));
      else if (kind < 8)
        await both(plain, indexed, async (collection) => {
          const values = await collection.distinct("c", filter, how ?? {});
          // Which one of equal strings is returned depends on the order in which they are read.
          return collation ? values.length : values;
        });
      else {
        const update = generate.update();
        const id = random.int(DOCUMENTS) as unknown as never;
        // Unique conflicts and parallel arrays only occur with indexes, so the plain collection gets the writes that the indexed one accepted.
        const done = await indexed.updateOne({ _id: id }, update, how).then(
          () => true,
          () => false,
        );
        if (done) await plain.updateOne({ _id: id }, update, how);
        if (random.chance(0.1)) await both(plain, indexed, (collection) => collection.deleteOne({ _id: id }));
      }
    } catch (error) {
      throw new Error(`mismatch, FUZZ_SEED=${SEED}: ${context}`, { cause: error });
    }
  }
});

const ids = (found: Document[]): number[] => found.map(({ _id }) => Number(_id)).sort((a, b) => a - b);

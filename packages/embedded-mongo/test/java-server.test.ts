import fs from "node:fs";
import { EJSON } from "bson";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type EmbeddedMongo, startEmbeddedMongo } from "../src/index.ts";
import type { PlainObject } from "../src/values/types.ts";
import { answerOf } from "./java-server/answer.ts";
import { Commands } from "./java-server/commands.ts";
import { findJavaServer, startJavaServer } from "./java-server/process.ts";
import { Random } from "./random.ts";
import { temporaryFolder } from "./targets.ts";
import { WireClient } from "./wire-client.ts";

/** JAVA_FUZZ_ROUNDS=3000 runs longer; FUZZ_SEED repeats a failure. */
const WANTED = process.env["JAVA_FUZZ_ROUNDS"];
const FEW = 25;
const MANY = WANTED === undefined ? 100 : Number(WANTED);
const SEED = Number(process.env["FUZZ_SEED"] ?? Date.now() % 1_000_000);
/** Connects to a single host, which must be the primary of a replica set, without authentication. */
const { MONGO_URL } = process.env;
const INSERTS = 12;
const STEPS = 40;

const unique = { key: { u: 1 }, name: "u_1", unique: true, sparse: true };
const INDEXES = [{ a: 1, b: -1 }, { l: 1 }, { "list.k": 1, "list.v": 1 }, { "o.x": -1 }, { b: 1, n: 1 }];
const indexes = INDEXES.map((key, i) => ({ key, name: `index${i}` }));

interface Side {
  readonly client: WireClient;
  readonly db: string;
  readonly indexes: readonly PlainObject[];
}

async function sameAnswer(sides: readonly [Side, Side], command: PlainObject): Promise<void> {
  const [one, other] = await Promise.all(
    sides.map(async ({ client, db }) => answerOf(command, await client.command(db, command))),
  );
  expect(one).toBe(other);
}

/** Runs the same random commands on both sides in each round, and compares all documents after every write. */
async function compareRounds(rounds: number, ...sides: [Side, Side]): Promise<void> {
  for (let round = 0; round < rounds; round++) await compareRound(sides, SEED + round);
}

async function compareRound(sides: readonly [Side, Side], seed: number): Promise<void> {
  const collection = `round${seed}`;
  for (const { client, db, indexes: more } of sides) {
    await client.command(db, { createIndexes: collection, indexes: [unique, ...more] });
  }
  const commands = new Commands(new Random(seed), collection);
  const everything = { find: collection, sort: { _id: 1 }, batchSize: 1_000 };
  for (let step = 0; step < STEPS; step++) {
    const command = step < INSERTS ? commands.insert() : commands.next();
    try {
      await sameAnswer(sides, command);
      if (!("find" in command || "count" in command || "distinct" in command))
        await sameAnswer(sides, everything);
    } catch (error) {
      const place = `FUZZ_SEED=${seed} JAVA_FUZZ_ROUNDS=1, step ${step}`;
      throw new Error(`mismatch, ${place}: ${EJSON.stringify(command)}\n${(error as Error).message}`, {
        cause: error,
      });
    }
  }
  for (const { client, db } of sides) await client.command(db, { drop: collection });
}

const found = await findJavaServer();
if ("missing" in found) console.info(`mongo-java-server is not compared with: ${found.missing}`);

interface Other {
  readonly name: string;
  open(): Promise<{ client: WireClient; close(): Promise<void> }>;
}

const others: Other[] = [];
if (MONGO_URL !== undefined) {
  const { hostname, port } = new URL(MONGO_URL);
  others.push({
    name: "MongoDB",
    async open() {
      const client = await WireClient.connect(Number(port || 27_017), hostname);
      return { client, close: () => Promise.resolve(client.close()) };
    },
  });
}
if (!("missing" in found)) {
  others.push({
    name: "mongo-java-server",
    async open() {
      const java = await startJavaServer(found.libraries);
      const client = await WireClient.connect(java.port);
      const close = async () => {
        client.close();
        await java.stop();
      };
      return { client, close };
    },
  });
}

describe(`the same commands return the same results, FUZZ_SEED=${SEED}`, () => {
  let dir: string;
  let embedded: EmbeddedMongo;
  let client: WireClient;

  beforeAll(async () => {
    dir = temporaryFolder();
    embedded = await startEmbeddedMongo({ dir, listen: { port: 0 } });
    client = await WireClient.connect(Number(new URL(embedded.uri).port));
  });
  afterAll(async () => {
    client.close();
    await embedded.close();
    fs.rmSync(dir, { recursive: true });
  });

  /** Runs the same commands on another server. */
  const compareWith = async (rounds: number, theirs: WireClient): Promise<void> => {
    const db = `fanfare_differential_${process.pid}`;
    await compareRounds(rounds, { client, db, indexes: [] }, { client: theirs, db, indexes: [] });
    await theirs.command(db, { dropDatabase: 1 });
  };

  for (const rounds of [FEW, MANY]) {
    const tags = rounds === FEW ? [] : ["long"];
    it(`with and without indexes, in ${rounds} rounds`, { tags, timeout: 600_000 }, async () => {
      const plain: Side = { client, db: "plain", indexes: [] };
      const indexed: Side = { client, db: "indexed", indexes };
      await expect(compareRounds(rounds, plain, indexed)).resolves.toBeUndefined();
    });
  }

  it.each(others)(`as $name, in ${MANY} rounds`, { tags: "long", timeout: 600_000 }, async (other) => {
    const opened = await other.open();
    await expect(compareWith(MANY, opened.client)).resolves.toBeUndefined();
    await opened.close();
  });
});

import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { MongoClient, ObjectId } from "mongodb";
import { spawnServer, type ServerProcess } from "../test/spawn-server.ts";
import { message, messagesOf } from "./message.ts";

/**
 * node packages/embedded-mongo/bench/reads.ts [OTHER_MAIN]: the server CPU of frequent reads whose documents are cached. With the
 * src/main.ts of another version, both run in turns, which makes their ratio independent of other load on the machine.
 */
const [, , OTHER_MAIN] = process.argv;
const CHANNELS = 100;
const PER_CHANNEL = 500;
const BATCH = 1_000;
const ROUNDS = 9;
const READS_PER_ROUND = 2_000;
const IN_FLIGHT = 4;

interface Engine {
  readonly server: ServerProcess;
  readonly client: MongoClient;
  readonly dir: string;
}

const channels = Array.from({ length: CHANNELS }, () => new ObjectId());
const users = Array.from({ length: CHANNELS }, () => new ObjectId());
const random = (count: number) => Math.floor(Math.random() * count);

async function open(main?: string): Promise<Engine> {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), "fanfare-reads-"));
  const server = await spawnServer(dir, main === undefined ? {} : { main });
  const client = await new MongoClient(server.uri).connect();
  const db = client.db("bench");
  const messages = await messagesOf(db);
  for (let i = 0; i < CHANNELS * PER_CHANNEL; i += BATCH)
    await messages.insertMany(
      Array.from({ length: BATCH }, (_, k) =>
        message(channels[(i + k) % CHANNELS]!, users[0]!, Math.floor((i + k) / CHANNELS)),
      ),
    );
  const members = db.collection("members");
  await members.createIndex({ groupId: 1, userId: 1 }, { unique: true });
  await members.insertMany(
    channels.flatMap((groupId) =>
      users.map((userId) => ({ groupId, userId, roles: [], joinedAt: new Date() })),
    ),
  );
  await db.collection("channels").insertMany(channels.map((_id) => ({ _id, kind: "text", name: "general" })));
  return { server, client, dir };
}

const db = ({ client }: Engine) => client.db("bench");
const reads: Record<string, (engine: Engine) => Promise<unknown>> = {
  "last 50 messages of a channel": (engine) =>
    db(engine)
      .collection("messages")
      .find({ channelId: channels[random(CHANNELS)]! })
      .sort({ seq: -1 })
      .limit(50)
      .toArray(),
  "a document by _id": (engine) =>
    db(engine)
      .collection("channels")
      .findOne({ _id: channels[random(CHANNELS)]! }),
  "a document by two fields": (engine) =>
    db(engine)
      .collection("members")
      .findOne({ groupId: channels[random(CHANNELS)]!, userId: users[random(CHANNELS)]! }),
};

async function cpuMicros({ client }: Engine): Promise<number> {
  const { fanfare } = await client.db("admin").command({ serverStatus: 1 });
  return (fanfare as { cpuMicros: number }).cpuMicros;
}

/** The server CPU of a read in microseconds. */
async function measure(engine: Engine, read: (engine: Engine) => Promise<unknown>): Promise<number> {
  const before = await cpuMicros(engine);
  let left = READS_PER_ROUND;
  const reader = async () => {
    while (left-- > 0) await read(engine);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, reader));
  return ((await cpuMicros(engine)) - before) / READS_PER_ROUND;
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

const engines = [await open(), ...(OTHER_MAIN === undefined ? [] : [await open(OTHER_MAIN)])];
for (const [name, read] of Object.entries(reads)) {
  const times = engines.map((): number[] => []);
  for (let round = -3; round < ROUNDS; round++)
    for (const [i, engine] of engines.entries()) {
      const micros = await measure(engine, read);
      if (round >= 0) times[i]!.push(micros);
    }
  const [own, other] = times.map(median);
  const compared =
    other === undefined ? "" : `, other ${other.toFixed(0)} µs, ratio ${(own! / other).toFixed(2)}`;
  console.log(`${name.padEnd(30)} ${own!.toFixed(0)} µs${compared}`);
}
for (const { server, client, dir } of engines) {
  await client.close();
  await server.stop();
  fs.rmSync(dir, { recursive: true });
}

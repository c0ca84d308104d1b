import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { MongoClient, ObjectId } from "mongodb";
import { spawnServer, type ServerProcess } from "../test/spawn-server.ts";
import { message, messagesOf } from "./message.ts";

/**
 * node packages/embedded-mongo/bench/operations.ts [OTHER_MAIN]: the server CPU of frequent writes, and of reads whose
 * documents are cached. With the src/main.ts of another version, both run in turns, which makes their ratio independent
 * of other load on the machine.
 */
const [, , OTHER_MAIN] = process.argv;
const CHANNELS = 100;
const PER_CHANNEL = 500;
const BATCH = 1_000;
const ROUNDS = 9;
const PER_ROUND = 2_000;
const DURABLE = { writeConcern: { w: "majority", j: true } } as const;

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
let seq = PER_CHANNEL;
const newMessage = () => message(channels[seq % CHANNELS]!, users[0]!, seq++);

/** One operation of a round, with how many of its kind are in flight, and how many documents it handles. */
interface Operation {
  readonly run: (engine: Engine) => Promise<unknown>;
  readonly inFlight?: number;
  readonly documents?: number;
}

const operations: Record<string, Operation> = {
  "insertMany of 1,000, per document": {
    run: (engine) =>
      db(engine)
        .collection("messages")
        .insertMany(Array.from({ length: BATCH }, newMessage)),
    documents: BATCH,
  },
  "insertOne, j: true, 32 in flight": {
    run: (engine) => db(engine).collection("messages").insertOne(newMessage(), DURABLE),
    inFlight: 32,
  },
  insertOne: { run: (engine) => db(engine).collection("messages").insertOne(newMessage()) },
  "updateOne by _id, 32 in flight": {
    run: (engine) =>
      db(engine)
        .collection("channels")
        .updateOne({ _id: channels[random(CHANNELS)]! }, { $inc: { head: 1 } }, DURABLE),
    inFlight: 32,
  },
  "last 50 messages of a channel": {
    run: (engine) =>
      db(engine)
        .collection("messages")
        .find({ channelId: channels[random(CHANNELS)]! })
        .sort({ seq: -1 })
        .limit(50)
        .toArray(),
  },
  "a document by _id": {
    run: (engine) =>
      db(engine)
        .collection("channels")
        .findOne({ _id: channels[random(CHANNELS)]! }),
  },
  "a document by two fields": {
    run: (engine) =>
      db(engine)
        .collection("members")
        .findOne({ groupId: channels[random(CHANNELS)]!, userId: users[random(CHANNELS)]! }),
  },
};

/** The CPU of all threads of the server so far. */
function cpuMicros({ server }: Engine): number {
  const tasks = `/proc/${server.process.pid}/task`;
  const nanos = fs
    .readdirSync(tasks)
    .map((task) => Number(fs.readFileSync(`${tasks}/${task}/schedstat`, "utf8").split(" ")[0]));
  return nanos.reduce((sum, value) => sum + value, 0) / 1000;
}

/** The server CPU of one document of an operation in microseconds. */
async function measure(engine: Engine, { run, inFlight = 4, documents = 1 }: Operation): Promise<number> {
  const before = cpuMicros(engine);
  let left = Math.max(20, PER_ROUND / documents);
  const done = left * documents;
  const worker = async () => {
    while (left-- > 0) await run(engine);
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  return (cpuMicros(engine) - before) / done;
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

const engines = [await open(), ...(OTHER_MAIN === undefined ? [] : [await open(OTHER_MAIN)])];
for (const [name, operation] of Object.entries(operations)) {
  const times = engines.map((): number[] => []);
  for (let round = -3; round < ROUNDS; round++)
    for (const [i, engine] of engines.entries()) {
      const micros = await measure(engine, operation);
      if (round >= 0) times[i]!.push(micros);
    }
  const [own, other] = times.map(median);
  const compared =
    other === undefined ? "" : `, other ${other.toFixed(0)} µs, ratio ${(own! / other).toFixed(2)}`;
  console.log(`${name.padEnd(34)} ${own!.toFixed(0)} µs${compared}`);
}
for (const { server, client, dir } of engines) {
  await client.close();
  await server.stop();
  fs.rmSync(dir, { recursive: true });
}

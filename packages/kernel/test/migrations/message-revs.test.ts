import { mongo } from "mongoose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migrate } from "../../src/migrations/migrate.ts";
import type { Migration } from "../../src/migrations/migration.ts";
import { messageRevs } from "../../src/migrations/steps/0001-message-revs.ts";
import { dbOf, RecordedReport, optionsOf, startDatabase, type TestDatabase } from "./database.ts";

let database: TestDatabase;

beforeAll(async () => {
  database = await startDatabase();
});

afterAll(() => database.close());

const CHANNELS = 40;

interface Entry {
  channelId: mongo.ObjectId;
  seq: number;
  rev: number;
  revs: number[];
  deletedAt: Date | null;
}

/** Channels of up to 200 messages as the first version left them: with edits, and with gaps where it was killed. */
async function fill(db: mongo.Db): Promise<void> {
  const messages: mongo.Document[] = [];
  const heads: mongo.Document[] = [];
  for (let n = 0; n < CHANNELS; n++) {
    const channelId = new mongo.ObjectId();
    const own: { seq: number; rev: number; content: string }[] = [];
    let rev = 0;
    for (let seq = 1; seq <= 5 * n + 1; seq++) {
      rev += 1;
      const isLost = seq % 7 === 3;
      if (!isLost) own.push({ seq, rev, content: `${seq}` });
      // Every fifth change is an edit, which leaves the message's earlier rev unused.
      if (seq % 5 === 0) own[(seq * 31) % own.length]!.rev = ++rev;
    }
    const createdAt = new Date();
    messages.push(
      ...own.map((one) => ({ ...one, channelId, createdAt, deletedAt: null, nonce: one.content })),
    );
    heads.push({ _id: channelId, seq: 5 * n + 1, rev: rev + (n % 3), pending: {}, confirmedAt: createdAt });
  }
  await db.collection("messages").insertMany(messages);
  await db
    .collection("channelHeads")
    .insertMany([...heads, { _id: new mongo.ObjectId(), seq: 3, rev: 3, pending: {} }]);
}

/** Violations of the invariants in ADR 4. */
async function violationsOf(db: mongo.Db): Promise<string[]> {
  const violations: string[] = [];
  const heads = await db.collection("channelHeads").find().toArray();
  if (heads.length !== CHANNELS) violations.push(`there are ${heads.length} heads`);
  for (const { _id: channelId, ...head } of heads) {
    const found = await db.collection<Entry>("messages").find({ channelId }).sort({ seq: 1 }).toArray();
    const revs = found.flatMap((entry) => entry.revs ?? []).toSorted((a, b) => a - b);
    const expected = { seq: found.length, rev: revs.length };
    if (JSON.stringify(head) !== JSON.stringify(expected)) violations.push(`head ${JSON.stringify(head)}`);
    if (found.some(({ seq }, n) => seq !== n + 1)) violations.push("a seq is missing");
    if (revs.some((rev, n) => rev !== n + 1)) violations.push("a rev is missing or there twice");
    if (found.some((entry) => entry.rev !== entry.revs?.at(-1)))
      violations.push("a rev is not that of the last change");
    if (found.some(({ seq, deletedAt }) => (seq % 7 === 3) !== (deletedAt !== null)))
      violations.push("a message is deleted");
  }
  return violations;
}

test("messages get all their revs, and missing messages become deleted ones", async () => {
  const connection = await database.connect("revs");
  const db = dbOf(connection);
  await fill(db);
  expect(await violationsOf(db)).not.toEqual([]);
  await migrate(connection, optionsOf({ migrations: [messageRevs] }));
  expect(await violationsOf(db)).toEqual([]);
});

test("interruptions at any point don't change the result", { tags: "long" }, async () => {
  for (let stop = 1; stop <= 5; stop++) {
    const connection = await database.connect(`stop-${stop}`);
    const db = dbOf(connection);
    await fill(db);
    let calls = 0;
    const breaking: Migration = {
      name: messageRevs.name,
      run: (job) =>
        messageRevs.run({
          ...job,
          async reached(cursor, documents) {
            calls += 1;
            if (calls === stop) throw new Error("interrupted");
            await job.reached(cursor, documents);
          },
        }),
    };
    await expect(migrate(connection, optionsOf({ migrations: [breaking] }))).rejects.toThrow("interrupted");
    await migrate(connection, optionsOf({ migrations: [messageRevs] }));
    expect(await violationsOf(db), `interrupted at ${stop}`).toEqual([]);
  }
});

/** Wraps a database so that `meanwhile` runs before every write to one collection. */
function slowed(db: mongo.Db, slow: string, meanwhile: () => Promise<void>): mongo.Db {
  const delayed = (collection: mongo.Collection): mongo.Collection => {
    for (const method of ["bulkWrite", "insertMany"] as const) {
      const write = collection[method].bind(collection) as (...args: unknown[]) => Promise<never>;
      collection[method] = async (...args: unknown[]) => {
        await meanwhile();
        return write(...args);
      };
    }
    return collection;
  };
  return new Proxy(db, {
    get(target, name) {
      const found: unknown = Reflect.get(target, name, target);
      if (typeof found !== "function") return found;
      return (...args: unknown[]) => {
        const result: unknown = Reflect.apply(found, target, args);
        return name === "collection" && args[0] === slow ? delayed(result as mongo.Collection) : result;
      };
    },
  });
}

for (const slow of ["channelHeads", "messages"])
  test(
    `a process suspended before writing ${slow}, while another one finished, reverts nothing`,
    { tags: slow === "messages" ? [] : "long" },
    async () => {
      const connection = await database.connect(`suspended-${slow}`);
      const db = dbOf(connection);
      await fill(db);
      const heads = db.collection<{ seq: number; rev: number }>("channelHeads");
      let isDone = false;
      const meanwhile = async (): Promise<void> => {
        if (isDone) return;
        isDone = true;
        const other = await database.connect(`suspended-${slow}`);
        await migrate(other, optionsOf({ migrations: [messageRevs], isAlone: true }));
        await heads.updateMany({}, { $inc: { seq: 5, rev: 5 } });
      };
      const suspended: Migration = {
        name: messageRevs.name,
        run: (job) => messageRevs.run({ ...job, db: slowed(job.db, slow, meanwhile) }),
      };
      const report = new RecordedReport();
      await migrate(connection, optionsOf({ migrations: [suspended], report }));
      expect(report.warned).toEqual([expect.stringContaining("another process took over")]);
      const found = await heads.find().toArray();
      expect(found).toHaveLength(CHANNELS);
      for (const { _id: channelId, seq } of found)
        expect(seq).toBe((await db.collection("messages").countDocuments({ channelId })) + 5);
    },
  );

test("channels whose oldest messages expired stay unchanged", async () => {
  const connection = await database.connect("retained");
  const messages = dbOf(connection).collection("messages");
  const channelId = new mongo.ObjectId();
  await messages.insertMany([9, 10].map((n) => ({ channelId, seq: n, rev: n, revs: [n] })));
  await migrate(connection, optionsOf({ migrations: [messageRevs] }));
  expect(await messages.countDocuments()).toBe(2);
});

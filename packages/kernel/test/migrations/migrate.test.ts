import type { mongo } from "mongoose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migrate, planMigrations } from "../../src/migrations/migrate.ts";
import { inBatches, type Migration } from "../../src/migrations/migration.ts";
import { dbOf, RecordedReport, optionsOf, startDatabase, type TestDatabase } from "./database.ts";

let database: TestDatabase;

beforeAll(async () => {
  database = await startDatabase();
});

afterAll(() => database.close());

/** Records each run; can be made to fail. */
const noting = (name: string, run: Migration["run"] = async () => undefined): Migration => ({
  name,
  async run(job) {
    await job.db.collection("runs").insertOne({ migration: name });
    await run(job);
  },
});

const runsOf = async (db: mongo.Db): Promise<string[]> =>
  (await db.collection("runs").find().toArray()).map((run) => String(run["migration"]));

test("runs migrations in order, once, and records version and time", async () => {
  const connection = await database.connect("order");
  const migrations = [noting("0001-first"), noting("0002-second")];
  await migrate(connection, optionsOf({ migrations: migrations.slice(0, 1) }));
  await migrate(connection, optionsOf({ migrations, version: "1.3.0" }));
  await migrate(connection, optionsOf({ migrations, version: "1.4.0" }));
  expect(await runsOf(dbOf(connection))).toEqual(["0001-first", "0002-second"]);
  const { records, pending } = await planMigrations(connection, { version: "1.4.0", migrations });
  expect(pending).toEqual([]);
  expect(records).toMatchObject([
    { _id: "0001-first", state: "done", version: "1.2.0", durationMs: expect.any(Number) as number },
    { _id: "0002-second", state: "done", version: "1.3.0", finishedAt: expect.any(Date) as Date },
  ]);
});

test("if several processes start together, one runs each migration and the others wait", async () => {
  const migrations = [1, 2, 3].map((n) =>
    // Long enough for the waiting process to poll again.
    noting(`000${n}-slow`, () => new Promise((resolve) => setTimeout(resolve, 400))),
  );
  // The lease was held before.
  await migrate(await database.connect("together"), optionsOf({ migrations: [noting("0000-before")] }));
  const connections = await Promise.all(Array.from({ length: 5 }, () => database.connect("together")));
  const done = await Promise.all(
    connections.map(async (connection, n) => {
      const report = new RecordedReport();
      await migrate(connection, optionsOf({ migrations, holder: `process ${n}`, report }));
      const { pending } = await planMigrations(connection, { version: "1.2.0", migrations });
      return { pending, report };
    }),
  );
  expect(done.map(({ pending }) => pending)).toEqual([[], [], [], [], []]);
  expect(await runsOf(dbOf(connections[0]!))).toEqual(["0000-before", "0001-slow", "0002-slow", "0003-slow"]);
  const waited = done.filter(({ report }) =>
    report.states.some((state) => state.startsWith("another process")),
  );
  expect(waited).toHaveLength(4);
});

test("resumes a failed migration where it stopped", async () => {
  const connection = await database.connect("fails");
  const db = dbOf(connection);
  await db.collection("things").insertMany(Array.from({ length: 2500 }, () => ({ n: 0 })));
  let batches = 0;
  const migrations: Migration[] = [
    {
      name: "0001-count",
      run: (job) =>
        inBatches(job, "things", {}, { n: 1 }, async (documents) => {
          batches += 1;
          if (batches === 2) throw new Error("the second batch fails");
          return documents.map(({ _id }) => ({ updateOne: { filter: { _id }, update: { $inc: { n: 1 } } } }));
        }),
    },
  ];
  const options = optionsOf({ migrations });
  await expect(migrate(connection, options)).rejects.toThrow("the second batch fails");
  const [stopped] = (await planMigrations(connection, options)).records;
  expect(stopped).toMatchObject({ state: "running", documents: 1000, expected: 2500 });
  await migrate(connection, options);
  expect(batches).toBe(4);
  expect(await db.collection("things").distinct("n")).toEqual([1]);
  const report = options.report as RecordedReport;
  expect(report.logged).toContain('migration resumed {"migration":"0001-count","documents":1000}');
  expect(report.states).toContain("0001-count (80 % of 2500 documents)");
});

test("rejects versions that are too old for the database, but not compatible older ones", async () => {
  const connection = await database.connect("newer");
  const migrations = [noting("0001-harmless"), { ...noting("0002-harmful"), oldestProgram: "2.0.0" }];
  await migrate(connection, optionsOf({ migrations: migrations.slice(0, 1), version: "2.0.0" }));
  await migrate(connection, optionsOf({ version: "1.2.0" }));
  await migrate(connection, optionsOf({ migrations, version: "2.1.0" }));
  await expect(migrate(connection, optionsOf({ version: "1.2.0" }))).rejects.toThrow(
    "Fanfare 2.1.0 has changed this database (0002-harmful) so that it requires version 2.0.0 or newer; this is 1.2.0. " +
      "Start 2.0.0 or newer, or restore a backup from before the upgrade.",
  );
  await expect(migrate(connection, optionsOf({ version: "2.0.0-rc.1" }))).rejects.toThrow("Start 2.0.0");
  await migrate(connection, optionsOf({ version: "2.0.0" }));
});

test("a process that must not migrate rejects with the pending steps", async () => {
  const connection = await database.connect("not-automatic");
  const options = optionsOf({ migrations: [noting("0001-first")], isAutomatic: false });
  await expect(migrate(connection, options)).rejects.toThrow("must be migrated (migrations: 0001-first)");
  await migrate(connection, { ...options, isAutomatic: true });
  await migrate(connection, options);
});

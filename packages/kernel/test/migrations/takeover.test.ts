import { spawn, type ChildProcess } from "node:child_process";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { mongo } from "mongoose";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { MigrationRecord } from "../../src/migrations/history.ts";
import { dbOf, startDatabase, type TestDatabase } from "./database.ts";

const PROGRAM = fileURLToPath(new URL("migrating-process.ts", import.meta.url));
const DOCUMENTS = 15_000;

let database: TestDatabase;
const children: ChildProcess[] = [];

beforeAll(async () => {
  database = await startDatabase();
});

afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  await database.close();
});

interface Outcome {
  code: number | null;
  logged: string[];
  warned: string[];
  error: string;
}

/** @param batches after so many, it waits forever */
function start(
  dbName: string,
  holder: string,
  ...batches: string[]
): { child: ChildProcess; ended: Promise<Outcome> } {
  const child = spawn(process.execPath, [PROGRAM, database.uri, dbName, holder, ...batches], {
    stdio: "pipe",
  });
  children.push(child);
  const code = new Promise<number | null>((resolve) => child.once("close", resolve));
  const ended = Promise.all([code, text(child.stdout), text(child.stderr)]).then(([ending, out, error]) => ({
    code: ending,
    error,
    ...(out === "" ? { logged: [], warned: [] } : (JSON.parse(out) as Pick<Outcome, "logged" | "warned">)),
  }));
  return { child, ended };
}

const recordOf = (db: mongo.Db): Promise<MigrationRecord | null> =>
  db.collection<MigrationRecord>("migrations").findOne({ _id: "0001-slow" });

async function fill(db: mongo.Db): Promise<void> {
  await db.collection("things").insertMany(Array.from({ length: DOCUMENTS }, (_, n) => ({ n })));
}

/** Waits until the first process is in the middle of the migration. */
async function untilInProgress(db: mongo.Db): Promise<void> {
  while (((await recordOf(db))?.documents ?? 0) < 3000) await delay(20);
}

async function expectDone(db: mongo.Db): Promise<void> {
  const record = await recordOf(db);
  expect(record?.state).toBe("done");
  // Two concurrent migrations would have processed some documents twice.
  expect(record?.documents).toBeLessThanOrEqual(DOCUMENTS);
  expect(await db.collection("things").countDocuments({ visits: 1 })).toBe(DOCUMENTS);
}

test("when the migrating process is killed, another one resumes", { tags: "long" }, async () => {
  const db = dbOf(await database.connect("killed"));
  await fill(db);
  const first = start("killed", "first", "3");
  await untilInProgress(db);
  const second = start("killed", "second");
  await delay(500);
  first.child.kill("SIGKILL");
  expect((await first.ended).code).toBeNull();
  expect((await recordOf(db))?.state).toBe("running");
  const { code, logged, error } = await second.ended;
  expect({ code, error }).toEqual({ code: 0, error: "" });
  const resumed = logged.find((line) => line.startsWith("migration resumed"));
  expect(Number(/"documents":(\d+)/.exec(resumed ?? "")?.[1])).toBeGreaterThanOrEqual(3000);
  await expectDone(db);
});

test(
  "a suspended process that was taken over writes nothing more, and continues when the other is done",
  { tags: "long" },
  async () => {
    const db = dbOf(await database.connect("frozen"));
    await fill(db);
    const first = start("frozen", "first");
    await untilInProgress(db);
    first.child.kill("SIGSTOP");
    const second = start("frozen", "second");
    while ((await recordOf(db))?.fence !== 2) await delay(20);
    first.child.kill("SIGCONT");
    const outcomes = await Promise.all([first.ended, second.ended]);
    expect(outcomes.map(({ code, error }) => ({ code, error }))).toEqual([
      { code: 0, error: "" },
      { code: 0, error: "" },
    ]);
    expect(outcomes[0].warned).toEqual([expect.stringContaining("another process took over")]);
    await expectDone(db);
  },
);

test("of two processes that start together, only one migrates", { tags: "long" }, async () => {
  const db = dbOf(await database.connect("both"));
  await fill(db);
  const both = [start("both", "first"), start("both", "second")];
  const outcomes = await Promise.all(both.map(({ ended }) => ended));
  expect(outcomes.map(({ code }) => code)).toEqual([0, 0]);
  const starts = outcomes.flatMap(({ logged }) =>
    logged.filter((line) => line.startsWith("migration started")),
  );
  expect(starts).toHaveLength(1);
  await expectDone(db);
});

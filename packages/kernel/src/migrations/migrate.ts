import { setTimeout as delay } from "node:timers/promises";
import type { Connection, mongo } from "mongoose";
import { lt } from "semver";
import { History, type MigrationRecord } from "./history.ts";
import { compareIndexes, dropIndexes, makeIndexes, shownIndex, type IndexDifferences } from "./indexes.ts";
import { Leases, type Lease, type LeaseTimes } from "./lease.ts";
import {
  DatabaseNotMigratedError,
  DatabaseTooNewError,
  LeaseLostError,
  type Migration,
  type Report,
} from "./migration.ts";
import { MIGRATIONS } from "./migrations.ts";

const POLL_MS = 500;
const REPORT_EVERY_MS = 5000;
const LEASE_TIMES: LeaseTimes = { beatMs: 2000, lostAfterMs: 15_000 };

export interface MigrateOptions {
  /** Of this program. */
  version: string;
  /** A readable name of this process, stored in the lease. */
  holder: string;
  /** Whether no other process can have the database open, as with the embedded one. */
  isAlone: boolean;
  /** Whether indexes that no model declares any more are removed. In a cluster older processes may still want them. */
  removesIndexes: boolean;
  /** false: fails if there is something to do. */
  isAutomatic: boolean;
  report: Report;
  migrations?: readonly Migration[];
  leaseTimes?: LeaseTimes;
}

/** The pending work. */
export interface Plan {
  /** Of all migrations that were begun, of newer programs too. */
  records: MigrationRecord[];
  pending: Migration[];
  indexes: IndexDifferences;
  /** Whether a newer program has migrated this database: unknown indexes may belong to it. */
  isOutdated: boolean;
}

/**
 * Determines the pending work without writing.
 * @throws {DatabaseTooNewError}
 */
export async function planMigrations(
  connection: Connection,
  { version, migrations = MIGRATIONS }: Pick<MigrateOptions, "version" | "migrations">,
): Promise<Plan> {
  const history = new History(databaseOf(connection));
  const [records, indexes] = await Promise.all([history.list(), compareIndexes(connection)]);
  assertNotTooNew(records, migrations, version);
  const done = new Set(records.filter(({ state }) => state === "done").map(({ _id }) => _id));
  const known = new Set(migrations.map(({ name }) => name));
  return {
    records,
    pending: migrations.filter(({ name }) => !done.has(name)),
    indexes,
    isOutdated: records.some(({ _id }) => !known.has(_id)),
  };
}

/**
 * Runs the pending migrations, then creates the indexes declared by the connection's models.
 * Of several processes one does it, and the others wait here until it is done; when that one dies, another goes on.
 * @throws {DatabaseTooNewError} when a newer program has made it unfit for this one
 * @throws {DatabaseNotMigratedError} when something is to be done and `isAutomatic` is false
 * @throws {DatabaseDuplicatesError} when a unique index cannot be made
 */
export async function migrate(connection: Connection, options: MigrateOptions): Promise<void> {
  const { holder, isAlone, isAutomatic, leaseTimes = LEASE_TIMES, report } = options;
  const leases = new Leases(databaseOf(connection), holder, leaseTimes);
  for (;;) {
    const plan = await planMigrations(connection, options);
    if (isDone(plan, options)) return noteObsolete(plan, options);
    if (!isAutomatic) throw new DatabaseNotMigratedError(refusal(plan));
    const lease = await leases.take(isAlone);
    if (lease === null) {
      report.state(`another process prepares the database: ${underWay(plan)}`);
      await delay(POLL_MS);
      continue;
    }
    try {
      // Another may have been at it until just now.
      await work(connection, await planMigrations(connection, options), lease, options);
    } catch (error) {
      // What the other has done may be what this one failed at.
      if (!(error instanceof LeaseLostError) && !(await lease.wasTaken())) throw error;
      report.warn("another process has taken over the migration of the database", {});
    } finally {
      await lease.release();
    }
  }
}

async function work(
  connection: Connection,
  { pending, indexes, isOutdated }: Plan,
  lease: Lease,
  options: MigrateOptions,
): Promise<void> {
  const db = databaseOf(connection);
  const { version, report } = options;
  await runPending(db, pending, { history: new History(db), lease, version, report });
  // A migration may have removed some.
  const { missing, obsolete } = pending.length === 0 ? indexes : await compareIndexes(connection);
  await makeIndexes(missing, report);
  if (options.removesIndexes && !isOutdated) await dropIndexes(obsolete, report);
}

function isDone({ pending, indexes, isOutdated }: Plan, { removesIndexes }: MigrateOptions): boolean {
  return (
    pending.length === 0 &&
    indexes.missing.length === 0 &&
    (!removesIndexes || isOutdated || indexes.obsolete.length === 0)
  );
}

function noteObsolete({ indexes: { obsolete }, isOutdated }: Plan, { report }: MigrateOptions): void {
  if (obsolete.length === 0 || isOutdated) return;
  report.warn(
    "there are indexes that this version does not use: `fanfare migrate` removes them when no older one runs",
    {
      indexes: obsolete.map(shownIndex),
    },
  );
}

function refusal({ pending, indexes: { missing } }: Plan): string {
  const steps = [
    ...(pending.length > 0 ? [`migrations: ${pending.map(({ name }) => name).join(", ")}`] : []),
    ...(missing.length > 0 ? [`indexes to be made: ${missing.length}`] : []),
  ];
  return (
    `The database is to be migrated first (${steps.join("; ")}), and MIGRATE_ON_START says not to do it at start. ` +
    "Make a backup and run `fanfare migrate` (--dry-run says what it would do)."
  );
}

function underWay({ records, pending }: Plan): string {
  const running = records.find(({ state }) => state === "running");
  if (running !== undefined) return shownProgress(running._id, running.documents, running.expected);
  return pending[0]?.name ?? "indexes";
}

function databaseOf(connection: Connection): mongo.Db {
  return connection.getClient().db(connection.name);
}

/**
 * Migrations of newer programs are no obstacle unless they say so.
 * @throws {DatabaseTooNewError}
 */
function assertNotTooNew(
  records: readonly MigrationRecord[],
  known: readonly Migration[],
  version: string,
): void {
  const names = new Set(known.map(({ name }) => name));
  for (const { _id, oldestProgram, version: by } of records) {
    if (names.has(_id) || oldestProgram === undefined || !lt(version, oldestProgram)) continue;
    throw new DatabaseTooNewError(
      `Fanfare ${by} has changed this database (${_id}) so that only ${oldestProgram} or newer may work on it; this is ${version}. ` +
        `Start ${oldestProgram} or newer, or restore a backup that was made before.`,
    );
  }
}

/**
 * Runs migrations one after the other.
 * @throws {LeaseLostError} when another process has taken over
 */
async function runPending(
  db: mongo.Db,
  pending: readonly Migration[],
  { history, lease, version, report }: { history: History; lease: Lease; version: string; report: Report },
): Promise<void> {
  for (const migration of pending) {
    const { name } = migration;
    const record = await history.begin(migration, version, lease.fence);
    let { documents, expected } = record;
    let reportedAt = performance.now();
    const isResumed = record.cursor !== undefined;
    report.log(isResumed ? "a migration goes on" : "a migration begins", { migration: name, documents });
    report.state(shownProgress(name, documents, expected));
    await migration.run({
      db,
      resumeFrom: record.cursor,
      async expect(count) {
        expected = documents + count;
        await history.expect(name, lease.fence, expected);
      },
      async reached(cursor, more) {
        if (lease.isLost()) throw new LeaseLostError();
        await history.progress(name, lease.fence, cursor, more);
        documents += more;
        report.state(shownProgress(name, documents, expected));
        if (performance.now() - reportedAt < REPORT_EVERY_MS) return;
        reportedAt = performance.now();
        report.log("a migration is under way", { migration: name, documents, expected });
      },
    });
    await history.finish(record, lease.fence);
    const durationMs = Date.now() - record.startedAt.getTime();
    report.log("a migration is done", { migration: name, documents, durationMs });
  }
}

/** Such as `0001-message-revs (45 % of 1000000 documents)`. */
function shownProgress(name: string, documents: number, expected: number | undefined): string {
  if (expected === undefined || expected === 0) return `${name} (${documents} documents so far)`;
  const percent = Math.min(100, Math.floor((documents / expected) * 100));
  return `${name} (${percent} % of ${expected} documents)`;
}

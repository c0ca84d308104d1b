import { hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import type { Connection, mongo } from "mongoose";
import { lt } from "semver";
import { History, type MigrationRecord } from "./history.ts";
import { compareIndexes, dropIndexes, createIndexes, shownIndex, type IndexDifferences } from "./indexes.ts";
import { Leases, type Lease, type LeaseTimes } from "./lease.ts";
import type { Config } from "../config.ts";
import type { Database } from "../database.ts";
import { StartError } from "../errors.ts";
import type { Logger } from "../logger.ts";
import { PROGRAM_VERSION } from "../program-version.ts";
import { LeaseLostError, type Migration, type Report } from "./migration.ts";
import { messageRevs } from "./steps/0001-message-revs.ts";
import {
  directActivity,
  searchableNames,
  formerMembers,
  emailClaims,
  channelRemovalJobs,
  botCallbackJobs,
  searchIndex,
  emojiPermission,
  nicknamePermissions,
  callPermissions,
  changedThreads,
} from "./steps/0002-to-0012.ts";

export { shownIndex };

/** All migrations in order. Never change, rename or remove a released one. */
const MIGRATIONS: readonly Migration[] = [
  messageRevs,
  directActivity,
  searchableNames,
  formerMembers,
  emailClaims,
  channelRemovalJobs,
  botCallbackJobs,
  searchIndex,
  emojiPermission,
  nicknamePermissions,
  callPermissions,
  changedThreads,
];

const POLL_MS = 500;
const REPORT_EVERY_MS = 5000;
const LEASE_TIMES: LeaseTimes = { beatMs: 2000, lostAfterMs: 15_000 };

export interface MigrateOptions {
  /** The version of this program. */
  version: string;
  /** A readable name of this process, stored in the lease. */
  holder: string;
  /** Whether no other process can have the database open, as with the embedded one. */
  isAlone: boolean;
  /** Whether to drop indexes that are no longer declared. In a cluster, older processes can still need them. */
  removesIndexes: boolean;
  /** false: reject if there is anything to do. */
  isAutomatic: boolean;
  report: Report;
  migrations?: readonly Migration[];
  leaseTimes?: LeaseTimes;
}

/** A collection that exists while a restore to MongoDB is in progress, or was interrupted. */
export const RESTORE_UNFINISHED = "restoreUnfinished";

/**
 * Rejects a database that a restore has only partly filled.
 * @throws {StartError}
 */
export async function assertRestored(db: mongo.Db): Promise<void> {
  if ((await db.collection(RESTORE_UNFINISHED).countDocuments({}, { limit: 1 })) === 0) return;
  throw new StartError(
    "A restore to this database has not finished. If it was interrupted, run `fanfare restore` again.",
  );
}

/** The pending work. */
export interface Plan {
  /** Of all started migrations, including those of newer versions. */
  records: MigrationRecord[];
  pending: Migration[];
  indexes: IndexDifferences;
  /** Whether a newer version has migrated this database, so that unknown indexes can belong to it. */
  isOutdated: boolean;
}

/**
 * Determines the pending work without writing.
 * @throws {StartError}
 */
export async function planMigrations(
  connection: Connection,
  { version, migrations = MIGRATIONS }: Pick<MigrateOptions, "version" | "migrations">,
): Promise<Plan> {
  await assertRestored(connection.db!);
  const history = new History(connection.db!);
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
 * Runs the pending migrations, then creates the indexes declared by the connection's models. If several processes call it, one does
 * the work while the others wait; if that one crashes, another continues.
 * @throws {StartError} if a newer version has changed the database incompatibly, there is anything to do and `isAutomatic` is
 *   false, or a unique index can't be created
 */
export async function migrate(connection: Connection, options: MigrateOptions): Promise<void> {
  const { holder, isAlone, isAutomatic, leaseTimes = LEASE_TIMES, report } = options;
  const leases = new Leases(connection.db!, holder, leaseTimes);
  for (;;) {
    const plan = await planMigrations(connection, options);
    if (isDone(plan, options)) return warnAboutObsolete(plan, options);
    if (!isAutomatic) throw new StartError(refusal(plan));
    const lease = await leases.take(isAlone);
    if (lease === null) {
      report.state(`another process is migrating the database: ${describeProgress(plan)}`);
      await delay(POLL_MS);
      continue;
    }
    try {
      // Planned again, because another process can have finished in the meantime.
      await work(connection, await planMigrations(connection, options), lease, options);
    } catch (error) {
      // If another process has taken the lease, its changes can have caused the error.
      if (!(error instanceof LeaseLostError) && !(await lease.wasTaken())) throw error;
      report.warn("another process took over the migration", {});
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
  const db = connection.db!;
  const { version, report } = options;
  await runPending(db, pending, { history: new History(db), lease, version, report });
  // Migrations can drop indexes.
  const { missing, obsolete } = pending.length === 0 ? indexes : await compareIndexes(connection);
  await createIndexes(missing, report);
  if (options.removesIndexes && !isOutdated) await dropIndexes(obsolete, report);
}

function isDone({ pending, indexes, isOutdated }: Plan, { removesIndexes }: MigrateOptions): boolean {
  return (
    pending.length === 0 &&
    indexes.missing.length === 0 &&
    (!removesIndexes || isOutdated || indexes.obsolete.length === 0)
  );
}

function warnAboutObsolete({ indexes: { obsolete }, isOutdated }: Plan, { report }: MigrateOptions): void {
  if (obsolete.length === 0 || isOutdated) return;
  report.warn("unused indexes found, run `fanfare migrate` to drop them once no older version is running", {
    indexes: obsolete.map(shownIndex),
  });
}

function refusal({ pending, indexes: { missing } }: Plan): string {
  const steps = [
    ...(pending.length > 0 ? [`migrations: ${pending.map(({ name }) => name).join(", ")}`] : []),
    ...(missing.length > 0 ? [`indexes to create: ${missing.length}`] : []),
  ];
  return (
    `The database must be migrated (${steps.join("; ")}), but MIGRATE_ON_START is off. ` +
    "Make a backup, then run `fanfare migrate` (--dry-run shows the steps)."
  );
}

function describeProgress({ records, pending }: Plan): string {
  const running = records.find(({ state }) => state === "running");
  if (running !== undefined) return shownProgress(running._id, running.documents, running.expected);
  return pending[0]?.name ?? "indexes";
}

/**
 * Checks `oldestProgram` of migrations by newer versions.
 * @throws {StartError}
 */
function assertNotTooNew(
  records: readonly MigrationRecord[],
  known: readonly Migration[],
  version: string,
): void {
  const names = new Set(known.map(({ name }) => name));
  for (const { _id, oldestProgram, version: by } of records) {
    if (names.has(_id) || oldestProgram === undefined || !lt(version, oldestProgram)) continue;
    throw new StartError(
      `Fanfare ${by} has changed this database (${_id}) so that it requires version ${oldestProgram} or newer; this is ${version}. ` +
        `Start ${oldestProgram} or newer, or restore a backup from before the upgrade.`,
    );
  }
}

/**
 * Runs migrations one at a time.
 * @throws {LeaseLostError} if another process has taken over
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
    report.log(isResumed ? "migration resumed" : "migration started", { migration: name, documents });
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
        report.log("migration in progress", { migration: name, documents, expected });
      },
    });
    await history.finish(record, lease.fence);
    const durationMs = Date.now() - record.startedAt.getTime();
    report.log("migration finished", { migration: name, documents, durationMs });
  }
}

/** Such as `0001-message-revs (45 % of 1000000 documents)`. */
function shownProgress(name: string, documents: number, expected: number | undefined): string {
  if (expected === undefined || expected === 0) return `${name} (${documents} documents so far)`;
  const percent = Math.min(100, Math.floor((documents / expected) * 100));
  return `${name} (${percent} % of ${expected} documents)`;
}

/**
 * Migrates the database and creates the indexes of all models declared by the services of this process: docs/internals/migrations.md.
 * Resolves when this or another process has finished.
 * @param reportState called with the current step
 * @throws {StartError} if the operator has to act
 */
export async function prepareDatabase(
  { connection, engine }: Database,
  { migrateOnStart }: Pick<Config, "migrateOnStart">,
  logger: Logger,
  reportState: (doing: string) => void,
): Promise<void> {
  await migrate(connection, {
    version: PROGRAM_VERSION,
    holder: `${hostname()}:${process.pid}`,
    isAlone: engine === "embedded",
    removesIndexes: engine === "embedded",
    isAutomatic: migrateOnStart,
    report: {
      log: (message, fields) => logger.info(fields, message),
      warn: (message, fields) => logger.warn(fields, message),
      state: reportState,
    },
  });
}

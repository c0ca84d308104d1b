import { declareModels, PROGRAM_VERSION, createLogger, type Config } from "@fanfare/kernel";
import type { Database } from "@fanfare/kernel/database";
import { migrate, planMigrations, shownIndex, type Plan, prepareDatabase } from "@fanfare/kernel/migrations";
import { WORKER_FACTORIES } from "@fanfare/node";
import { createGroupService } from "@fanfare/group";
import { createMessageService } from "@fanfare/message";
import { createSearchService } from "@fanfare/search";
import { allChecks, EXIT_FINDINGS_LEFT } from "../check/checks.ts";
import { runChecks } from "../check/run-checks.ts";
import { command } from "../command.ts";
import { loadInstanceConfig, withStoppedInstance, withoutCluster, withNode } from "../open-instance.ts";
import { SEARCH_COLLECTIONS } from "../backup/documents.ts";

export const checkCommand = command({
  command: "check",
  describe: "Check the consistency of the database and the files",
  builder: (yargs) =>
    yargs.option("repair", {
      type: "boolean",
      default: false,
      describe: "Repair what can be repaired without losing user data",
    }),
  async handler({ repair }) {
    const config = loadInstanceConfig();
    const filesDir = config.s3 === undefined ? config.filesDir : undefined;
    const { found, repaired } = await withStoppedInstance(config, ({ db }) =>
      runChecks(db, allChecks(filesDir), repair, console.log),
    );
    const rest = repair
      ? `, repaired: ${repaired}.`
      : ". Pass --repair to repair those that can be repaired.";
    console.log(found === 0 ? "No problems found." : `Problems found: ${found}${rest}`);
    if (found > repaired) process.exitCode = EXIT_FINDINGS_LEFT;
  },
});

export const migrateCommand = command({
  command: "migrate",
  describe: "Migrate the database to this version (this also happens at startup)",
  builder: (yargs) =>
    yargs
      .option("dry-run", { type: "boolean", describe: "Show pending migrations without running them" })
      .option("status", { type: "boolean", describe: "Show completed and pending migrations" })
      .conflicts("dry-run", "status"),
  async handler({ dryRun, status }) {
    const config = loadInstanceConfig({ canBeNew: true });
    await withStoppedInstance(config, async (database) => {
      declareModels(withoutCluster(config, []), Object.values(WORKER_FACTORIES), database);
      if (dryRun !== true && status !== true) return migrateNow(database);
      const plan = await planMigrations(database.connection, { version: PROGRAM_VERSION });
      if (status === true) for (const line of describeHistory(plan)) console.log(line);
      for (const line of describePending(plan)) console.log(line);
    });
  },
});

async function migrateNow({ connection, engine }: Database): Promise<void> {
  let doing = "";
  const log = (message: string, fields: Record<string, unknown>) =>
    console.log(`${message}: ${shown(fields)}`);
  await migrate(connection, {
    version: PROGRAM_VERSION,
    holder: `fanfare migrate (${process.pid})`,
    isAlone: engine === "embedded",
    removesIndexes: true,
    isAutomatic: true,
    report: {
      log,
      warn: log,
      state(what) {
        // The only sign that another process is migrating.
        if (what !== doing && what.startsWith("another")) console.log(what);
        doing = what;
      },
    },
  });
  console.log("The database is up to date.");
}

function describeHistory({ records }: Plan): string[] {
  return records.map(({ _id, state, version, startedAt, durationMs, documents }) => {
    const started = `${_id}: started ${startedAt.toISOString()} by ${version}`;
    return state === "done"
      ? `${started}, finished in ${durationMs} ms, ${documents} documents`
      : `${started}, not finished, ${documents} documents so far`;
  });
}

function describePending({ pending, indexes: { missing, obsolete }, isOutdated }: Plan): string[] {
  const lines = [
    ...pending.map(({ name }) => `pending migration: ${name}`),
    ...missing.map((index) => `missing index: ${shownIndex(index)}`),
    ...(isOutdated ? [] : obsolete.map((index) => `obsolete index: ${shownIndex(index)}`)),
  ];
  return lines.length === 0 ? ["There is nothing to do."] : lines;
}

function shown(fields: Record<string, unknown>): string {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return given.map(([name, value]) => `${name} ${String(value)}`).join(", ");
}

export const reindexCommand = command({
  command: "reindex",
  describe: "Rebuild all database indexes and the search index",
  async handler() {
    const channels = await reindex(loadInstanceConfig());
    console.log(`Indexes rebuilt. ${channels} channels can be searched.`);
  },
});

/** @returns the number of channels with messages */
export async function reindex(config: Config): Promise<number> {
  const own = withoutCluster(config, []);
  const channelIds = await withStoppedInstance(config, async (database) => {
    const { db } = database;
    for (const name of SEARCH_COLLECTIONS) await db.dropCollection(name);
    declareModels(own, Object.values(WORKER_FACTORIES), database);
    const logger = createLogger(own.logLevel, { environment: own.environment });
    await prepareDatabase(database, config, logger, () => undefined);
    const heads = db.collection("channelHeads").find({}, { projection: { _id: 1 } });
    return heads.map(({ _id }) => _id.toHexString()).toArray();
  });
  // Entries of a thread are stored under its parent, which the group service knows.
  const factories = [createGroupService, createMessageService, createSearchService];
  await withNode(config, ["group", "message", "search"], factories, async ({ services }) => {
    for (const channelId of channelIds) {
      while (!(await services.search.indexChannel({ channelId })).isComplete);
    }
  });
  return channelIds.length;
}

import { declareModels, PROGRAM_VERSION } from "@fanfare/kernel";
import type { Database } from "@fanfare/kernel/database";
import { migrate, planMigrations, shownIndex, type Plan } from "@fanfare/kernel/migrations";
import { WORKER_FACTORIES } from "@fanfare/node";
import { command } from "../command.ts";
import { loadInstanceConfig, withoutCluster, withStoppedInstance } from "../open-instance.ts";

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

import { declareModels, loadConfig, PROGRAM_VERSION, type Config } from "@fanfare/kernel";
import { migrate, planMigrations, shownIndex, type Plan } from "@fanfare/kernel/migrations";
import { WORKER_FACTORIES } from "@fanfare/node";
import type { CommandModule } from "yargs";
import { withoutCluster, withStoppedInstance } from "../open-instance.ts";

interface Arguments {
  "dry-run"?: boolean | undefined;
  status?: boolean | undefined;
}

export const migrateCommand: CommandModule<object, Arguments> = {
  command: "migrate",
  describe: "Migrate the database to this version (this also happens at startup)",
  builder: (yargs) =>
    yargs
      .option("dry-run", {
        type: "boolean",
        describe: "Show pending migrations without running them",
      })
      .option("status", {
        type: "boolean",
        describe: "Show completed and pending migrations",
      })
      .conflicts("dry-run", "status"),
  async handler({ "dry-run": isDryRun, status }) {
    const say = (line: string): void => void process.stdout.write(`${line}\n`);
    if (isDryRun !== true && status !== true) return migrateNow(loadConfig(), say);
    const plan = await planOf(loadConfig());
    if (status === true) for (const line of describeHistory(plan)) say(line);
    for (const line of describePending(plan)) say(line);
  },
};

async function planOf(config: Config): Promise<Plan> {
  return withStoppedInstance(config, (database) => {
    declareModels(withoutCluster(config, []), Object.values(WORKER_FACTORIES), database);
    return planMigrations(database.connection, { version: PROGRAM_VERSION });
  });
}

async function migrateNow(config: Config, say: (line: string) => void): Promise<void> {
  let doing = "";
  const report = {
    log: (message: string, fields: Record<string, unknown>) => say(`${message}: ${shown(fields)}`),
    warn: (message: string, fields: Record<string, unknown>) => say(`${message}: ${shown(fields)}`),
    state: (what: string): void => {
      // The only sign that another process is migrating.
      if (what !== doing && what.startsWith("another")) say(what);
      doing = what;
    },
  };
  await withStoppedInstance(config, async (database) => {
    declareModels(withoutCluster(config, []), Object.values(WORKER_FACTORIES), database);
    await migrate(database.connection, {
      version: PROGRAM_VERSION,
      holder: `fanfare migrate (${process.pid})`,
      isAlone: database.engine === "embedded",
      removesIndexes: true,
      isAutomatic: true,
      report,
    });
  });
  say("The database is up to date.");
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

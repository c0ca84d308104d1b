import { createGroupService } from "@fanfare/group";
import { type Config, createLogger, declareModels, type NodeContext, PROGRAM_VERSION } from "@fanfare/kernel";
import type { Database } from "@fanfare/kernel/database";
import { migrate, type Plan, planMigrations, prepareDatabase, shownIndex } from "@fanfare/kernel/migrations";
import { createMessageService } from "@fanfare/message";
import { WORKER_FACTORIES } from "@fanfare/node";
import { createSearchService } from "@fanfare/search";
import type { mongo } from "mongoose";
import { SEARCH_COLLECTIONS } from "../backup/format.ts";
import { allChecks, EXIT_FINDINGS_LEFT, runChecks } from "../check/checks.ts";
import { CliError, command } from "../command.ts";
import {
  loadInstanceConfig,
  withNode,
  withoutCluster,
  withStoppedInstance,
  withUserNode,
} from "../open-instance.ts";

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

interface Sealed {
  collection: string;
  /** Path of the field; the sealed value is bound to the document's id. */
  field: string;
  purpose: string;
}

const SEALED: readonly Sealed[] = [
  { collection: "users", field: "totp.secret", purpose: "second factor" },
  { collection: "users", field: "totpPending", purpose: "second factor" },
  { collection: "bots", field: "callback.sealedSecret", purpose: "bot callbacks" },
  { collection: "webhooks", field: "sealedSecret", purpose: "webhooks" },
  { collection: "pushKeys", field: "privateKey", purpose: "push notifications" },
];

interface Resealed {
  /** Number of values sealed with the current secret by this run. */
  renewed: number;
  /** Number of values that already were. */
  left: number;
  /** Ids of documents sealed with neither secret. */
  lost: string[];
}

export const resealCommand = command({
  command: "reseal",
  describe: "Re-encrypt stored secrets with TOKEN_SECRET after it was changed",
  async handler() {
    const config = loadInstanceConfig();
    if (config.tokenSecret === undefined || config.tokenSecretPrevious === undefined) {
      throw new CliError("Set TOKEN_SECRET to the new secret and TOKEN_SECRET_PREVIOUS to the previous one.");
    }
    const { renewed, left, lost } = await withUserNode(config, reseal);
    console.log(`Secrets re-encrypted: ${renewed}. Already up to date: ${left}.`);
    if (lost.length === 0) return;
    process.exitCode = 1;
    console.error(["Neither secret can decrypt:", ...lost.map((what) => `  ${what}`)].join("\n"));
    console.error(
      "For users: fanfare reset-totp; bots call bot.subscribe again; set a new secret for webhooks.",
    );
  },
});

/** Reseals values from TOKEN_SECRET_PREVIOUS with TOKEN_SECRET. Idempotent, and can be used beside a running instance. */
async function reseal(node: Pick<NodeContext, "database" | "sealerFor">): Promise<Resealed> {
  const result: Resealed = { renewed: 0, left: 0, lost: [] };
  const db = node.database.db!;
  for (const { collection, field, purpose } of SEALED) {
    const sealer = node.sealerFor(purpose);
    const documents = db.collection(collection);
    const cursor = documents.find({ [field]: { $type: "string" } }, { projection: { [field]: 1 } });
    for await (const document of cursor) {
      const id = String(document._id);
      const stored = valueAt(document, field);
      const opened = sealer.open(stored, id);
      if (opened === null) result.lost.push(`${collection} ${id}`);
      else if (!opened.isOld) result.left += 1;
      else {
        // A concurrent change has already sealed it with the current secret.
        const renewed = { $set: { [field]: sealer.seal(opened.text, id) } };
        await documents.updateOne({ _id: document._id, [field]: stored }, renewed);
        result.renewed += 1;
      }
    }
  }
  return result;
}

function valueAt(document: mongo.Document, path: string): string {
  return path
    .split(".")
    .reduce<unknown>((value, name) => (value as mongo.Document)[name], document) as string;
}

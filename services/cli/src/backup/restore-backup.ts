import { existsSync } from "node:fs";
import { mkdir, open, readdir, rename, rm, rmdir, type FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Config } from "@fanfare/kernel";
import type { mongo } from "mongoose";
import { checkMemberCounts, checkOrphans, unknownFiles } from "../check/checks.ts";
import { checkLog } from "../check/check-log.ts";
import { runChecks } from "../check/run-checks.ts";
import { CliError } from "../command.ts";
import { openStoppedInstance, withStoppedInstance } from "../open-instance.ts";
import { DocumentWriter, listCollections } from "./documents.ts";
import { locationOf, type Folders } from "./files.ts";
import { fileOf, readBackup, verifyBackup } from "./read-backup.ts";

const STAGING = ".restoring";
/** A collection that exists while a restore to MongoDB is in progress or was interrupted. */
const UNFINISHED = "restoreUnfinished";

type Target = Pick<Config, "mongoUrl" | "dataDir" | "filesDir">;
type Fill = (db: mongo.Db, folders: Folders) => Promise<void>;

export interface Restored {
  /** Where previous data was moved to. */
  moved: string[];
  /** Messages about faults in a backup of a running instance, repaired or not. */
  notices: string[];
}

/**
 * Replaces a stopped instance with a backup. The whole backup is verified before anything is written. With the embedded database,
 * everything is created next to the existing data and then renamed, the database last.
 * @throws {CliError} for an incomplete backup, a target that is not empty without `force`, or one in use
 */
export async function restoreBackup(config: Target, file: string, force: boolean): Promise<Restored> {
  const { ofRunning } = await verifyBackup(file);
  const notices: string[] = [];
  const fill = async (db: mongo.Db, folders: Folders): Promise<void> => {
    await apply(file, db, folders);
    if (ofRunning) await repairRestored(db, folders, (line) => notices.push(line));
  };
  const moved =
    config.mongoUrl === undefined
      ? await restoreEmbedded(config, fill, force)
      : await restoreMongo(config, fill, force);
  return { moved, notices };
}

/** Repairs what a crash would leave, and removes files that were deleted while the backup was made. */
async function repairRestored(
  db: mongo.Db,
  { filesDir }: Folders,
  say: (line: string) => void,
): Promise<void> {
  await runChecks(db, [checkOrphans, checkLog, checkMemberCounts], true, say);
  for await (const path of unknownFiles(db, filesDir)) await rm(path);
}

async function restoreEmbedded(config: Target, fill: Fill, force: boolean): Promise<string[]> {
  const { dataDir, filesDir } = config;
  const folder = join(dataDir, "db");
  if (!force && !((await isEmpty(folder)) && (await isEmpty(filesDir)))) throw notEmpty(dataDir);
  if (!(await isEmpty(folder))) await assertStopped(config);
  const staging = join(dataDir, STAGING);
  const staged: Folders = { dataDir: staging, filesDir: `${filesDir}${STAGING}` };
  try {
    await prepare(staged);
    await withStoppedInstance({ mongoUrl: undefined, dataDir: staging }, ({ db }) => fill(db, staged));
    const moved = await replaceFiles(staged, config);
    return [...moved, ...(await replace(join(staging, "db"), folder))];
  } finally {
    await discard(staged);
  }
}

async function restoreMongo(config: Target, fill: Fill, force: boolean): Promise<string[]> {
  const staged: Folders = {
    dataDir: join(config.dataDir, STAGING),
    filesDir: `${config.filesDir}${STAGING}`,
  };
  return withStoppedInstance(config, async ({ db }) => {
    const unfinished = db.collection(UNFINISHED);
    const isInterrupted = (await unfinished.countDocuments({}, { limit: 1 })) > 0;
    const isClear = (await isEmptyDatabase(db)) && (await isEmpty(config.filesDir));
    if (!force && !isInterrupted && !isClear) throw notEmpty("the database of MONGO_URL");
    try {
      await prepare(staged);
      if (!isInterrupted) await unfinished.insertOne({});
      for (const name of await listCollections(db)) if (name !== UNFINISHED) await db.dropCollection(name);
      await fill(db, staged);
      const moved = await replaceFiles(staged, config);
      await db.dropCollection(UNFINISHED);
      return moved;
    } finally {
      await discard(staged);
    }
  });
}

async function apply(file: string, db: mongo.Db, folders: Folders): Promise<void> {
  const writer = new DocumentWriter(db);
  let target: FileHandle | undefined;
  const close = async (): Promise<void> => {
    await target?.sync();
    await target?.close();
    target = undefined;
  };
  try {
    for await (const { kind, payload } of readBackup(file)) {
      if (kind === "C") await writer.begin(payload.toString());
      else if (kind === "D") await writer.add(payload);
      else if (kind === "F") {
        await close();
        const location = locationOf(fileOf(payload).path, folders);
        await mkdir(dirname(location), { recursive: true, mode: 0o700 });
        target = await open(location, "wx", 0o600);
      } else await target!.writeFile(payload);
    }
    await writer.flush();
  } finally {
    await close();
  }
}

async function prepare(staged: Folders): Promise<void> {
  await discard(staged);
  await mkdir(staged.dataDir, { recursive: true, mode: 0o700 });
  await mkdir(staged.filesDir, { recursive: true, mode: 0o700 });
}

async function discard({ dataDir, filesDir }: Folders): Promise<void> {
  await rm(dataDir, { recursive: true, force: true });
  await rm(filesDir, { recursive: true, force: true });
}

async function replaceFiles(staged: Folders, target: Folders): Promise<string[]> {
  const secret = (folders: Folders) => locationOf("token-secret", folders);
  const moved = existsSync(secret(staged)) ? await replace(secret(staged), secret(target)) : [];
  return [...moved, ...(await replace(staged.filesDir, target.filesDir))];
}

/** Moves existing data aside and the new data in its place. @returns the new location of the old data */
async function replace(from: string, to: string): Promise<string[]> {
  const moved: string[] = [];
  // An empty folder needn't be preserved.
  await rmdir(to).catch(() => undefined);
  if (existsSync(to)) {
    let aside = `${to}.before-restore`;
    for (let n = 2; existsSync(aside); n++) aside = `${to}.before-restore-${n}`;
    await rename(to, aside);
    moved.push(aside);
  }
  await rename(from, to);
  return moved;
}

/** A damaged database can be replaced; one in use can't. */
async function assertStopped(config: Target): Promise<void> {
  const database = await openStoppedInstance(config).catch((error: unknown) => {
    if (error instanceof CliError) throw error;
    return null;
  });
  await database?.close();
}

async function isEmptyDatabase(db: mongo.Db): Promise<boolean> {
  for (const name of await listCollections(db)) {
    if ((await db.collection(name).countDocuments({}, { limit: 1 })) > 0) return false;
  }
  return true;
}

async function isEmpty(folder: string): Promise<boolean> {
  return (await readdir(folder).catch(() => [])).length === 0;
}

function notEmpty(what: string): CliError {
  return new CliError(
    `${what} already contains an instance. Pass --force to replace it, or choose an empty one.`,
  );
}

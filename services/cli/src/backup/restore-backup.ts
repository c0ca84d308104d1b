import { existsSync } from "node:fs";
import { copyFile, mkdir, open, readdir, rename, rm, type FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DURABLE, type Config } from "@fanfare/kernel";
import { lockEmbeddedDatabase } from "@fanfare/kernel/database";
import { RESTORE_UNFINISHED } from "@fanfare/kernel/migrations";
import type { mongo } from "mongoose";
import { checkMemberCounts, checkOrphans, runChecks, unknownFiles } from "../check/checks.ts";
import { checkLog } from "../check/check-log.ts";
import { CliError } from "../command.ts";
import { explainInUse, hasDatabase, withStoppedInstance } from "../open-instance.ts";
import { DocumentWriter, listCollections } from "./format.ts";
import { ASIDE, entriesIn, locationOf, STAGING, type Folders } from "./files.ts";
import { fileOf, readBackup, verifyBackup } from "./read-backup.ts";

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
 * everything is created beside the existing data and then moved. No instance starts on data of which only a part was moved.
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
  const isClear = !hasDatabase(config) && (await entriesIn(filesDir)).length === 0;
  if (!force && !isClear) throw notEmpty(dataDir);
  // No instance can start meanwhile.
  const lock = await lockEmbeddedDatabase(config).catch((error: unknown) => {
    throw explainInUse(error);
  });
  // Each on the disk of its target.
  const staged = { ...stagingOf(config), database: join(dataDir, "db", STAGING) };
  try {
    await prepare(staged);
    const place = { mongoUrl: undefined, dataDir: staged.database };
    await withStoppedInstance(place, ({ db }) => fill(db, staged));
    return await replaceAll(staged, config).catch(({ message }: Error) => {
      throw new CliError(
        `Not all data could be moved: ${message}\nSolve this, then restore with --force. Previous data is in ${ASIDE} of each folder.`,
      );
    });
  } finally {
    await discard(staged).finally(() => lock.release());
  }
}

/** While it is there without `data.sqlite`, no instance starts. */
const ENGINE = "engine.json";

async function replaceAll(staged: Folders & { database: string }, target: Folders): Promise<string[]> {
  const [from, to] = [join(staged.database, "db"), join(target.dataDir, "db")];
  const aside = await moveAside(to);
  await rename(join(from, ENGINE), join(to, ENGINE));
  const moved = [...aside, ...(await replaceFiles(staged, target))];
  await moveContent(from, to);
  return moved;
}

async function restoreMongo(config: Target, fill: Fill, force: boolean): Promise<string[]> {
  const staged = stagingOf(config);
  return withStoppedInstance(config, async ({ db }) => {
    const unfinished = db.collection(RESTORE_UNFINISHED);
    const isInterrupted = (await unfinished.countDocuments({}, { limit: 1 })) > 0;
    const isClear = (await isEmptyDatabase(db)) && (await entriesIn(config.filesDir)).length === 0;
    if (!force && !isInterrupted && !isClear) throw notEmpty("the database of MONGO_URL");
    try {
      await prepare(staged);
      if (!isInterrupted) await unfinished.insertOne({}, { writeConcern: DURABLE });
      for (const name of await listCollections(db))
        if (name !== RESTORE_UNFINISHED) await db.dropCollection(name);
      await fill(db, staged);
      const moved = await replaceFiles(staged, config);
      await db.dropCollection(RESTORE_UNFINISHED);
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

const stagingOf = ({ dataDir, filesDir }: Folders): Folders => ({
  dataDir: join(dataDir, STAGING),
  filesDir: join(filesDir, STAGING),
});

async function prepare(staged: Folders): Promise<void> {
  await discard(staged);
  for (const folder of Object.values(staged)) await mkdir(folder, { recursive: true, mode: 0o700 });
}

async function discard(staged: Folders): Promise<void> {
  for (const folder of Object.values(staged)) await rm(folder, { recursive: true, force: true });
}

async function replaceFiles(staged: Folders, target: Folders): Promise<string[]> {
  const moved = await moveAside(target.filesDir);
  await moveContent(staged.filesDir, target.filesDir);
  const [from, to] = [staged, target].map((folders) => locationOf("token-secret", folders)) as [
    string,
    string,
  ];
  if (!existsSync(from)) return moved;
  if (existsSync(to)) {
    const aside = freeName(`${to}${ASIDE}`);
    await rename(to, aside);
    moved.push(aside);
  }
  await rename(from, to);
  return moved;
}

/**
 * Moves the data in a folder aside, within the folder: it can be a mount point or a link, which can't be moved.
 * @returns where it is now
 */
async function moveAside(folder: string): Promise<string[]> {
  // `data.sqlite` before its log.
  const names = (await entriesIn(folder)).map(({ name }) => name).toSorted();
  if (names.length === 0) return [];
  const aside = freeName(join(folder, ASIDE));
  await mkdir(aside, { mode: 0o700 });
  for (const name of names)
    await (name === ENGINE ? copyFile : rename)(join(folder, name), join(aside, name));
  return [aside];
}

async function moveContent(from: string, to: string): Promise<void> {
  for (const name of await readdir(from)) await rename(join(from, name), join(to, name));
}

/** The path, with a number if it exists. */
function freeName(path: string): string {
  let free = path;
  for (let n = 2; existsSync(free); n++) free = `${path}-${n}`;
  return free;
}

async function isEmptyDatabase(db: mongo.Db): Promise<boolean> {
  for (const name of await listCollections(db)) {
    if ((await db.collection(name).countDocuments({}, { limit: 1 })) > 0) return false;
  }
  return true;
}

function notEmpty(what: string): CliError {
  return new CliError(
    `${what} already contains an instance. Pass --force to replace it, or choose an empty one.`,
  );
}

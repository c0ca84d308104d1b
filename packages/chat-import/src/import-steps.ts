import type { Attachment } from "@fanfare/contract";
import { createReadStream } from "node:fs";
import { InvalidLineError, type NumberedLine, readGroupFile, type Survey } from "@fanfare/group-file";
import { DURABLE } from "@fanfare/kernel";
import { mongo } from "mongoose";

/** An import that isn't possible, with the reason for the operator. */
export class ImportRefusedError extends Error {
  override readonly name = "ImportRefusedError";
}

/** The export was already imported as a group that still exists. */
export class AlreadyImportedError extends ImportRefusedError {
  readonly groupId: string;
  /** Of the run that has completed it. */
  readonly runId: string | undefined;

  constructor({ groupId, runId }: { groupId: mongo.ObjectId; runId?: string | undefined }, message: string) {
    super(message);
    this.groupId = String(groupId);
    this.runId = runId;
  }
}

/** A user of another chat server. */
export interface ImportedPerson {
  username: string;
  email: string | null;
}

/** Makes accounts; the import stores them. */
export interface ImportedAccounts {
  /** @throws {ServiceError} if the instance can't have so many more */
  assertAllowed(accounts: number): Promise<void>;
  make(
    userId: string,
    nickname: string,
    person: ImportedPerson,
  ): Promise<{ _id: string; username?: string; email?: string }>;
  removeUnclaimed(userIds: readonly string[]): Promise<unknown>;
}

/** A file of a message, with the ids here. */
export interface FileToStore {
  /** The same each time, so that an interrupted import can continue. */
  fileId: string;
  ownerId: string;
  channelId: string;
  groupId: string;
  /** Of the message. */
  nonce: string;
  name: string;
  bytes: number;
  createdAt: Date;
  open: () => Promise<AsyncIterable<Uint8Array>>;
}

export type StoredFile =
  | { outcome: "stored"; attachment: Attachment }
  /** Its content can't be read, or is shorter or longer than stated. */
  | { outcome: "damaged" }
  /** The quota of the instance is used up. */
  | { outcome: "full" };

/** Stores files of messages. */
export interface ImportedFiles {
  store(file: FileToStore): Promise<StoredFile>;
  removeOf(channelIds: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** What an import writes to. */
export interface ImportTarget {
  db: mongo.Db;
  imported: ImportedAccounts;
  storing: ImportedFiles;
}

export interface UserOptions {
  /** The username of the group's owner. undefined: the account with the same username as the owner in the file. */
  owner: string | undefined;
  /** Whether users of the file become the accounts with the same usernames. */
  matchUsernames: boolean;
  /** By id in the file: the users who get an account if they have none. Not in the file, which others can get to read. */
  people: ReadonlyMap<string, ImportedPerson>;
}

export interface ResolvedUsers {
  ownerId: mongo.ObjectId;
  /** By id in the file. */
  ids: Map<string, mongo.ObjectId>;
  /** Ids in the file of users with an account here. */
  known: Set<string>;
  accounts: mongo.Document[];
  /** Usernames of new accounts that differ from those in the export. */
  renamed: { from: string; to: string }[];
  /** The number of addresses that were left out, because they are invalid or another account has them. */
  unusedEmails: number;
  /** Accounts that the interrupted part of the import has made. */
  madeBefore: number;
  placeholders: mongo.Document[];
}

interface NewUsers {
  groupId: mongo.ObjectId;
  newUserId: (id: string) => mongo.ObjectId;
  /** Whether an interrupted import can have made some of them. */
  isContinued: boolean;
}

/**
 * Maps the users of a file to users here. They become existing accounts only with `matchUsernames`, and new ones if they are
 * among `people`; the others become guests without a login.
 * @throws {ImportRefusedError} when there is no owner
 */
export async function resolveUsers(
  db: mongo.Db,
  { group, users }: Survey,
  { owner, matchUsernames, people }: UserOptions,
  { groupId: importedIn, newUserId, isContinued }: NewUsers,
  imported: ImportedAccounts,
): Promise<ResolvedUsers> {
  const resolved: Omit<ResolvedUsers, "ownerId"> = {
    ids: new Map(),
    known: new Set(),
    accounts: [],
    renamed: [],
    unusedEmails: 0,
    madeBefore: 0,
    placeholders: [],
  };
  for (const { id, username, nickname } of users.values()) {
    const made = isContinued ? await findMade(db, newUserId(id)) : null;
    if (made !== null) {
      resolved.ids.set(id, made._id);
      if (made["kind"] !== "member") continue;
      resolved.known.add(id);
      resolved.madeBefore += 1;
      const wanted = people.get(id);
      if (wanted !== undefined && wanted.email !== null && made["email"] === undefined)
        resolved.unusedEmails += 1;
      if (wanted !== undefined && made["username"] !== wanted.username)
        resolved.renamed.push({ from: wanted.username, to: String(made["username"]) });
      continue;
    }
    const account = matchUsernames && username !== null ? await findAccount(db, username) : null;
    const _id = account ?? newUserId(id);
    resolved.ids.set(id, _id);
    const person = people.get(id);
    if (account !== null || person !== undefined) resolved.known.add(id);
    if (account !== null) continue;
    if (person !== undefined) {
      const created = await imported.make(String(_id), nickname ?? person.username, person);
      resolved.accounts.push({ ...created, _id });
      if (created.email === undefined && person.email !== null) resolved.unusedEmails += 1;
      if (created.username !== person.username)
        resolved.renamed.push({ from: person.username, to: created.username! });
      continue;
    }
    const createdAt = _id.getTimestamp();
    const named = { _id, kind: "guest", avatarUrl: null, createdAt, importedIn, nickname: nickname ?? "" };
    resolved.placeholders.push(nickname === null ? { ...named, deletedAt: createdAt } : named);
  }
  if (resolved.accounts.length > 0) await imported.assertAllowed(resolved.accounts.length);
  if (owner !== undefined) {
    const ownerId = await findAccount(db, owner);
    if (ownerId === null) throw new ImportRefusedError(`User ${owner} does not exist. Nothing was changed.`);
    return { ...resolved, ownerId };
  }
  if (!resolved.known.has(group.ownerId))
    throw new ImportRefusedError("Specify the owner with --owner <username>. Nothing was changed.");
  return { ...resolved, ownerId: resolved.ids.get(group.ownerId)! };
}

/** A user that the interrupted part of an import has made. */
const findMade = (db: mongo.Db, _id: mongo.ObjectId) =>
  db.collection("users").findOne({ _id }, { projection: { kind: 1, username: 1, email: 1 } });

async function findAccount(db: mongo.Db, username: string): Promise<mongo.ObjectId | null> {
  const filter = { usernameLower: username.toLowerCase(), kind: "member", deletedAt: { $exists: false } };
  const found = await db.collection("users").findOne(filter, { projection: { _id: 1 } });
  return found?._id ?? null;
}

/**
 * Reads the lines between the first and the last one.
 * @param check called with each line; can throw an InvalidLineError
 * @throws {ImportRefusedError} with the line number when the file is damaged
 */
export async function* readLines(
  file: string,
  check: (line: NumberedLine) => void = () => undefined,
): AsyncGenerator<NumberedLine> {
  try {
    for await (const line of readGroupFile(createReadStream(file))) {
      check(line);
      yield line;
    }
  } catch (error) {
    throw toFileError(file, error);
  }
}

/** Converts an error of a file to one for the operator. */
export function toFileError(file: string, error: unknown): unknown {
  if (error instanceof InvalidLineError)
    return new ImportRefusedError(`${file}, line ${error.line}: ${error.reason}. Nothing was changed.`);
  const { syscall, message } = error as NodeJS.ErrnoException;
  return syscall !== undefined ? new ImportRefusedError(`${file} cannot be read: ${message}`) : error;
}

/** The collection of what was imported, and of the lease of the running import. */
export const IMPORTS = "imports";
export const DUPLICATE_KEY = 11000;

/** A record of an import, stored before anything else so that an interrupted import can be reverted. */
interface UnfinishedImport {
  _id: mongo.ObjectId;
  groupId: mongo.ObjectId;
  channelIds: mongo.ObjectId[];
  userIds: mongo.ObjectId[];
}

export const UNFINISHED = "unfinishedImports";
const IDS_PER_RECORD = 10_000;

export async function recordUnfinished(
  db: mongo.Db,
  groupId: mongo.ObjectId,
  channelIds: readonly mongo.ObjectId[],
  userIds: readonly mongo.ObjectId[],
): Promise<void> {
  const notes: UnfinishedImport[] = [];
  const length = Math.max(channelIds.length, userIds.length, 1);
  for (let at = 0; at < length; at += IDS_PER_RECORD) {
    const part = <T>(ids: readonly T[]): T[] => ids.slice(at, at + IDS_PER_RECORD);
    notes.push({
      _id: new mongo.ObjectId(),
      groupId,
      channelIds: part(channelIds),
      userIds: part(userIds),
    });
  }
  await db.collection<UnfinishedImport>(UNFINISHED).insertMany(notes, { writeConcern: DURABLE });
}

/**
 * Reverts interrupted imports and removes the records of completed ones.
 * @param continued the group of an interrupted import that stays as it is, or null
 * @param signal aborted when another import can have started
 */
export async function revertInterrupted(
  { db, imported, storing }: ImportTarget,
  continued: mongo.ObjectId | null,
  signal: AbortSignal,
): Promise<void> {
  const notes = db.collection<UnfinishedImport>(UNFINISHED);
  for (const { _id, groupId, channelIds, userIds } of await notes.find().toArray()) {
    if ((await db.collection("groups").findOne({ _id: groupId })) === null) {
      if (continued?.equals(groupId) === true) continue;
      signal.throwIfAborted();
      await storing.removeOf(channelIds.map(String));
      for (const name of ["messages", "reactions"])
        for (const channelId of channelIds) {
          signal.throwIfAborted();
          await db.collection(name).deleteMany({ channelId });
        }
      await db.collection("channelHeads").deleteMany({ _id: { $in: channelIds } });
      await db.collection("channels").deleteMany({ _id: { $in: channelIds } });
      await imported.removeUnclaimed(userIds.map(String));
      for (const name of ["roles", "members"]) await db.collection(name).deleteMany({ groupId });
      await db.collection("wordFilters").deleteMany({ _id: groupId });
    }
    await notes.deleteOne({ _id });
  }
}

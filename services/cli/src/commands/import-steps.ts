import { createReadStream } from "node:fs";
import { InvalidLineError, type NumberedLine, readGroupFile, type Survey } from "@fanfare/group-file";
import { DURABLE } from "@fanfare/kernel";
import type { ImportedAccounts, ImportedPerson } from "@fanfare/user";
import { mongo } from "mongoose";
import { CliError } from "../command.ts";

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
  placeholders: mongo.Document[];
}

/**
 * Maps the users of a file to users here. They become existing accounts only with `matchUsernames`, and new ones if they are
 * among `people`; the others become guests without a login.
 * @throws {CliError} when there is no owner
 */
export async function resolveUsers(
  db: mongo.Db,
  { group, users }: Survey,
  { owner, matchUsernames, people }: UserOptions,
  newId: (id: string) => mongo.ObjectId,
  imported: ImportedAccounts,
): Promise<ResolvedUsers> {
  const resolved: Omit<ResolvedUsers, "ownerId"> = {
    ids: new Map(),
    known: new Set(),
    accounts: [],
    renamed: [],
    unusedEmails: 0,
    placeholders: [],
  };
  const importedIn = newId(group.id);
  for (const { id, username, nickname } of users.values()) {
    const account = matchUsernames && username !== null ? await findAccount(db, username) : null;
    const _id = account ?? newId(id);
    resolved.ids.set(id, _id);
    const person = people.get(id);
    if (account !== null || person !== undefined) resolved.known.add(id);
    if (account !== null) continue;
    if (person !== undefined) {
      const made = await imported.make(String(_id), nickname ?? person.username, person);
      resolved.accounts.push({ ...made, _id });
      if (made.email === undefined && person.email !== null) resolved.unusedEmails += 1;
      if (made.username !== person.username)
        resolved.renamed.push({ from: person.username, to: made.username! });
      continue;
    }
    const createdAt = _id.getTimestamp();
    const named = { _id, kind: "guest", avatarUrl: null, createdAt, importedIn, nickname: nickname ?? "" };
    resolved.placeholders.push(nickname === null ? { ...named, deletedAt: createdAt } : named);
  }
  if (resolved.accounts.length > 0) await imported.assertAllowed(resolved.accounts.length);
  if (owner !== undefined) {
    const ownerId = await findAccount(db, owner);
    if (ownerId === null) throw new CliError(`User ${owner} does not exist. Nothing was changed.`);
    return { ...resolved, ownerId };
  }
  if (!resolved.known.has(group.ownerId))
    throw new CliError("Specify the owner with --owner <username>. Nothing was changed.");
  return { ...resolved, ownerId: resolved.ids.get(group.ownerId)! };
}

async function findAccount(db: mongo.Db, username: string): Promise<mongo.ObjectId | null> {
  const filter = { usernameLower: username.toLowerCase(), kind: "member", deletedAt: { $exists: false } };
  const found = await db.collection("users").findOne(filter, { projection: { _id: 1 } });
  return found?._id ?? null;
}

/**
 * Reads the lines between the first and the last one.
 * @param check called with each line; can throw an InvalidLineError
 * @throws {CliError} with the line number when the file is damaged
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
    return new CliError(`${file}, line ${error.line}: ${error.reason}. Nothing was changed.`);
  const { syscall, message } = error as NodeJS.ErrnoException;
  return syscall !== undefined ? new CliError(`${file} cannot be read: ${message}`) : error;
}

/** A record of an import, stored before anything else so that an interrupted import can be reverted. */
interface UnfinishedImport {
  _id: mongo.ObjectId;
  groupId: mongo.ObjectId;
  channelIds: mongo.ObjectId[];
  userIds: mongo.ObjectId[];
}

const COLLECTION = "unfinishedImports";
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
  await db.collection<UnfinishedImport>(COLLECTION).insertMany(notes, { writeConcern: DURABLE });
}

/** @throws {CliError} when another import considered this one interrupted */
export async function assertRecorded(db: mongo.Db, groupId: mongo.ObjectId): Promise<void> {
  if ((await db.collection<UnfinishedImport>(COLLECTION).findOne({ groupId })) === null)
    throw new CliError("Another import is running. Nothing was changed. Run imports one after the other.");
}

/** Reverts interrupted imports and removes the records of completed ones. */
export async function revertInterrupted(db: mongo.Db, imported: ImportedAccounts): Promise<void> {
  const notes = db.collection<UnfinishedImport>(COLLECTION);
  for (const { _id, groupId, channelIds, userIds } of await notes.find().toArray()) {
    if ((await db.collection("groups").findOne({ _id: groupId })) === null) {
      for (const name of ["messages", "reactions"])
        for (const channelId of channelIds) await db.collection(name).deleteMany({ channelId });
      await db.collection("channelHeads").deleteMany({ _id: { $in: channelIds } });
      await db.collection("channels").deleteMany({ _id: { $in: channelIds } });
      await imported.removeUnclaimed(userIds.map(String));
      for (const name of ["roles", "members"]) await db.collection(name).deleteMany({ groupId });
      await db.collection("wordFilters").deleteMany({ _id: groupId });
    }
    await notes.deleteOne({ _id });
  }
}

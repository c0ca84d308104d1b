import { type Attachment, type ImportFailure, LIMITS } from "@fanfare/contract";
import { createReadStream } from "node:fs";
import { InvalidLineError, type NumberedLine, readGroupFile, type Survey } from "@fanfare/group-file";
import { DURABLE, type NodeContext } from "@fanfare/kernel";
import { mongo } from "mongoose";

/** An import that isn't possible, with the reason for the operator. */
export class ImportRefusedError extends Error {
  override readonly name = "ImportRefusedError";
  readonly failure: ImportFailure;

  constructor(message: string, failure: ImportFailure = { code: "unreadable" }) {
    super(message);
    this.failure = failure;
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
  /** null: in direct messages. */
  groupId: string | null;
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
  /** null: they aren't on a disk here. */
  folder: string | null;
  store(file: FileToStore): Promise<StoredFile>;
  removeOf(channelIds: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** What an import writes to. */
export interface ImportTarget {
  db: mongo.Db;
  imported: ImportedAccounts;
  storing: ImportedFiles;
  policy: Pick<NodeContext["policy"], "get">;
}

export interface UserOptions {
  /** The username of the group's owner. undefined: the account that the owner in the file becomes. */
  owner: string | undefined;
  /** Whether users of the file become accounts that exist. */
  matchUsernames: boolean;
  /** The addresses in the export, by user id in the file. Kept out of the file, because others may read it. */
  emails: ReadonlyMap<string, string>;
  /** By id in the file: the users who get an account if they have none. Not in the file, which others can get to read. */
  people: ReadonlyMap<string, ImportedPerson>;
}

/** An account that existed before the import, and the user of the export who becomes it. */
export interface Match {
  name: string;
  username: string;
}

export interface ResolvedUsers {
  /** By id in the file. */
  ids: Map<string, mongo.ObjectId>;
  /** Ids in the file of users with an account here. */
  known: Set<string>;
  accounts: mongo.Document[];
  /** Usernames of new accounts that differ from those in the export. */
  renamed: { from: string; to: string }[];
  /** The number of addresses that were left out, because they are invalid or another account has them. */
  unusedEmails: number;
  /** Accounts that an earlier import has made. */
  madeBefore: number;
  placeholders: mongo.Document[];
  /** Existing accounts that users of the file become, by the ids that new users would have: later exports keep them. */
  matched: { _id: mongo.ObjectId; userId: mongo.ObjectId }[];
  /** The same with usernames, and also those of earlier imports. */
  matches: Match[];
  /** Users whom an earlier import has matched by username, and who haven't verified the address. */
  unverified: number;
  /** Ids of accounts that were deleted since an earlier import. */
  deleted: Set<string>;
}

interface NewUsers {
  groupId: mongo.ObjectId;
  newUserId: (id: string) => mongo.ObjectId;
  /** Whether an earlier import can have made some of them. */
  isRepeated: boolean;
  /** Whether such an import wasn't completed. */
  isFirst: boolean;
}

/**
 * Maps the users of a file to users here. They become existing accounts only with `matchUsernames`, and new ones if they are
 * among `people`; the others become guests without a login.
 */
export async function resolveUsers(
  db: mongo.Db,
  { users }: Survey,
  { matchUsernames, emails, people }: UserOptions,
  { groupId: importedIn, newUserId, isRepeated, isFirst }: NewUsers,
  imported: ImportedAccounts,
): Promise<ResolvedUsers> {
  const resolved: ResolvedUsers = {
    ids: new Map(),
    known: new Set(),
    accounts: [],
    renamed: [],
    unusedEmails: 0,
    madeBefore: 0,
    placeholders: [],
    matched: [],
    matches: [],
    unverified: 0,
    deleted: new Set(),
  };
  const matching = { db, emails };
  for (const { id, username, nickname } of users.values()) {
    const made = isRepeated ? await findMade(db, newUserId(id)) : null;
    if (made !== null) {
      resolved.ids.set(id, made._id);
      if (made["kind"] !== "member") continue;
      if (made["deletedAt"] !== undefined) {
        resolved.deleted.add(String(made._id));
        continue;
      }
      resolved.known.add(id);
      resolved.madeBefore += 1;
      // A completed import has reported the changes, and people can have made others since.
      const wanted = isFirst ? people.get(id) : undefined;
      if (wanted !== undefined && wanted.email !== null && made["email"] === undefined)
        resolved.unusedEmails += 1;
      if (wanted !== undefined && made["username"] !== wanted.username)
        resolved.renamed.push({ from: wanted.username, to: String(made["username"]) });
      continue;
    }
    const name = username ?? nickname ?? "";
    const before = isRepeated ? await findMatched(matching, newUserId(id), id) : null;
    if (before?.outcome === "deleted") {
      resolved.ids.set(id, before._id);
      resolved.deleted.add(String(before._id));
      continue;
    }
    if (before?.outcome === "unverified") resolved.unverified += 1;
    const account =
      before?.outcome === "matched"
        ? before
        : matchUsernames
          ? await findMatch(matching, id, username)
          : null;
    const _id = account?._id ?? newUserId(id);
    resolved.ids.set(id, _id);
    const person = people.get(id);
    if (account !== null || person !== undefined) resolved.known.add(id);
    if (account !== null) {
      resolved.matches.push({ name, username: account.username });
      if (account !== before) resolved.matched.push({ _id: newUserId(id), userId: _id });
      continue;
    }
    if (person !== undefined) {
      const created = await imported.make(String(_id), nickname ?? person.username, person);
      resolved.accounts.push({ ...created, _id });
      if (created.email === undefined && person.email !== null) resolved.unusedEmails += 1;
      if (created.username !== person.username)
        resolved.renamed.push({ from: person.username, to: created.username! });
      continue;
    }
    const createdAt = _id.getTimestamp();
    const guest = { _id, kind: "guest", avatarUrl: null, createdAt, importedIn: [importedIn] };
    const named = { ...guest, nickname: nickname ?? "" };
    resolved.placeholders.push(nickname === null ? { ...named, deletedAt: createdAt } : named);
  }
  if (resolved.accounts.length > 0) await imported.assertAllowed(resolved.accounts.length);
  return resolved;
}

const OWNER_REFUSED: ImportFailure = { code: "ownerRefused" };

/**
 * The limits of groups hold for owners of imported ones too: an operator who needs more raises the limit, or names others.
 * @throws {ImportRefusedError} when there is no owner, or they are in as many groups as they can be, or own as many
 */
export async function resolveOwner(
  { db, policy }: Pick<ImportTarget, "db" | "policy">,
  { group }: Survey,
  { owner }: UserOptions,
  { ids, known }: ResolvedUsers,
): Promise<mongo.ObjectId> {
  const named = owner === undefined ? null : await findOwner(db, owner);
  const ownerId = named ?? (known.has(group.ownerId) ? ids.get(group.ownerId) : undefined);
  if (ownerId === undefined)
    throw new ImportRefusedError(
      "Specify the owner with --owner <username>. Nothing was changed.",
      OWNER_REFUSED,
    );
  const { groupsOwnedPerUser: maxOwned } = await policy.get();
  const count = (name: string, filter: mongo.Filter<mongo.Document>, limit: number) =>
    db.collection(name).countDocuments(filter, { limit });
  if (maxOwned !== null && (await count("groups", { ownerId, deletedAt: null }, maxOwned)) >= maxOwned)
    throw new ImportRefusedError(
      `The owner already owns ${maxOwned} groups, as many as this instance allows. Name another one, or raise the limit. Nothing was changed.`,
      OWNER_REFUSED,
    );
  if ((await count("members", { userId: ownerId }, LIMITS.groupsPerUser)) >= LIMITS.groupsPerUser)
    throw new ImportRefusedError(
      `The owner is already in ${LIMITS.groupsPerUser} groups. Nothing was changed.`,
      OWNER_REFUSED,
    );
  return ownerId;
}

/** @throws {ImportRefusedError} when there is no such account */
export async function findOwner(db: mongo.Db, username: string): Promise<mongo.ObjectId> {
  const found = await findAccount(db, username);
  if (found !== null) return found._id;
  throw new ImportRefusedError(`User ${username} does not exist. Nothing was changed.`, OWNER_REFUSED);
}

/** A user that an earlier import has made. */
const findMade = (db: mongo.Db, _id: mongo.ObjectId) =>
  db.collection("users").findOne({ _id }, { projection: { kind: 1, username: 1, email: 1, deletedAt: 1 } });

interface Matching {
  db: mongo.Db;
  /** By id in the file. Empty: the export has none, and usernames are all that can be compared. */
  emails: ReadonlyMap<string, string>;
}

interface FoundAccount {
  _id: mongo.ObjectId;
  username: string;
}

const ABSENT = { $exists: false };

/** Anyone can have registered a username, so it only counts in an export without addresses. */
function findMatch(
  { db, emails }: Matching,
  id: string,
  username: string | null,
): Promise<FoundAccount | null> {
  const email = emails.get(id)?.toLowerCase();
  if (email !== undefined)
    return findMember(db, { emailLower: email, emailVerifiedAt: { $exists: true }, disabledAt: ABSENT });
  if (emails.size > 0 || username === null) return Promise.resolve(null);
  return findMember(db, { usernameLower: username.toLowerCase(), disabledAt: ABSENT });
}

type MatchedBefore =
  | ({ outcome: "matched" } & FoundAccount)
  | { outcome: "deleted"; _id: mongo.ObjectId }
  /** By a username that anyone can have registered. */
  | { outcome: "unverified" };

/** The account that a user of an earlier import became, which can have another username and address by now. */
async function findMatched(
  { db, emails }: Matching,
  _id: mongo.ObjectId,
  id: string,
): Promise<MatchedBefore | null> {
  const matched = await db.collection(IMPORTED_PLACES).findOne({ _id });
  if (matched === null) return null;
  const userId = matched["userId"] as mongo.ObjectId;
  const account = await findMember(db, { _id: userId });
  if (account === null) return { outcome: "deleted", _id: userId };
  if (matched["byAddress"] === true || emails.size === 0) return { outcome: "matched", ...account };
  const emailLower = emails.get(id)?.toLowerCase();
  const verified =
    emailLower !== undefined &&
    (await findMember(db, { _id: userId, emailLower, emailVerifiedAt: { $exists: true } }));
  return verified ? { outcome: "matched", ...account } : { outcome: "unverified" };
}

const findAccount = (db: mongo.Db, username: string): Promise<FoundAccount | null> =>
  findMember(db, { usernameLower: username.toLowerCase() });

async function findMember(db: mongo.Db, filter: mongo.Filter<mongo.Document>): Promise<FoundAccount | null> {
  const isMember = { ...filter, kind: "member", deletedAt: ABSENT };
  const found = await db.collection("users").findOne(isMember, { projection: { username: 1 } });
  return found === null ? null : { _id: found._id, username: found["username"] as string };
}

/**
 * The existing accounts that users of an export would become, if they are matched.
 * @param newUserId of an earlier import that it is added to; null: there is none
 * @returns also the number of accounts that an earlier import matched by username and that haven't verified the address
 */
export async function previewMatches(
  matching: Matching,
  users: Iterable<{ id: string; username: string | null; name: string }>,
  newUserId: ((id: string) => mongo.ObjectId) | null,
): Promise<{ accounts: Match[]; unverified: number }> {
  const { db } = matching;
  const accounts: Match[] = [];
  let unverified = 0;
  for (const { id, username, name } of users) {
    const _id = newUserId?.(id);
    if (_id !== undefined && (await findMade(db, _id)) !== null) continue;
    const before = _id === undefined ? null : await findMatched(matching, _id, id);
    if (before?.outcome === "deleted") continue;
    if (before?.outcome === "unverified") unverified += 1;
    const account = before?.outcome === "matched" ? before : await findMatch(matching, id, username);
    if (account !== null) accounts.push({ name: username ?? name, username: account.username });
  }
  return { accounts, unverified };
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
/**
 * What users, channels, threads and direct conversations of an export became, also if that was deleted since: it doesn't come back
 * with a later export.
 */
export const IMPORTED_PLACES = "importedPlaces";

export const isDuplicateKey = (error: unknown): boolean =>
  error instanceof mongo.MongoServerError && error.code === DUPLICATE_KEY;

export const isOnlyDuplicates = (error: unknown): boolean =>
  error instanceof mongo.MongoBulkWriteError
    ? error.result.getWriteErrorCount() > 0 &&
      error.result.getWriteConcernError() === undefined &&
      error.result.getWriteErrors().every(({ code }) => code === DUPLICATE_KEY)
    : isDuplicateKey(error);

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
  await removeReactions(db);
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
      for (const name of ["roles", "members", IMPORTED_PLACES])
        await db.collection(name).deleteMany({ groupId });
      await db.collection("wordFilters").deleteMany({ _id: groupId });
    }
    await notes.deleteOne({ _id });
  }
}

const REACTIONS = "reactions";

/** Before the reactions to messages are stored, and then the messages. */
export const recordReactions = (db: mongo.Db, messageIds: readonly mongo.ObjectId[]) =>
  db
    .collection<{ _id: string }>(IMPORTS)
    .replaceOne({ _id: REACTIONS }, { messageIds }, { upsert: true, writeConcern: DURABLE });

/** Those to messages that an interrupted import didn't store. */
async function removeReactions(db: mongo.Db): Promise<void> {
  const imports = db.collection<{ _id: string; messageIds: mongo.ObjectId[] }>(IMPORTS);
  const { messageIds = [] } = (await imports.findOne({ _id: REACTIONS })) ?? {};
  if (messageIds.length === 0) return;
  const stored = await db.collection("messages").distinct("_id", { _id: { $in: messageIds } });
  await db.collection("reactions").deleteMany({ messageId: { $in: messageIds, $nin: stored } });
  await imports.deleteOne({ _id: REACTIONS });
}

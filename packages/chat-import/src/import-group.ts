import { createHash } from "node:crypto";
import { type GroupFileLineOf, type ImportedKind, LIMITS, viewers } from "@fanfare/contract";
import {
  channelDocument,
  createNewIds,
  groupDocument,
  roleDocument,
  type Ids,
  type Survey,
  createGroupChecker,
} from "@fanfare/group-file";
import { DURABLE } from "@fanfare/kernel";
import { mongo } from "mongoose";
import { type DirectCounts, writeDirects } from "./import-directs.ts";
import {
  type Attempt,
  type AttemptKind,
  beginImport,
  completeImport,
  createNewUserIds,
  type ImportSource,
} from "./import-record.ts";
import { type ImportLease, withImportLease } from "./import-lease.ts";
import {
  DUPLICATE_KEY,
  isDuplicateKey,
  IMPORTED_PLACES,
  ImportRefusedError,
  type ImportTarget,
  isOnlyDuplicates,
  readLines,
  recordUnfinished,
  type ResolvedUsers,
  resolveOwner,
  resolveUsers,
  revertInterrupted,
  toFileError,
  type UserOptions,
} from "./import-steps.ts";
import { OPEN_THREADS } from "./group-lines.ts";
import type { DirectMessages, KeptFile, MessageFiles } from "./sinks.ts";
import { assertFreeSpace, type Bytes } from "./inputs.ts";
import { matchedBy, type Matches } from "./report.ts";
import { type FileCounts, MessageLog, type LoggedMessage, type Progress } from "./message-log.ts";

const BATCH_DOCUMENTS = 1000;
/** Inserts documents of several collections in batches. */
class Batches {
  readonly #db: mongo.Db;
  readonly #skipsExisting: boolean;
  readonly #signal: AbortSignal;
  readonly #waiting = new Map<string, mongo.Document[]>();

  constructor(db: mongo.Db, skipsExisting: boolean, signal: AbortSignal) {
    this.#db = db;
    this.#signal = signal;
    this.#skipsExisting = skipsExisting;
  }

  async add(collection: string, document: mongo.Document): Promise<void> {
    const documents = this.#waiting.get(collection) ?? [];
    this.#waiting.set(collection, documents);
    documents.push(document);
    if (documents.length >= BATCH_DOCUMENTS) await this.#store(collection);
  }

  async flush(): Promise<void> {
    for (const collection of this.#waiting.keys()) await this.#store(collection);
  }

  async #store(collection: string): Promise<void> {
    const documents = this.#waiting.get(collection) ?? [];
    this.#waiting.delete(collection);
    if (documents.length === 0) return;
    this.#signal.throwIfAborted();
    await this.#db
      .collection(collection)
      .insertMany(documents, { writeConcern: DURABLE, ordered: !this.#skipsExisting })
      .catch((error: unknown) => {
        if (collection === "users" && isNameTaken(error))
          throw new Error("another account got the username or address of an imported one", { cause: error });
        if (!this.#skipsExisting || !isOnlyDuplicates(error)) throw error;
      });
  }
}

/** Someone has registered since the import chose the usernames. */
const isNameTaken = (error: unknown): boolean =>
  error instanceof mongo.MongoBulkWriteError &&
  error.result
    .getWriteErrors()
    .some(({ code, errmsg = "" }) => code === DUPLICATE_KEY && !/ index: _id_? /.test(errmsg));

export interface Imported extends Pick<ResolvedUsers, "unverified" | "renamed" | "unusedEmails"> {
  groupId: string;
  name: string;
  kind: AttemptKind;
  /** New ones, as are the messages. */
  members: number;
  messages: number;
  /** Messages that an earlier import has stored. */
  known: number;
  /** Messages that were deleted since an earlier import, alone or with their channels and threads. */
  deletedHere: number;
  /** Messages of private channels that others can read here. */
  changedHere: number;
  /** Members in the export who have left the group since. */
  formerMembers: number;
  placeholders: number;
  /** null: users weren't matched. */
  matches: Matches | null;
  accounts: number;
  files: FileCounts;
  directs: DirectCounts;
  /** What is new since an earlier import; null: there was none. */
  fresh: Partial<Record<ImportedKind, number>> | null;
}

/** The files of the messages of a file. */
interface GroupFiles {
  /** Of all. */
  bytes: number;
  /** Called for each message, in their order. */
  of: (messageId: string) => Promise<readonly KeptFile[]>;
  open: (key: string) => Promise<Bytes>;
}

/** What an import knows besides the group file. */
export interface GroupOrigin {
  files: GroupFiles;
  /** null: none are imported. */
  directs: DirectMessages | null;
  /** null: a second group can be made of the same file. */
  source: ImportSource | null;
  onProgress?: (progress: Progress) => void;
  /** Interrupts the import, which keeps what it has stored. */
  signal?: AbortSignal;
}

const GROUP_FILE: GroupOrigin = {
  files: { bytes: 0, of: async () => [], open: () => Promise.reject(new Error("a group file has no files")) },
  directs: null,
  source: null,
};

interface SurveyedFile {
  file: string;
  content: Survey;
  /** Of the ids of all channels, roles, members and messages, in their order, and of the files. */
  contentHash: string;
}

/**
 * Makes a group of a file, or adds what is new to the one that an earlier export of the same origin became. A new group itself is
 * written last: until then it is invisible, and the next import removes the remains of an interrupted one, unless it continues it.
 * @throws {ImportRefusedError} when there is no account to own the group, or another import is running
 */
export async function importGroup(
  target: ImportTarget,
  surveyed: SurveyedFile,
  options: UserOptions,
  origin: GroupOrigin = GROUP_FILE,
): Promise<Imported> {
  return withImportLease(target.db, origin.signal, (lease) =>
    importAlone(target, surveyed, options, origin, lease),
  );
}

/**
 * Removes what interrupted imports left.
 * @throws {ImportRunningError} when an import is running
 */
export const removeInterrupted = (target: ImportTarget, stopped: AbortSignal): Promise<void> =>
  withImportLease(target.db, stopped, ({ signal }) => revertInterrupted(target, null, signal));

async function importAlone(
  target: ImportTarget,
  { file, content, contentHash }: SurveyedFile,
  options: UserOptions,
  origin: GroupOrigin,
  lease: ImportLease,
): Promise<Imported> {
  const by = matchedBy(options.emails);
  const attempt = await beginImport(target.db, content.group.id, origin.source, contentHash, by);
  let continuable = attempt.kind === "continued" ? attempt.groupId : null;
  await revertInterrupted(target, continuable, lease.signal);
  const run: Run = { ...target, file, content, options, origin, attempt, lease };
  try {
    const imported = await (attempt.kind === "added" ? addToGroup(run) : makeGroup(run));
    await completeImport(target.db, attempt);
    return imported;
  } catch (error) {
    // Another import can be continuing this one by now, and errors can be due to that.
    if (!(await lease.isHeld()))
      throw new Error(`the import was interrupted: ${String(lease.signal.reason)}`, { cause: error });
    continuable = null;
    const isDuplicate = isDuplicateKey(error);
    if (!isDuplicate && !(error instanceof ImportRefusedError) && origin.source !== null)
      continuable = attempt.groupId;
    await revertInterrupted(target, continuable, lease.signal);
    if (isDuplicate && attempt.kind === "added")
      throw new Error("others wrote to the same channels: import it again", { cause: error });
    if (isDuplicate) throw new ImportRefusedError(`${file}: it contains duplicates. Nothing was changed.`);
    throw error;
  }
}

interface Run extends ImportTarget {
  file: string;
  content: Survey;
  options: UserOptions;
  origin: GroupOrigin;
  attempt: Attempt;
  lease: ImportLease;
}

async function makeGroup(run: Run): Promise<Imported> {
  const { db, content, attempt, lease } = run;
  const { groupId } = attempt;
  const { group, channels, roles } = content;
  // What an interrupted import has stored already isn't needed again.
  if (attempt.kind === "new" && run.storing.folder !== null)
    await assertFreeSpace(run.storing.folder, run.origin.files.bytes);
  const { users, ids } = await usersOf(run);
  const ownerId = await resolveOwner(run, content, run.options, users);
  const added = [...users.accounts, ...users.placeholders];
  await recordUnfinished(
    db,
    groupId,
    [...channels.keys()].map(ids.newId),
    added.map(({ _id }) => _id),
  );
  await recordMatched(run, users);
  const batches = new Batches(db, attempt.kind !== "new", lease.signal);
  for (const user of added) await batches.add("users", user);
  for (const role of roles.values()) await batches.add("roles", roleDocument(role, ids));
  for (const channel of channels.values()) await addPlace(batches, channelDocument(channel, ids), run);
  if (group.wordFilter !== null)
    await batches.add("wordFilters", { _id: groupId, rev: 1, ...group.wordFilter });
  await batches.flush();
  const log = logOf(run);
  for await (const message of messagesOf(run)) await log.add(message, ids, String(groupId));
  await log.flush();
  const members = await addMembers(run, batches, users, ids, ownerId);
  await batches.flush();
  if (!(await lease.isHeld())) throw new Error("another import can have started");
  await batches.add("groups", groupDocument(group, ownerId, members.added, ids));
  await batches.flush();
  await revertInterrupted(run, null, lease.signal);
  // From here on, a repeated import adds what is missing.
  return importedOf(run, users, {
    name: group.name,
    log,
    members,
    deletedHere: 0,
    changedHere: 0,
    places: new Set(),
    directs: await directsOf(run, users),
  });
}

/** Adds new channels, threads, users and messages. What is there stays as it is, also if it is different in the export. */
async function addToGroup(run: Run): Promise<Imported> {
  const { db, content, attempt, lease } = run;
  const { groupId } = attempt;
  const { users, ids: fileIds } = await usersOf(run);
  const placesHere = await missingPlaces(run, fileIds);
  const newId = (id: string): mongo.ObjectId => placesHere.opened.get(id) ?? fileIds.newId(id);
  const ids: Ids = { ...fileIds, newId };
  await recordMatched(run, users);
  const batches = new Batches(db, true, lease.signal);
  for (const user of [...users.accounts, ...users.placeholders]) await batches.add("users", user);
  await batches.flush();
  // Everything that messages need comes before them: other imports can follow an interrupted one.
  const members = await addMembers(run, batches, users, ids, null);
  await batches.flush();
  const memberCount = await db.collection("members").countDocuments({ groupId });
  const group = await db
    .collection("groups")
    .findOneAndUpdate({ _id: groupId }, { $set: { memberCount } }, { projection: { name: 1 } });
  const name = (group?.["name"] as string | undefined) ?? "";
  const log = logOf(run);
  const open = new Map<string, number>();
  for (const line of content.channels.values()) {
    if (placesHere.fresh.has(line.id)) {
      const isSectionGone = line.sectionId !== null && placesHere.deleted.has(line.sectionId);
      const document = channelDocument(isSectionGone ? { ...line, sectionId: null } : line, ids);
      await addPlace(batches, await openIfRoom(db, document, open), run);
    }
    const isUnchanged = [placesHere.deleted, placesHere.changed, placesHere.opened].every(
      (places) => !places.has(line.id),
    );
    if (line.thread === null || !isUnchanged) continue;
    // Also of threads that are here: an import can have stopped before.
    await batches.flush();
    const { parentId, rootMessageId } = line.thread;
    await log.setThread(ids.newId(parentId), ids.newId(rootMessageId), ids.newId(line.id));
  }
  await batches.flush();
  let deletedHere = 0;
  let changedHere = 0;
  for await (const message of messagesOf(run)) {
    const { channelId, threadId } = message.line;
    if (placesHere.deleted.has(channelId)) {
      deletedHere += 1;
      continue;
    }
    if (placesHere.changed.has(channelId)) {
      changedHere += 1;
      continue;
    }
    const { threadId: _deleted, ...unthreaded } = message.line;
    const line = threadId !== undefined && placesHere.deleted.has(threadId) ? unthreaded : message.line;
    await log.add({ ...message, line }, ids, String(groupId));
  }
  await log.flush();
  const directs = await directsOf(run, users);
  const places = placesHere.fresh;
  return importedOf(run, users, { name, log, members, deletedHere, changedHere, directs, places });
}

interface Written {
  name: string;
  log: MessageLog;
  members: Joined;
  deletedHere: number;
  changedHere: number;
  directs: DirectCounts;
  /** Ids in the file of channels and threads that were added. */
  places: ReadonlySet<string>;
}

function importedOf(
  { attempt: { groupId, kind, isFirst }, content, options: { matchUsernames, emails } }: Run,
  { accounts, placeholders, matched, matches, unverified, renamed, unusedEmails, madeBefore }: ResolvedUsers,
  { name, log, members, deletedHere, changedHere, directs, places }: Written,
): Imported {
  const placesOf = (isOfKind: (line: GroupFileLineOf<"channel">) => boolean): number =>
    [...content.channels.values()].filter((line) => places.has(line.id) && isOfKind(line)).length;
  return {
    groupId: String(groupId),
    name,
    kind,
    members: members.added,
    formerMembers: members.left,
    messages: isFirst ? log.added + log.known : log.added,
    known: isFirst ? 0 : log.known,
    deletedHere: deletedHere + log.expired,
    changedHere,
    files: log.files,
    placeholders: placeholders.length,
    matches: matchUsernames || matches.length > 0 ? { by: matchedBy(emails), accounts: matches } : null,
    unverified,
    accounts: accounts.length + (isFirst ? madeBefore : 0),
    renamed,
    unusedEmails,
    directs,
    fresh: isFirst
      ? null
      : {
          users: accounts.length + placeholders.length + matched.length,
          channels: placesOf(
            ({ kind: of, overrides }) => of !== "thread" && of !== "section" && overrides.length === 0,
          ),
          privateChannels: placesOf(({ overrides }) => overrides.length > 0),
          threads: placesOf(({ kind: of }) => of === "thread"),
          messages: log.added,
          reactions: log.reactions,
          pins: log.pins,
        },
  };
}

async function usersOf({ db, content, options, attempt, imported }: Run) {
  const { kind, groupId, salt, isFirst } = attempt;
  const newId = createNewIds(salt);
  const newUserId = createNewUserIds(attempt);
  const isRepeated = kind !== "new";
  const users = await resolveUsers(
    db,
    content,
    options,
    { groupId, newUserId, isRepeated, isFirst },
    imported,
  );
  const ids: Ids = { groupId, newId, userId: (id) => users.ids.get(id) ?? newId(id) };
  return { users, ids };
}

const logOf = ({ db, storing, origin, content, attempt, lease }: Run): MessageLog =>
  new MessageLog({
    db,
    storing,
    open: (key) => origin.files.open(key),
    isNew: attempt.kind === "new",
    isThread: (channelId) => content.channels.get(channelId)?.thread != null,
    signal: lease.signal,
    onProgress: origin.onProgress ?? (() => undefined),
  });

const directsOf = async (run: Run, users: ResolvedUsers): Promise<DirectCounts> => {
  const { db, origin, attempt } = run;
  const log = logOf({ ...run, attempt: { ...attempt, kind: "added" } });
  return writeDirects(db, origin.directs, users, log, attempt);
};

/** Before messages of these users are stored. */
async function recordMatched(
  { db, attempt: { groupId }, origin, options }: Run,
  { matched }: ResolvedUsers,
): Promise<void> {
  if (origin.source === null || matched.length === 0) return;
  const byAddress = options.emails.size > 0;
  const changes = matched.map(({ _id, userId }) => ({
    updateOne: { filter: { _id }, update: { $set: { groupId, userId, byAddress } }, upsert: true },
  }));
  await db.collection(IMPORTED_PLACES).bulkWrite(changes, { writeConcern: DURABLE });
}

/** Recorded if a later export can add to the group. */
async function addPlace(batches: Batches, channel: mongo.Document, { attempt, origin }: Run): Promise<void> {
  await batches.add("channels", channel);
  if (origin.source !== null)
    await batches.add(IMPORTED_PLACES, { _id: channel["_id"], groupId: attempt.groupId });
}

/**
 * What became of the channels and threads in the file that can't just be added to: new ones, those that were deleted here, and
 * private ones that others can read here, with their threads. Threads that someone has opened here have other ids.
 * @throws {ImportRefusedError} when the group would have too many channels
 */
async function missingPlaces(
  { db, content, attempt }: Run,
  ids: Ids,
): Promise<{
  fresh: Set<string>;
  deleted: Set<string>;
  changed: Set<string>;
  opened: Map<string, mongo.ObjectId>;
}> {
  const { newId } = ids;
  const fresh = new Set<string>();
  const deleted = new Set<string>();
  const changed = new Set<string>();
  const opened = new Map<string, mongo.ObjectId>();
  let added = 0;
  for (const line of content.channels.values()) {
    const { id, thread } = line;
    const _id = newId(id);
    if (thread !== null && changed.has(thread.parentId)) {
      changed.add(id);
      continue;
    }
    const here = await db.collection("channels").findOne({ _id, deletedAt: null });
    if (here !== null) {
      if (thread === null && isReadByOthers(here, line, ids)) changed.add(id);
      continue;
    }
    if (thread !== null) {
      const filter = { rootMessageId: newId(thread.rootMessageId), deletedAt: null };
      const other = await db.collection("channels").findOne(filter, { projection: { _id: 1 } });
      if (other !== null) {
        opened.set(id, other._id);
        continue;
      }
    }
    const wasImported = (await db.collection(IMPORTED_PLACES).findOne({ _id })) !== null;
    const isDeleted = (thread !== null && deleted.has(thread.parentId)) || wasImported;
    (isDeleted ? deleted : fresh).add(id);
    if (!isDeleted && thread === null) added += 1;
  }
  const filter = { groupId: attempt.groupId, deletedAt: null };
  const total = added + (added > 0 ? await db.collection("channels").countDocuments(filter) : 0);
  if (total > LIMITS.channelsPerGroup)
    throw new ImportRefusedError(
      `The group would have ${total} channels and sections; ${LIMITS.channelsPerGroup} is the maximum. Delete some first, or leave them out of the export. Nothing was changed.`,
      {
        code: "channelLimit",
        details: { total: String(total), max: String(LIMITS.channelsPerGroup) },
      },
    );
  return { fresh, deleted, changed, opened };
}

/** Whether a private channel of the export is visible here to people who aren't in it there. */
function isReadByOthers(
  here: mongo.Document,
  { overrides }: GroupFileLineOf<"channel">,
  { userId }: Ids,
): boolean {
  const viewersOf = (all: readonly mongo.Document[]) =>
    viewers(
      all.map(({ type, id, allow, deny }) => ({
        target: type === "everyone" ? { type } : { type, id: String(id) },
        allow,
        deny,
      })),
    );
  const there = viewersOf(overrides);
  if (there.everyone) return false;
  const now = viewersOf((here["overrides"] as mongo.Document[] | undefined) ?? []);
  const allowed = new Set(there.memberIds.map((id) => String(userId(id))));
  return now.everyone || now.roleIds.length > 0 || now.memberIds.some((id) => !allowed.has(id));
}

/**
 * A new thread of a channel with many open ones is archived.
 * @param open the number of open threads by channel, as far as it is known
 */
async function openIfRoom(
  db: mongo.Db,
  thread: mongo.Document,
  open: Map<string, number>,
): Promise<mongo.Document> {
  if (thread["threadState"] !== "open") return thread;
  const parentId = thread["parentId"] as mongo.ObjectId;
  const filter = { parentId, threadState: "open" };
  const before =
    open.get(String(parentId)) ??
    (await db.collection("channels").countDocuments(filter, { limit: OPEN_THREADS }));
  open.set(String(parentId), before + 1);
  if (before < OPEN_THREADS) return thread;
  return { ...thread, threadState: "archived", archivedAt: thread["lastActivityAt"] };
}

async function* messagesOf({ file, origin }: Run): AsyncGenerator<LoggedMessage> {
  let message: (LoggedMessage & { reactions: GroupFileLineOf<"reaction">[] }) | null = null;
  for await (const { line } of readLines(file)) {
    if (line.type === "message") {
      if (message !== null) yield message;
      message = { line, reactions: [], files: await origin.files.of(line.id) };
    } else if (line.type === "reaction" && message !== null) message.reactions.push(line);
  }
  if (message !== null) yield message;
}

interface Joined {
  added: number;
  /** Who were members since an earlier import, and aren't any more. */
  left: number;
}

/**
 * Adds users with an account here, and the owner.
 * @param ownerId null: the group has one
 */
async function addMembers(
  { db, file, lease }: Run,
  batches: Batches,
  { known }: ResolvedUsers,
  { groupId, newId, userId }: Ids,
  ownerId: mongo.ObjectId | null,
): Promise<Joined> {
  const joined = new Set<string>();
  let left = 0;
  const has = async (name: string, id: mongo.ObjectId): Promise<boolean> =>
    (await db.collection(name).findOne({ groupId, userId: id }, { projection: { _id: 1 } })) !== null;
  const join = async (id: mongo.ObjectId, rest: mongo.Document): Promise<void> => {
    if (joined.has(String(id))) return;
    lease.signal.throwIfAborted();
    if (ownerId === null && (await has("members", id))) return;
    if (ownerId === null && ((await has("formerMembers", id)) || (await has("bans", id)))) {
      left += 1;
      return;
    }
    const groups = await db
      .collection("members")
      .countDocuments({ userId: id }, { limit: LIMITS.groupsPerUser });
    if (groups >= LIMITS.groupsPerUser) return;
    joined.add(String(id));
    await batches.add("members", { _id: new mongo.ObjectId(), groupId, userId: id, ...rest });
  };
  for await (const { line } of readLines(file)) {
    if (line.type !== "member" || !known.has(line.userId)) continue;
    await join(userId(line.userId), {
      ...(line.roleIds.length > 0 && { roleIds: line.roleIds.map(newId) }),
      mutedUntil: line.mutedUntil === null ? null : new Date(line.mutedUntil),
      joinedAt: new Date(line.joinedAt),
    });
  }
  if (ownerId !== null) await join(ownerId, { mutedUntil: null, joinedAt: new Date() });
  return { added: joined.size, left };
}

/**
 * Validates a whole file, including references between its lines.
 * @param files of its messages, or null if they aren't imported
 * @throws {ImportRefusedError} with the line number
 */
export async function survey(file: string, files: MessageFiles | null): Promise<SurveyedFile> {
  const checker = createGroupChecker();
  const ids = createHash("sha256");
  for await (const { line } of readLines(file, (next) => checker.add(next)))
    if (line.type === "message") ids.update(`${line.channelId} ${line.id}\n`);
    else if (line.type === "channel" || line.type === "role") ids.update(`${line.type} ${line.id}\n`);
    else if (line.type === "member") ids.update(`member ${line.userId}\n`);
  if (files !== null) ids.update(files.hash());
  try {
    return { file, content: checker.finish(), contentHash: ids.digest("hex") };
  } catch (error) {
    throw toFileError(file, error);
  }
}

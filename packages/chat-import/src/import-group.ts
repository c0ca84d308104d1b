import { createHash } from "node:crypto";
import { type Attachment, LIMITS, type GroupFileLineOf } from "@fanfare/contract";
import {
  channelDocument,
  createNewIds,
  groupDocument,
  messageDocument,
  roleDocument,
  type Ids,
  type Survey,
  createGroupChecker,
} from "@fanfare/group-file";
import { DURABLE } from "@fanfare/kernel";
import { mongo } from "mongoose";
import { type Attempt, beginImport, hashOf, type ImportSource } from "./import-record.ts";
import { type ImportLease, withImportLease } from "./import-lease.ts";
import {
  DUPLICATE_KEY,
  type ImportedFiles,
  ImportRefusedError,
  type ImportTarget,
  readLines,
  recordUnfinished,
  type ResolvedUsers,
  resolveUsers,
  revertInterrupted,
  toFileError,
  type UserOptions,
} from "./import-steps.ts";
import type { Bytes } from "./inputs.ts";
import type { KeptFile, MessageFiles } from "./message-files.ts";

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

  /** @throws when the import is stopped */
  assertRunning(): void {
    this.#signal.throwIfAborted();
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
    this.assertRunning();
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

const isOnlyDuplicates = (error: unknown): boolean =>
  error instanceof mongo.MongoBulkWriteError &&
  error.result.getWriteErrorCount() > 0 &&
  error.result.getWriteConcernError() === undefined &&
  error.result.getWriteErrors().every(({ code }) => code === DUPLICATE_KEY);

export interface Imported extends Pick<ResolvedUsers, "renamed" | "unusedEmails"> {
  groupId: string;
  /** Whether an earlier import was interrupted, and this one has added what was missing. */
  isContinued: boolean;
  members: number;
  messages: number;
  placeholders: number;
  accounts: number;
  files: FileCounts;
}

interface FileCounts {
  stored: number;
  damaged: number;
  /** Left out, because the quota of the instance is used up. */
  full: number;
}

/** The files of the messages of a file. */
interface GroupFiles {
  /** Called for each message, in their order. */
  of: (messageId: string) => Promise<readonly KeptFile[]>;
  open: (key: string) => Promise<Bytes>;
}

/** What an import knows besides the group file. */
export interface GroupOrigin {
  files: GroupFiles;
  /** null: a second group can be made of the same file. */
  source: ImportSource | null;
  /** Called for each message that is stored. */
  onMessage?: () => void;
  /** Interrupts the import, which keeps what it has stored. */
  signal?: AbortSignal;
}

const GROUP_FILE: GroupOrigin = {
  files: { of: async () => [], open: () => Promise.reject(new Error("a group file has no files")) },
  source: null,
};

interface SurveyedFile {
  file: string;
  content: Survey;
  /** Of the ids of all channels, roles and messages, in their order, and of the files. */
  contentHash: string;
}

/**
 * Creates a group from a file. The group itself is written last: until then it is invisible, and the next import removes the remains
 * of an interrupted one, unless it continues it.
 * @throws {ImportRefusedError} when there is no account to own the group, it was already imported, or another import is running
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
  { files, source, onMessage = () => undefined }: GroupOrigin,
  lease: ImportLease,
): Promise<Imported> {
  const attempt = await beginImport(target.db, content.group.id, source, contentHash);
  let continuable = attempt.isContinued ? attempt.groupId : null;
  await revertInterrupted(target, continuable, lease.signal);
  let imported: Imported;
  try {
    imported = await write(target, { file, files, attempt, onMessage, lease }, content, options);
  } catch (error) {
    // Another import can be continuing this one by now, and errors can be due to that.
    if (!(await lease.isHeld()))
      throw new Error(`the import was interrupted: ${String(lease.signal.reason)}`, { cause: error });
    continuable = null;
    const isDuplicate = error instanceof mongo.MongoServerError && error.code === DUPLICATE_KEY;
    if (!isDuplicate && !(error instanceof ImportRefusedError) && source !== null)
      continuable = attempt.groupId;
    await revertInterrupted(target, continuable, lease.signal);
    if (isDuplicate) throw new ImportRefusedError(`${file}: it contains duplicates. Nothing was changed.`);
    throw error;
  }
  await revertInterrupted(target, continuable, lease.signal);
  return imported;
}

interface Source {
  file: string;
  files: GroupFiles;
  attempt: Attempt;
  onMessage: () => void;
  lease: ImportLease;
}

async function write(
  { db, imported, storing }: ImportTarget,
  { file, files, attempt, onMessage, lease }: Source,
  content: Survey,
  options: UserOptions,
): Promise<Imported> {
  const { isContinued, groupId, startedAt } = attempt;
  const newId = createNewIds(attempt.salt);
  const seconds = startedAt === null ? null : mongo.ObjectId.createFromTime(startedAt.getTime() / 1000);
  const newUserId = (id: string): mongo.ObjectId =>
    newId(seconds === null ? id : String(seconds).slice(0, 8) + id.slice(8));
  const users = await resolveUsers(db, content, options, { groupId, newUserId, isContinued }, imported);
  const { accounts, placeholders, renamed, unusedEmails } = users;
  const added = [...accounts, ...placeholders];
  const { group, channels, roles } = content;
  const ids: Ids = { groupId, newId, userId: (id) => users.ids.get(id) ?? newId(id) };
  await recordUnfinished(
    db,
    groupId,
    [...channels.keys()].map(newId),
    added.map(({ _id }) => _id),
  );
  const batches = new Batches(db, isContinued, lease.signal);
  for (const user of added) await batches.add("users", user);
  for (const role of roles.values()) await batches.add("roles", roleDocument(role, ids));
  for (const channel of channels.values()) await batches.add("channels", channelDocument(channel, ids));
  if (group.wordFilter !== null)
    await batches.add("wordFilters", { _id: groupId, rev: 1, ...group.wordFilter });
  await batches.flush();
  const attacher = new Attacher({
    storing,
    files,
    ids,
    stored: isContinued ? db.collection("messages") : null,
  });
  const messages = await writeMessages(batches, file, ids, { attacher, onMessage });
  const members = await writeMembers(db, batches, file, users, ids);
  await batches.flush();
  if (!(await lease.isHeld())) throw new Error("another import can have started");
  await batches.add("groups", groupDocument(group, users.ownerId, members, ids));
  await batches.flush();
  return {
    groupId: String(groupId),
    isContinued,
    members,
    messages,
    files: attacher.counts,
    placeholders: placeholders.length,
    accounts: accounts.length + users.madeBefore,
    renamed,
    unusedEmails,
  };
}

/** Stores the files of messages. */
class Attacher {
  readonly counts: FileCounts = { stored: 0, damaged: 0, full: 0 };
  readonly #storing: ImportedFiles;
  readonly #files: GroupFiles;
  readonly #ids: Ids;
  /** The messages that the interrupted part has stored can be among them; null: there is none. */
  readonly #stored: mongo.Collection | null;

  constructor({
    storing,
    files,
    ids,
    stored,
  }: {
    storing: ImportedFiles;
    files: GroupFiles;
    ids: Ids;
    stored: mongo.Collection | null;
  }) {
    this.#storing = storing;
    this.#stored = stored;
    this.#files = files;
    this.#ids = ids;
  }

  /** @returns the number of its files if it is already stored, which isn't changed, or null */
  async #storedBefore({ _id }: mongo.Document): Promise<number | null> {
    const found = await this.#stored?.findOne({ _id }, { projection: { attachments: 1 } });
    if (found === null || found === undefined) return null;
    return ((found["attachments"] ?? []) as unknown[]).length;
  }

  /** @param id of the message in the file. @returns the message with its files, or their names if they can't be stored */
  async attach(message: mongo.Document, id: string): Promise<mongo.Document> {
    const attachments: Attachment[] = [];
    const instead: string[] = [];
    const files = await this.#files.of(id);
    const before = files.length === 0 ? null : await this.#storedBefore(message);
    if (before !== null) {
      this.counts.stored += before;
      return message;
    }
    for (const [index, kept] of files.entries()) {
      const stored = await this.#storing.store({
        fileId: String(this.#ids.newId(fileIdOf(id, index))),
        ownerId: String(message["authorId"]),
        channelId: String(message["channelId"]),
        groupId: String(this.#ids.groupId),
        nonce: message["nonce"] as string,
        name: kept.name,
        bytes: kept.bytes,
        createdAt: message["createdAt"] as Date,
        open: () => this.#files.open(kept.key),
      });
      this.counts[stored.outcome] += 1;
      if (stored.outcome === "stored") attachments.push(stored.attachment);
      else instead.push(kept.instead);
    }
    const content = [message["content"] as string, ...instead].filter(Boolean).join("\n\n");
    return {
      ...message,
      ...(instead.length > 0 && { content: content.slice(0, LIMITS.messageMaxChars).toWellFormed() }),
      ...(attachments.length > 0 && { attachments }),
    };
  }
}

/** The id that a file would have in the group file: of the same time as its message, and the same each time. */
const fileIdOf = (messageId: string, index: number): string =>
  messageId.slice(0, 8) + hashOf([messageId, index]).slice(0, 16);

/** Renumbers them without gaps. @returns the number of messages */
async function writeMessages(
  batches: Batches,
  file: string,
  ids: Ids,
  { attacher, onMessage }: { attacher: Attacher; onMessage: () => void },
): Promise<number> {
  const heads = new Map<string, number>();
  let messages = 0;
  let message: mongo.Document | null = null;
  let reactions = new Map<string, { emoji: string; count: number; userIds: string[] }>();
  const finish = async (): Promise<void> => {
    if (message === null) return;
    if (reactions.size > 0) message["reactions"] = [...reactions.values()];
    await batches.add("messages", message);
    message = null;
    reactions = new Map();
  };
  const react = async (
    { emoji, ...line }: GroupFileLineOf<"reaction">,
    { _id, channelId }: mongo.Document,
  ) => {
    const userId = ids.userId(line.userId);
    const shown = reactions.get(emoji) ?? { emoji, count: 0, userIds: [] };
    reactions.set(emoji, shown);
    shown.count += 1;
    if (shown.userIds.length < LIMITS.reactionUsersShown) shown.userIds.push(String(userId));
    // The same each time, so that an interrupted import can continue.
    const id = new mongo.ObjectId(hashOf([String(_id), emoji, String(userId)]).slice(0, 24));
    await batches.add("reactions", { _id: id, channelId, messageId: _id, emoji, userId });
  };
  for await (const { line } of readLines(file)) {
    if (line.type === "message") {
      await finish();
      const seq = (heads.get(line.channelId) ?? 0) + 1;
      heads.set(line.channelId, seq);
      messages += 1;
      batches.assertRunning();
      onMessage();
      message = await attacher.attach(messageDocument(line, seq, ids), line.id);
    } else if (line.type === "reaction" && message !== null) {
      await react(line, message);
    }
  }
  await finish();
  for (const [id, seq] of heads) await batches.add("channelHeads", { _id: ids.newId(id), seq, rev: seq });
  return messages;
}

/** Adds users with an account here, and the owner. @returns the number of members */
async function writeMembers(
  db: mongo.Db,
  batches: Batches,
  file: string,
  { known, ownerId }: ResolvedUsers,
  { groupId, newId, userId }: Ids,
): Promise<number> {
  const joined = new Set<string>();
  const join = async (id: mongo.ObjectId, rest: mongo.Document): Promise<void> => {
    if (joined.has(String(id))) return;
    batches.assertRunning();
    const groups = await db
      .collection("members")
      .countDocuments({ userId: id }, { limit: LIMITS.groupsPerUser });
    if (groups >= LIMITS.groupsPerUser) {
      if (!id.equals(ownerId)) return;
      throw new ImportRefusedError(
        `The owner is already in ${LIMITS.groupsPerUser} groups. Nothing was changed.`,
      );
    }
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
  await join(ownerId, { mutedUntil: null, joinedAt: new Date() });
  return joined.size;
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
  if (files !== null) ids.update(files.hash());
  try {
    return { file, content: checker.finish(), contentHash: ids.digest("hex") };
  } catch (error) {
    throw toFileError(file, error);
  }
}

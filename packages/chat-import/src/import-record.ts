import { createHash } from "node:crypto";
import type { GroupFileContent } from "@fanfare/contract";
import { createNewIds, newSalt } from "@fanfare/group-file";
import { DURABLE } from "@fanfare/kernel";
import { mongo } from "mongoose";
import { emailsOf, userId, usernameOf, type Users } from "./history.ts";
import { ImportRefusedError, IMPORTS, previewMatches, UNFINISHED } from "./import-steps.ts";
import { matchedBy, type Matches, printable, type Report } from "./report.ts";

/** What an export is of. */
export interface ImportSource {
  key: string;
  /** Those of the command that change what becomes of the export. */
  options: readonly unknown[];
  /** null: no other import is of the same origin, whatever it contains. */
  sample: ExportSample | null;
  /** The group that the operator has named, or has seen in the report. */
  into: string | null;
}

const SAMPLES_PER_CHANNEL = 100;

/** The name of a converted export, and some messages of each channel. */
export class ExportSample {
  name = "";
  readonly #channels = new Map<string, { ids: string[]; seen: number; every: number }>();
  readonly #parents = new Map<string, string>();

  add(line: GroupFileContent): void {
    if (line.type === "group") this.name = line.name;
    if (line.type === "channel" && line.thread !== null) this.#parents.set(line.id, line.thread.parentId);
    if (line.type !== "message") return;
    const channelId = this.#parents.get(line.channelId) ?? line.channelId;
    const sample = this.#channels.get(channelId) ?? { ids: [], seen: 0, every: 1 };
    this.#channels.set(channelId, sample);
    if (sample.seen++ % sample.every > 0 || sample.ids.push(line.id) < SAMPLES_PER_CHANNEL) return;
    sample.ids = sample.ids.filter((_, index) => index % 2 === 0);
    sample.every *= 2;
  }

  /** By channel, of those that have messages. */
  messageIds(): string[][] {
    return [...this.#channels.values()].map(({ ids }) => ids);
  }
}

/** The group that an import adds to, or makes. */
export interface Destination {
  /** null: a new one. */
  groupId: string | null;
  name: string;
}

/** @throws {ImportRefusedError} when the named group isn't of the same origin */
export async function destinationOf(db: mongo.Db, source: ImportSource): Promise<Destination> {
  const { group } = await findImport(db, source);
  return group === null
    ? { groupId: null, name: source.sample?.name ?? "" }
    : { groupId: String(group._id), name: group["name"] as string };
}

/** Reports the existing accounts that users of an export would become, if they are matched. */
export async function describeMatches(
  db: mongo.Db,
  source: ImportSource,
  users: Users,
  report: Report,
): Promise<void> {
  const { before, group } = await findImport(db, source);
  const emails = emailsOf(users);
  const listed = [...users.values()].map(({ key, username, name }) => ({
    id: userId(key),
    username: usernameOf(username),
    name,
  }));
  const newUserId = before === null || group === null ? null : createNewUserIds(before);
  const { accounts, unverified } = await previewMatches({ db, emails }, listed, newUserId);
  report.matches = { by: matchedBy(emails), accounts };
  report.note("unverifiedMatches", unverified);
}

/**
 * What an import makes: a group, what an interrupted one of the same export has not made yet, or what is new since an earlier export.
 */
export type AttemptKind = "new" | "continued" | "added";

/** The ids of an import: later ones of the same origin have the same. */
export interface Attempt {
  kind: AttemptKind;
  salt: string;
  groupId: mongo.ObjectId;
  /** The time in the ids of new users. null: the one in the file. */
  startedAt: Date | null;
  /** Whether no import of the origin was completed, so that what is there already counts as imported. */
  isFirst: boolean;
  /** null: it isn't recorded. */
  recordId: string | null;
}

interface ImportDocument {
  _id: string;
  salt: string;
  groupId: mongo.ObjectId;
  startedAt: Date;
  /** An interrupted import is only continued with the same channels, roles, messages, options and way to match accounts. */
  fingerprint: string;
  /** Absent in those of earlier versions. */
  contentHash?: string;
  /** With all direct messages. */
  completedAt?: Date;
}

export const hashOf = (values: readonly unknown[]): string =>
  createHash("sha256").update(JSON.stringify(values)).digest("hex");

/** An id that is the same each time, at the time of another one. */
export const idAtTimeOf = (id: string, values: readonly unknown[]): mongo.ObjectId =>
  new mongo.ObjectId(id.slice(0, 8) + hashOf(values).slice(0, 16));

/** Ids of new users, at the time of the import. */
export function createNewUserIds({
  salt,
  startedAt,
}: Pick<Attempt, "salt" | "startedAt">): (id: string) => mongo.ObjectId {
  const newId = createNewIds(salt);
  const seconds = startedAt === null ? null : mongo.ObjectId.createFromTime(startedAt.getTime() / 1000);
  return (id) => newId(seconds === null ? id : String(seconds).slice(0, 8) + id.slice(8));
}

/** A deleted group is removed in the background. */
const findGroup = (db: mongo.Db, _id: mongo.ObjectId) =>
  db.collection("groups").findOne({ _id, deletedAt: null });

/**
 * The earlier import of the same origin, its group unless that was deleted, and the id of the record of this import.
 * @throws {ImportRefusedError} when the named group isn't of the same origin
 */
async function findImport(
  db: mongo.Db,
  { key, sample, into }: ImportSource,
): Promise<{ before: ImportDocument | null; group: mongo.Document | null; recordId: string }> {
  const imports = db.collection<ImportDocument>(IMPORTS);
  const recordId = hashOf([key]);
  const same = await imports.findOne({ _id: recordId });
  const others = same === null || into !== null ? imports.find({ salt: { $exists: true } }) : null;
  const candidates = [same, ...((await others?.sort({ startedAt: 1 }).toArray()) ?? [])];
  for (const one of candidates) {
    if (one === null || (into !== null && String(one.groupId) !== into)) continue;
    const group = await findGroup(db, one.groupId);
    if (group === null || (one !== same && !(await isOfOrigin(db, sample, one.salt)))) continue;
    // So that the first group of the origin stays the one that isn't named.
    const isSecond = one !== same && same !== null && (await findGroup(db, same.groupId)) !== null;
    return { before: one, group, recordId: isSecond ? one._id : recordId };
  }
  if (into === null) return { before: same, group: null, recordId };
  throw new ImportRefusedError(
    `Group ${into} isn't of an earlier export of the same origin. Nothing was changed.`,
    { code: "otherDestination" },
  );
}

/**
 * Some exports have no id of their origin. Workspaces can share channels, and channels can be moved, so that more than half of the
 * channels must have messages that were imported.
 */
async function isOfOrigin(db: mongo.Db, sample: ExportSample | null, salt: string): Promise<boolean> {
  const channels = sample?.messageIds() ?? [];
  const newId = createNewIds(salt);
  let known = 0;
  for (const ids of channels) {
    const filter = { _id: { $in: ids.map(newId) } };
    if ((await db.collection("messages").findOne(filter, { projection: { _id: 1 } })) !== null) known += 1;
  }
  return known > channels.length / 2;
}

/**
 * Finds the earlier import of the same origin, or begins one. Only the same content is added to a group that the operator hasn't named.
 * @param groupId in the file
 * @param source null: it isn't recorded, so that it can't be continued
 * @throws {ImportRefusedError} when the operator must name the group, or has named one that isn't of the same origin
 */
export async function beginImport(
  db: mongo.Db,
  groupId: string,
  source: ImportSource | null,
  contentHash: string,
  by: Matches["by"],
): Promise<Attempt> {
  const salt = newSalt();
  const begun = { salt, groupId: createNewIds(salt)(groupId) };
  if (source === null) return { ...begun, kind: "new", startedAt: null, isFirst: true, recordId: null };
  const fingerprint = hashOf([groupId, contentHash, by, ...source.options]);
  const { before, group, recordId } = await findImport(db, source);
  const record = (made: Omit<ImportDocument, "_id">) =>
    db
      .collection<ImportDocument>(IMPORTS)
      .replaceOne({ _id: recordId }, made, { upsert: true, writeConcern: DURABLE });
  if (before !== null) {
    const { _id, ...same } = before;
    const isFirst = same.completedAt === undefined && same.fingerprint === fingerprint;
    if (group !== null) {
      if (source.into === null && same.contentHash !== contentHash) throw unnamed(group);
      await record(same);
      return { ...same, kind: "added", isFirst, recordId };
    }
    const isUnfinished = (await db.collection(UNFINISHED).findOne({ groupId: same.groupId })) !== null;
    if (isUnfinished && isFirst) return { ...same, kind: "continued", isFirst, recordId };
  }
  const startedAt = new Date();
  await record({ ...begun, startedAt, fingerprint, contentHash });
  return { ...begun, kind: "new", startedAt, isFirst: true, recordId };
}

const unnamed = ({ _id, name }: mongo.Document): ImportRefusedError =>
  new ImportRefusedError(
    `It would add to group ${String(_id)}: ${printable(name as string)}. Name it with --into ${String(_id)}, or make another group with --again. Nothing was changed.`,
    { code: "otherDestination" },
  );

export async function completeImport(db: mongo.Db, { recordId }: Attempt): Promise<void> {
  if (recordId === null) return;
  const change = { $set: { completedAt: new Date() } };
  await db.collection<ImportDocument>(IMPORTS).updateOne({ _id: recordId }, change);
}

import { join, sep } from "node:path";
import type { mongo } from "mongoose";
import { pathsIn } from "../backup/files.ts";
import { checkLog } from "./check-log.ts";

/** The exit code when faults remain. */
export const EXIT_FINDINGS_LEFT = 2;

/** Orphans first, so that other checks don't count them. @param filesDir undefined: files are stored in S3 */
export const allChecks = (filesDir: string | undefined): Check[] => [
  checkOrphans,
  checkLog,
  checkMemberCounts,
  checkOwners,
  checkFiles(filesDir),
];

type Owners = "users" | "groups" | "channels" | "messages";

interface Reference {
  collection: string;
  field: string;
  owner: Owners;
  /** Whether it can be removed without losing a user's content; otherwise a person must decide. */
  isSafe: boolean;
}

const REFERENCES: readonly Reference[] = [
  { collection: "channels", field: "groupId", owner: "groups", isSafe: false },
  { collection: "channels", field: "parentId", owner: "channels", isSafe: false },
  { collection: "messages", field: "channelId", owner: "channels", isSafe: false },
  { collection: "members", field: "groupId", owner: "groups", isSafe: true },
  { collection: "members", field: "userId", owner: "users", isSafe: true },
  { collection: "emoji", field: "groupId", owner: "groups", isSafe: true },
  { collection: "roles", field: "groupId", owner: "groups", isSafe: true },
  { collection: "invites", field: "groupId", owner: "groups", isSafe: true },
  { collection: "bans", field: "groupId", owner: "groups", isSafe: true },
  { collection: "mutes", field: "groupId", owner: "groups", isSafe: true },
  { collection: "readMarkers", field: "channelId", owner: "channels", isSafe: true },
  { collection: "readMarkers", field: "userId", owner: "users", isSafe: true },
  { collection: "reactions", field: "messageId", owner: "messages", isSafe: true },
  { collection: "messageEdits", field: "messageId", owner: "messages", isSafe: true },
  { collection: "searchEntries", field: "_id", owner: "messages", isSafe: true },
  { collection: "sessions", field: "userId", owner: "users", isSafe: true },
  // A file without a channel is a picture or still unclaimed.
  { collection: "files", field: "channelId", owner: "channels", isSafe: false },
];

/** Checks that the owners of documents exist. */
export const checkOrphans: Check = async function* (db) {
  // Removals in progress are completed by the services.
  const removals = new Set<string>(
    await db.collection("jobs").distinct("key", { kind: "message.removeChannel" }),
  );
  for (const owner of ["users", "groups", "channels", "messages"] as const) {
    const references = REFERENCES.filter((reference) => reference.owner === owner);
    const known = await idsOf(db, owner);
    for (const reference of references) yield* orphansOf(db, reference, known, removals);
  }
};

async function* orphansOf(
  db: mongo.Db,
  { collection, field, owner, isSafe }: Reference,
  known: ReadonlySet<string>,
  removals: ReadonlySet<string>,
) {
  const documents = db.collection(collection);
  // A legal hold keeps former texts of messages that are gone, and deleted files.
  const cursor = documents.find(
    { [field]: { $exists: true }, held: { $ne: true }, state: { $ne: "deleting" } },
    { projection: { [field]: 1, channelId: 1 } },
  );
  for await (const { _id, ...rest } of cursor) {
    const id = String(field === "_id" ? _id : rest[field]);
    if (known.has(id) || removals.has(id) || removals.has(String(rest["channelId"]))) continue;
    yield {
      description: `${collection} ${String(_id)} belongs to ${owner} ${id}, which does not exist`,
      ...(isSafe && { repair: () => documents.deleteOne({ _id }) }),
    };
  }
}

/** Checks that member counts match the member documents. */
export const checkMemberCounts: Check = async function* (db) {
  const counts = new Map<string, number>();
  for await (const { groupId } of db.collection("members").find({}, { projection: { groupId: 1 } })) {
    const id = String(groupId);
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  const groups = db.collection<{ _id: mongo.ObjectId; memberCount: number }>("groups");
  for await (const { _id, memberCount } of groups.find({ deletedAt: { $exists: false } })) {
    const counted = counts.get(String(_id)) ?? 0;
    if (counted === memberCount) continue;
    yield {
      description: `group ${String(_id)} has memberCount ${memberCount}, but ${counted} members`,
      repair: () => groups.updateOne({ _id }, { $set: { memberCount: counted } }),
    };
  }
};

/** Checks that each group has an owner who is a member. */
const checkOwners: Check = async function* (db) {
  const members = db.collection("members");
  const groups = db.collection<{ _id: mongo.ObjectId; ownerId: mongo.ObjectId }>("groups");
  for await (const { _id, ownerId } of groups.find({ deletedAt: { $exists: false } })) {
    if ((await members.findOne({ groupId: _id, userId: ownerId })) === null)
      yield { description: `group ${String(_id)} is owned by ${String(ownerId)}, who is not a member` };
  }
};

const ID = /[\da-f]{24}/;
/** Other files can lack bytes, because they are being uploaded or deleted. */
const WHOLE = { state: { $in: ["unclaimed", "attached", "picture"] } };

/**
 * Checks that files on disk and in the database match.
 * @param filesDir undefined: files are stored in S3
 */
function checkFiles(filesDir: string | undefined): Check {
  return async function* (db) {
    if (filesDir === undefined) return;
    for await (const path of unknownFiles(db, filesDir))
      yield { description: `${path} is not in the database` };
    const names = new Set((await pathsIn(filesDir)).map((path) => path.split(sep).at(-1)));
    for await (const file of db.collection("files").find(WHOLE)) {
      const missing = namesOf(file).filter((name) => !names.has(name));
      if (missing.length > 0)
        yield { description: `file ${String(file._id)} is missing on disk: ${missing.join(", ")}` };
    }
  };
}

/** Paths of files on disk that the database doesn't know. */
export async function* unknownFiles(db: mongo.Db, filesDir: string): AsyncGenerator<string> {
  const [files, exports] = [await idsOf(db, "files"), await idsOf(db, "chatImports")];
  for (const path of await pathsIn(filesDir)) {
    const id = ID.exec(path.slice(join(filesDir, sep).length))?.[0];
    if (id !== undefined && !files.has(id) && !exports.has(id)) yield path;
  }
}

/** Names of all stored objects of a file. */
function namesOf({ _id, variants, pictureName }: mongo.Document): string[] {
  const names = ((variants ?? []) as string[]).map((variant) => `${String(_id)}.${variant}`);
  return pictureName === undefined ? names : [...names, `${String(pictureName)}.webp`];
}

interface CheckResult {
  found: number;
  repaired: number;
}

/** @param report called with each fault and whether it was repaired */
export async function runChecks(
  db: mongo.Db,
  checks: readonly Check[],
  repair: boolean,
  report: (line: string) => void,
): Promise<CheckResult> {
  const result: CheckResult = { found: 0, repaired: 0 };
  for (const check of checks) {
    for await (const fault of check(db)) {
      result.found += 1;
      if (!repair || fault.repair === undefined) {
        report(fault.repair === undefined ? `${fault.description} (not repairable)` : fault.description);
        continue;
      }
      await fault.repair();
      result.repaired += 1;
      report(`${fault.description}: repaired`);
    }
  }
  return result;
}

/** An inconsistency in the data. */
export interface Finding {
  description: string;
  /** Absent when a person must decide. */
  repair?: () => Promise<unknown>;
}

export type Check = (db: mongo.Db) => AsyncGenerator<Finding>;

/** Ids of the documents that match `filter`. */
async function idsOf(
  db: mongo.Db,
  collection: string,
  filter: mongo.Filter<mongo.Document> = {},
): Promise<Set<string>> {
  const ids = new Set<string>();
  for await (const { _id } of db.collection(collection).find(filter, { projection: { _id: 1 } }))
    ids.add(String(_id));
  return ids;
}

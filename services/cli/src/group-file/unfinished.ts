import { DURABLE } from "@fanfare/kernel";
import { mongo } from "mongoose";
import { CliError } from "../cli-error.ts";

/** What an import has begun to write: noted before it is written, so that whatever breaks off can be taken back. */
interface Unfinished {
  _id: mongo.ObjectId;
  groupId: mongo.ObjectId;
  channelIds: mongo.ObjectId[];
  userIds: mongo.ObjectId[];
}

const COLLECTION = "unfinishedImports";
const IDS_PER_NOTE = 10_000;

export async function note(
  db: mongo.Db,
  groupId: mongo.ObjectId,
  channelIds: readonly mongo.ObjectId[],
  userIds: readonly mongo.ObjectId[],
): Promise<void> {
  const notes: Unfinished[] = [];
  const length = Math.max(channelIds.length, userIds.length, 1);
  for (let at = 0; at < length; at += IDS_PER_NOTE) {
    const part = <T>(ids: readonly T[]): T[] => ids.slice(at, at + IDS_PER_NOTE);
    notes.push({
      _id: new mongo.ObjectId(),
      groupId,
      channelIds: part(channelIds),
      userIds: part(userIds),
    });
  }
  await db.collection<Unfinished>(COLLECTION).insertMany(notes, { writeConcern: DURABLE });
}

/** @throws {CliError} when another import has taken this one for broken off */
export async function assertNoted(db: mongo.Db, groupId: mongo.ObjectId): Promise<void> {
  if ((await db.collection<Unfinished>(COLLECTION).findOne({ groupId })) === null)
    throw new CliError("Another import was started meanwhile. Nothing was changed: run one after the other.");
}

/** Takes back what was broken off, and forgets what was finished. */
export async function sweep(db: mongo.Db): Promise<void> {
  const notes = db.collection<Unfinished>(COLLECTION);
  for (const { _id, groupId, channelIds, userIds } of await notes.find().toArray()) {
    if ((await db.collection("groups").findOne({ _id: groupId })) === null) {
      for (const name of ["messages", "reactions"])
        for (const channelId of channelIds) await db.collection(name).deleteMany({ channelId });
      await db.collection("channelHeads").deleteMany({ _id: { $in: channelIds } });
      await db.collection("channels").deleteMany({ _id: { $in: channelIds } });
      await db.collection("users").deleteMany({ _id: { $in: userIds } });
      for (const name of ["roles", "members"]) await db.collection(name).deleteMany({ groupId });
      await db.collection("wordFilters").deleteMany({ _id: groupId });
    }
    await notes.deleteOne({ _id });
  }
}

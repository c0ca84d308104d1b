import { LIMITS } from "@fanfare/contract";
import { createNewIds, type Ids } from "@fanfare/group-file";
import { DURABLE } from "@fanfare/kernel";
import { mongo } from "mongoose";
import type { DirectMessages } from "./sinks.ts";
import { type Attempt, idAtTimeOf } from "./import-record.ts";
import { IMPORTED_PLACES, isDuplicateKey, type ResolvedUsers } from "./import-steps.ts";
import type { FileCounts, MessageLog } from "./message-log.ts";

export interface DirectCounts {
  /** Conversations with new messages. */
  channelIds: string[];
  messages: number;
  /** Messages that an earlier import has stored. */
  known: number;
  files: FileCounts;
  /** Conversations that no one could read, have too many members, or one who can't have more of them. */
  withoutAccount: number;
  large: number;
  overLimit: number;
  /** Messages that were deleted here, and those of group DMs that have other members here. */
  deletedHere: number;
  changedHere: number;
}

/** Why a conversation is left out, other than by its people: its messages are counted. */
type LeftOut = "deletedHere" | "changedHere";

interface Conversation {
  channelId: mongo.ObjectId;
  /** Those with an account. */
  readerIds: readonly mongo.ObjectId[];
  ids: Ids;
  /** Of the newest message that was there before. */
  seq: number;
  openedAt: Date;
  /** The members and authors. */
  people: Map<string, mongo.ObjectId>;
  /** Messages of all conversations that were added, or already there, before. */
  addedBefore: number;
  knownBefore: number;
}

/**
 * Adds direct messages to the conversations of the same people here, which are made if there are none. Only their participants can
 * read them. The ids of messages depend on the conversation, so that another import of them, such as with another team of the same
 * server, finds them.
 * @param directs null: none
 */
export async function writeDirects(
  db: mongo.Db,
  directs: DirectMessages | null,
  users: ResolvedUsers,
  log: MessageLog,
  attempt: Attempt,
): Promise<DirectCounts> {
  const counts: DirectCounts = {
    channelIds: [],
    messages: 0,
    known: 0,
    files: log.files,
    withoutAccount: 0,
    large: 0,
    overLimit: 0,
    deletedHere: 0,
    changedHere: 0,
  };
  if (directs === null) return counts;
  let id = "";
  let conversation: Conversation | LeftOut | null = null;
  const finish = async (): Promise<void> => {
    if (conversation === null || typeof conversation === "string") return;
    await log.flush();
    await finishConversation(db, conversation, log.known - conversation.knownBefore);
    if (log.added > conversation.addedBefore) counts.channelIds.push(String(conversation.channelId));
  };
  for await (const message of directs.read()) {
    const { line } = message;
    if (line.channelId !== id) {
      await finish();
      id = line.channelId;
      conversation = await openConversation(db, id, { directs, users, log, counts, attempt });
    }
    if (conversation === null) continue;
    if (typeof conversation === "string") {
      counts[conversation] += 1;
      continue;
    }
    const authorId = conversation.ids.userId(line.authorId);
    conversation.people.set(String(authorId), authorId);
    await log.add(message, conversation.ids, null);
  }
  await finish();
  return {
    ...counts,
    messages: log.added,
    known: log.known,
    deletedHere: counts.deletedHere + log.expired,
  };
}

interface Writing {
  directs: DirectMessages;
  users: ResolvedUsers;
  log: MessageLog;
  counts: DirectCounts;
  attempt: Attempt;
}

/** @returns null if it is left out because of its people */
async function openConversation(
  db: mongo.Db,
  id: string,
  { directs, users, log, counts, attempt }: Writing,
): Promise<Conversation | LeftOut | null> {
  const members = directs.members.get(id) ?? [];
  const idOf = (member: string): mongo.ObjectId => users.ids.get(member)!;
  // Two users of the export can be one account here.
  const people = new Map(members.map((member) => [String(idOf(member)), idOf(member)]));
  const memberIds = [...people.values()];
  const readerIds = members.filter((member) => users.known.has(member)).map(idOf);
  if (readerIds.length === 0) {
    counts.withoutAccount += 1;
    return null;
  }
  if (memberIds.length > LIMITS.membersPerGroupDirect) {
    counts.large += 1;
    return null;
  }
  const found = await channelOf(db, id, { memberIds, readerIds, users, attempt });
  if (typeof found === "string") return found;
  if (found === null) {
    counts.overLimit += 1;
    return null;
  }
  const channelId = found._id;
  const openedAt = new Date();
  const isMember = (userId: mongo.ObjectId): boolean => found.memberIds.some((one) => one.equals(userId));
  const newId = (one: string): mongo.ObjectId =>
    one === id ? channelId : idAtTimeOf(one, ["direct", String(channelId), one]);
  return {
    channelId,
    readerIds: readerIds.filter(isMember),
    ids: { groupId: channelId, newId, userId: (one) => users.ids.get(one) ?? newId(one) },
    seq: await headOf(db, channelId),
    openedAt,
    people,
    addedBefore: log.added,
    knownBefore: log.known,
  };
}

interface FoundChannel {
  _id: mongo.ObjectId;
  memberIds: readonly mongo.ObjectId[];
}

interface Wanted {
  memberIds: readonly mongo.ObjectId[];
  readerIds: readonly mongo.ObjectId[];
  users: ResolvedUsers;
  attempt: Attempt;
}

/**
 * The channel that an earlier export of the conversation became, or that of these people, which is made if there is none; null when
 * one of them has the maximum.
 */
async function channelOf(
  db: mongo.Db,
  id: string,
  { memberIds, readerIds, users, attempt }: Wanted,
): Promise<FoundChannel | LeftOut | null> {
  const channels = db.collection("channels");
  const places = db.collection(IMPORTED_PLACES);
  const names = memberIds.map(String).toSorted();
  const isGroup = memberIds.length > 2;
  // Notes to oneself have the key of a conversation with oneself, as elsewhere.
  const directKey = [names[0]!, names.at(-1)!].join(":");
  const groupDirectId = idAtTimeOf(id, ["groupDirect", id, ...names]);
  const recordId = createNewIds(attempt.salt)(id);
  const use = async (found: mongo.WithId<mongo.Document>): Promise<FoundChannel | LeftOut> => {
    if ((found["deletedAt"] ?? null) !== null) return "deletedHere";
    const members = found["memberIds"] as mongo.ObjectId[];
    const others = members.filter((one) => !names.includes(String(one)));
    if (others.length > 0 && (await countAccounts(db, others)) > 0) return "changedHere";
    const { groupId } = attempt;
    await record(recordId, { groupId, channelId: found._id });
    // Without the group: it stays deleted also when the group is imported again.
    if (isGroup && found._id.equals(groupDirectId)) await record(groupDirectId, { channelId: found._id });
    return { _id: found._id, memberIds: members };
  };
  const record = (_id: mongo.ObjectId, fields: mongo.Document) =>
    places.updateOne({ _id }, { $set: fields }, { upsert: true, writeConcern: DURABLE });
  const before = await places.findOne({ _id: recordId });
  if (before !== null) {
    const found = await channels.findOne({ _id: before["channelId"] as mongo.ObjectId });
    return found === null ? "deletedHere" : use(found);
  }
  const filter = isGroup ? { _id: groupDirectId } : { directKey };
  const existing = await channels.findOne(filter);
  if (existing !== null) return use(existing);
  if (isGroup && (await places.findOne({ _id: groupDirectId })) !== null) return "deletedHere";
  for (const userId of readerIds)
    if ((await countDirects(db, userId)) >= LIMITS.directChannelsPerUser) return null;
  const made = {
    _id: isGroup ? groupDirectId : new mongo.ObjectId(),
    kind: isGroup ? "groupDirect" : "direct",
    name: "",
    position: 0,
    memberIds: memberIds.filter((one) => !isGroup || !users.deleted.has(String(one))),
    ...(!isGroup && { directKey }),
    createdAt: new Date(),
    lastActivityAt: new Date(0),
  };
  try {
    await channels.insertOne(made, { writeConcern: DURABLE });
  } catch (error) {
    // Its members have just opened it themselves.
    if (!isDuplicateKey(error)) throw error;
  }
  const opened = await channels.findOne(filter);
  return opened === null ? "deletedHere" : use(opened);
}

/** Those among the users who aren't guests of an import, whom no one can log in as. */
const countAccounts = (db: mongo.Db, userIds: mongo.ObjectId[]): Promise<number> =>
  db.collection("users").countDocuments({ _id: { $in: userIds }, importedIn: { $exists: false } });

const countDirects = (db: mongo.Db, userId: mongo.ObjectId): Promise<number> =>
  db.collection("channels").countDocuments({ memberIds: userId }, { limit: LIMITS.directChannelsPerUser });

async function headOf(db: mongo.Db, channelId: mongo.ObjectId): Promise<number> {
  const head = await db.collection("channelHeads").findOne({ _id: channelId });
  return (head?.["seq"] as number | undefined) ?? 0;
}

/**
 * Imported messages count as read, unless there are unread ones before them.
 * @param imported those of an earlier import
 */
async function finishConversation(
  db: mongo.Db,
  { channelId, readerIds, people, seq: before, openedAt }: Conversation,
  imported: number,
): Promise<void> {
  await keepGuests(db, channelId, [...people.values()]);
  // Others can have written meanwhile.
  const live = db
    .collection("messages")
    .find({ channelId, seq: { $gt: before }, createdAt: { $gte: openedAt } });
  const firstLive = (await live.sort({ seq: 1 }).limit(1).next())?.["seq"] as number | undefined;
  const seq = firstLive === undefined ? await headOf(db, channelId) : firstLive - 1;
  if (seq <= before) return;
  const markers = db.collection("readMarkers");
  for (const userId of readerIds) {
    const marker = await markers.findOne({ userId, channelId });
    const hasRead = ((marker?.["seq"] as number | undefined) ?? 0) >= before || imported >= before;
    if (hasRead)
      await markers.updateOne(
        { userId, channelId },
        { $max: { seq } },
        { upsert: true, writeConcern: DURABLE },
      );
  }
}

/** When the group is deleted, its guests stay in this conversation. */
async function keepGuests(db: mongo.Db, channelId: mongo.ObjectId, people: mongo.ObjectId[]): Promise<void> {
  const users = db.collection<{ importedIn?: mongo.ObjectId | mongo.ObjectId[] }>("users");
  const guests = users.find({ _id: { $in: people }, importedIn: { $exists: true, $ne: channelId } });
  for await (const { _id, importedIn = [] } of guests) {
    // Guests of earlier versions have one id, not in a list.
    const change = { $set: { importedIn: [importedIn, channelId].flat() } };
    await users.updateOne({ _id, importedIn }, change, { writeConcern: DURABLE });
  }
}

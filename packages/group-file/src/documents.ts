import {
  type GroupFileLineOf,
  hidesFromSome,
  mapCards,
  mentionKey,
  type Override,
  viewers,
} from "@fanfare/contract";
import { mongo } from "mongoose";
import { MENTION } from "./lines-of.ts";
import { PROCESS_BYTES } from "./new-salt.ts";

export interface Ids {
  groupId: mongo.ObjectId;
  newId: (id: string) => mongo.ObjectId;
  /** The id of an imported user, who can already exist on this instance. */
  userId: (id: string) => mongo.ObjectId;
}

const date = (time: string | null): Date | null => (time === null ? null : new Date(time));

export function groupDocument(
  line: GroupFileLineOf<"group">,
  ownerId: mongo.ObjectId,
  memberCount: number,
  { groupId, newId }: Ids,
): mongo.Document {
  return {
    _id: groupId,
    name: line.name,
    description: line.description,
    ownerId,
    memberCount,
    defaultChannelId: line.defaultChannelId === null ? null : newId(line.defaultChannelId),
    ...(typeof line.systemChannelId === "string" && { systemChannelId: newId(line.systemChannelId) }),
    ...(line.defaultPermissions !== null && { defaultPermissions: line.defaultPermissions }),
    retentionDays: line.retentionDays,
    ...(line.needsApproval === true && { needsApproval: true }),
    ...(line.raidLimit !== undefined && { raidLimit: line.raidLimit }),
    ...(line.wordFilter !== null && { wordFilterRev: 1 }),
    createdAt: new Date(line.createdAt),
  };
}

export function roleDocument(line: GroupFileLineOf<"role">, { groupId, newId }: Ids): mongo.Document {
  const { type: _type, id, createdAt, ...role } = line;
  return { _id: newId(id), groupId, ...role, createdAt: new Date(createdAt) };
}

export function channelDocument(line: GroupFileLineOf<"channel">, ids: Ids): mongo.Document {
  const { thread, sectionId } = line;
  const { groupId, newId, userId } = ids;
  return {
    _id: newId(line.id),
    kind: line.kind,
    name: line.name,
    position: line.position,
    topic: line.topic,
    slowModeSeconds: line.slowModeSeconds,
    createdAt: new Date(line.createdAt),
    ...(thread === null
      ? { groupId, sectionId: sectionId === null ? null : newId(sectionId), ...overridesOf(line, ids) }
      : {
          parentId: newId(thread.parentId),
          parentGroupId: groupId,
          rootMessageId: newId(thread.rootMessageId),
          createdBy: userId(thread.createdBy),
          threadState: thread.archivedAt === null ? "open" : "archived",
          ...(thread.archivedAt !== null && { archivedAt: new Date(thread.archivedAt) }),
          lastActivityAt: new Date(thread.lastActivityAt),
        }),
  };
}

/** Overrides as stored by the group service, with the `viewKeys` and `roomRev` of private channels. */
function overridesOf(
  { overrides }: GroupFileLineOf<"channel">,
  { groupId, newId, userId }: Ids,
): mongo.Document {
  if (overrides.length === 0) return {};
  const all = overrides.map((override) =>
    override.type === "everyone"
      ? override
      : { ...override, id: override.type === "role" ? newId(override.id) : userId(override.id) },
  );
  // Several users of a file can be one account.
  const keyOf = (one: (typeof all)[number]): string =>
    "id" in one ? `${one.type} ${String(one.id)}` : one.type;
  const stored = [...new Map(all.map((one) => [keyOf(one), one])).values()];
  const shown = stored.map((override): Override => ({
    target: "id" in override ? { type: override.type, id: String(override.id) } : { type: "everyone" },
    allow: override.allow,
    deny: override.deny,
  }));
  if (!hidesFromSome(shown)) return { overrides: stored, overridesRev: 1 };
  const { everyone, memberIds, roleIds } = viewers(shown);
  const viewKeys = [
    `o:${String(groupId)}`,
    ...(everyone ? [`g:${String(groupId)}`] : []),
    ...memberIds.map((id) => `u:${id}`),
    ...roleIds.map((id) => `r:${id}`),
  ];
  return { overrides: stored, overridesRev: 1, roomRev: 1, viewKeys };
}

/** @param seq also used as the rev, because each imported message is one change */
export function messageDocument(line: GroupFileLineOf<"message">, seq: number, ids: Ids): mongo.Document {
  const { newId, userId } = ids;
  const _id = newId(line.id);
  const channelId = newId(line.channelId);
  const withNewIds = (text: string): string =>
    text.replace(
      MENTION,
      (_mention, role: string, id: string) => `<@${role}${String(role === "" ? userId(id) : newId(id))}>`,
    );
  return {
    _id,
    channelId,
    seq,
    rev: seq,
    revs: [seq],
    authorId: userId(line.authorId),
    content: withNewIds(line.content),
    replyTo: line.replyTo === null ? null : newId(line.replyTo),
    nonce: `imported-${String(_id)}`,
    createdAt: new Date(line.createdAt),
    editedAt: date(line.editedAt),
    deletedAt: date(line.deletedAt),
    ...(line.editCount > 0 && { editCount: line.editCount }),
    ...mentionsOf(line, ids, { mentionedId: _id, mentionedIn: channelId, mentionedSeq: seq }),
    ...(line.pinned !== undefined && {
      pinnedAt: new Date(line.pinned.at),
      pinnedBy: userId(line.pinned.by),
      pinnedIn: channelId,
    }),
    ...(line.threadId !== undefined && { threadId: newId(line.threadId) }),
    ...(line.poll !== undefined && { poll: { ...line.poll, endsAt: date(line.poll.endsAt) } }),
    ...(line.call !== undefined && {
      call: {
        ...line.call,
        participantUserIds: line.call.participantUserIds.map((id) => String(userId(id))),
      },
    }),
    ...(line.cards !== undefined && { cards: mapCards(line.cards, withNewIds) }),
    ...(line.controls !== undefined && { controls: line.controls }),
    ...(line.as !== undefined && { as: { name: line.as, avatarUrl: null } }),
  };
}

function mentionsOf(
  { mentions }: GroupFileLineOf<"message">,
  ids: Ids,
  found: mongo.Document,
): mongo.Document {
  if (mentions === undefined) return {};
  const { everyone } = mentions;
  const userIds = mentions.userIds.map((id) => String(ids.userId(id)));
  const roleIds = mentions.roleIds.map((id) => String(ids.newId(id)));
  const mentionKeys = [
    ...userIds.map(mentionKey.user),
    ...roleIds.map(mentionKey.role),
    ...(everyone ? [mentionKey.all(String(ids.groupId))] : []),
  ];
  return {
    mentions: { userIds, roleIds, everyone },
    ...(mentionKeys.length > 0 && { mentionKeys, ...found }),
  };
}

const TIME_BYTES = 4;

/**
 * Maps the ids of a file to new ones by XORing the five process bytes with the salt. The mapping keeps the order by time, has no
 * collisions, needs no table, and can't be exploited by crafting a file whose ids map to existing ones.
 */
export function createNewIds(salt: string): (id: string) => mongo.ObjectId {
  const salting = Buffer.from(salt, "hex");
  return (id) => {
    const bytes = Buffer.from(id, "hex");
    for (let i = 0; i < PROCESS_BYTES; i++) bytes[TIME_BYTES + i]! ^= salting[i]!;
    return new mongo.ObjectId(bytes);
  };
}

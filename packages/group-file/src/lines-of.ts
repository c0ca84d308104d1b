import { type Card, type Control, type EndedCall, LIMITS, type GroupFileLineOf } from "@fanfare/contract";
import type { mongo } from "mongoose";

/** Matches mentions in a text: of users, and of roles with `&`. */
export const MENTION = /<@(&?)([0-9a-f]{24})>/g;

/** A string in repositories, an ObjectId in documents. */
type Id = string | mongo.ObjectId;

export interface StoredGroup {
  name: string;
  description?: string;
  ownerId: Id;
  defaultChannelId?: Id | null;
  systemChannelId?: Id | null;
  defaultPermissions?: number;
  retentionDays?: number | null;
  needsApproval?: boolean;
  raidLimit?: number | null;
  createdAt: Date;
}

export interface StoredRole {
  name: string;
  color: number | null;
  permissions: number;
  position: number;
  mentionable: boolean;
  createdAt: Date;
}

export interface StoredChannel {
  kind: string;
  name?: string;
  topic?: string;
  sectionId?: Id | null;
  position: number;
  slowModeSeconds?: number;
  overrides?: { type: string; id?: Id; allow: number; deny: number }[];
  parentId?: Id;
  rootMessageId?: Id;
  createdBy?: Id;
  archivedAt?: Date;
  lastActivityAt?: Date;
  createdAt: Date;
}

export interface StoredMember {
  userId: Id;
  roleIds?: Id[];
  nickname?: string;
  mutedUntil: Date | null;
  joinedAt: Date;
}

export interface StoredMessage {
  channelId: Id;
  authorId: Id;
  content: string;
  replyTo: Id | null;
  createdAt: Date;
  editedAt: Date | null;
  deletedAt: Date | null;
  editCount?: number;
  mentions?: { userIds: string[]; roleIds: string[]; everyone: boolean };
  pinnedAt?: Date;
  pinnedBy?: Id;
  threadId?: Id;
  attachments?: { name: string }[];
  cards?: Card[];
  controls?: Control[];
  poll?: { options: string[]; allowsSeveral: boolean; endsAt: Date | null };
  call?: EndedCall;
  as?: { name: string };
}

export interface StoredUser {
  username?: string;
  nickname: string;
}

type Known<T> = T & { _id: Id };

/** @param wordFilter null if the group has none */
export function groupLine(
  group: Known<StoredGroup>,
  wordFilter: GroupFileLineOf<"group">["wordFilter"],
): GroupFileLineOf<"group"> {
  return {
    type: "group",
    id: String(group._id),
    name: group.name,
    description: group.description ?? "",
    ownerId: String(group.ownerId),
    defaultChannelId: textOf(group.defaultChannelId),
    systemChannelId: textOf(group.systemChannelId),
    defaultPermissions: group.defaultPermissions ?? null,
    retentionDays: group.retentionDays ?? null,
    needsApproval: group.needsApproval ?? false,
    raidLimit: group.raidLimit ?? null,
    wordFilter:
      wordFilter === null
        ? null
        : {
            words: wordFilter.words,
            onHit: wordFilter.onHit,
            ...(wordFilter.rules && { rules: wordFilter.rules }),
          },
    createdAt: group.createdAt.toISOString(),
  };
}

export function roleLine(role: Known<StoredRole>): GroupFileLineOf<"role"> {
  return {
    type: "role",
    id: String(role._id),
    name: role.name,
    color: role.color ?? null,
    permissions: role.permissions,
    position: role.position,
    mentionable: role.mentionable,
    createdAt: role.createdAt.toISOString(),
  };
}

export function channelLine(channel: Known<StoredChannel>): GroupFileLineOf<"channel"> {
  return {
    type: "channel",
    id: String(channel._id),
    kind: channel.kind as GroupFileLineOf<"channel">["kind"],
    name: channel.name ?? "",
    topic: channel.topic ?? "",
    position: channel.position,
    slowModeSeconds: channel.slowModeSeconds ?? 0,
    overrides: (channel.overrides ?? []).map(overrideOf),
    thread: channel.kind === "thread" ? threadOf(channel) : null,
    createdAt: channel.createdAt.toISOString(),
    sectionId: textOf(channel.sectionId),
  };
}

type Override = GroupFileLineOf<"channel">["overrides"][number];

function overrideOf({ type, id, allow, deny }: NonNullable<StoredChannel["overrides"]>[number]): Override {
  if (type === "everyone") return { type, allow, deny };
  return { type: type === "role" ? "role" : "member", id: String(id), allow, deny };
}

function threadOf(thread: StoredChannel): NonNullable<GroupFileLineOf<"channel">["thread"]> {
  return {
    parentId: String(thread.parentId),
    rootMessageId: String(thread.rootMessageId),
    createdBy: String(thread.createdBy),
    archivedAt: timeOf(thread.archivedAt),
    lastActivityAt: (thread.lastActivityAt ?? thread.createdAt).toISOString(),
  };
}

export function memberLine(member: StoredMember): GroupFileLineOf<"member"> {
  return {
    type: "member",
    userId: String(member.userId),
    roleIds: (member.roleIds ?? []).map(String),
    ...(member.nickname !== undefined && { nickname: member.nickname }),
    mutedUntil: timeOf(member.mutedUntil),
    joinedAt: member.joinedAt.toISOString(),
  };
}

export function messageLine(message: Known<StoredMessage>): GroupFileLineOf<"message"> {
  const { mentions, pinnedAt, pinnedBy, as, attachments, threadId, poll, call, cards, controls } = message;
  let { content } = message;
  // Files aren't exported, so an otherwise empty message lists their names.
  if (content === "" && attachments !== undefined)
    content = attachments
      .map(({ name }) => name)
      .join("\n")
      .slice(0, LIMITS.messageMaxChars);
  return {
    type: "message",
    id: String(message._id),
    channelId: String(message.channelId),
    authorId: String(message.authorId),
    content,
    replyTo: textOf(message.replyTo),
    createdAt: message.createdAt.toISOString(),
    editedAt: timeOf(message.editedAt),
    deletedAt: timeOf(message.deletedAt),
    editCount: message.editCount ?? 0,
    ...(mentions !== undefined && {
      mentions: { userIds: mentions.userIds, roleIds: mentions.roleIds, everyone: mentions.everyone },
    }),
    ...(pinnedAt !== undefined && { pinned: { at: pinnedAt.toISOString(), by: String(pinnedBy) } }),
    ...(as !== undefined && { as: as.name }),
    ...(threadId !== undefined && { threadId: String(threadId) }),
    ...(poll !== undefined && { poll: { ...poll, endsAt: timeOf(poll.endsAt) } }),
    ...(call !== undefined && { call }),
    // The picture of a card isn't exported either.
    ...(cards !== undefined && { cards: cards.map(({ imageFileId: _image, ...card }) => card) }),
    ...(controls !== undefined && { controls }),
  };
}

/** @param user null if the user was deleted */
export function userLine(id: string, user: StoredUser | null): GroupFileLineOf<"user"> {
  return { type: "user", id, username: user?.username ?? null, nickname: user?.nickname ?? null };
}

const textOf = (id: Id | null | undefined): string | null =>
  id === undefined || id === null ? null : String(id);
const timeOf = (date: Date | null | undefined): string | null => date?.toISOString() ?? null;

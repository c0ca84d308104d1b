import { type Override, hidesFromSome, type Subject, viewers } from "@fanfare/contract";
import { ID } from "@fanfare/kernel";
import { Schema } from "mongoose";

export interface OverrideSubdocument {
  type: Override["target"]["type"];
  /** Absent when the target is everyone. */
  id?: string;
  allow: number;
  deny: number;
}

/** Voice channels are text channels that also have a call. */
export const isTextOrVoice = ({ kind }: Pick<ChannelDocument, "kind">): boolean =>
  kind === "text" || kind === "voice";

export interface ChannelDocument {
  _id: string;
  /** Absent in direct channels and threads. */
  groupId?: string;
  kind: "text" | "voice" | "section" | "direct" | "groupDirect" | "thread";
  name: string;
  topic?: string;
  sectionId?: string | null;
  slowModeSeconds?: number;
  position: number;
  overrides?: OverrideSubdocument[];
  /** Counts changes of the overrides; names the room that the viewers should be in. */
  overridesRev?: number;
  /** The rev of the room in use. Absent: the group's room. */
  roomRev?: number;
  /**
   * Present in a private channel: `u:<member>`, `r:<role>`, `o:<group>` for its owner and `g:<group>` for all members. Users
   * without one of these keys can't see the channel; for the others, the overrides decide.
   */
  viewKeys?: string[];
  /** Set while sockets are being moved from the room of `roomRev` to that of `overridesRev`. */
  movingSince?: Date;
  /** The members of a direct channel in the order they joined; absent elsewhere. */
  memberIds?: string[];
  /** Set in threads, which have no groupId so that they aren't listed among the channels of the group. */
  parentId?: string;
  parentGroupId?: string;
  /** The message of the parent that the thread belongs to; unique. */
  rootMessageId?: string;
  createdBy?: string;
  threadState?: "open" | "archived";
  archivedAt?: Date;
  /** Set in direct channels and threads: time of the last message, up to a second late, or of creation. */
  lastActivityAt?: Date;
  /** By user: the newest seq when the user closed the direct channel. */
  closedAtSeq?: Record<string, number>;
  /** The sorted user ids of a one-to-one channel, joined for a unique index; absent elsewhere. */
  directKey?: string;
  createdAt: Date;
  /** Set when the channel is deleted but its messages are not yet removed. It is no longer visible. */
  deletedAt?: Date;
}

const overrideSchema = new Schema<OverrideSubdocument>(
  {
    type: { type: String, required: true },
    id: ID,
    allow: { type: Number, required: true },
    deny: { type: Number, required: true },
  },
  { _id: false },
);
const channelSchema = new Schema<ChannelDocument>(
  {
    groupId: ID,
    kind: {
      type: String,
      enum: ["text", "voice", "section", "direct", "groupDirect", "thread"],
      required: true,
    },
    name: { type: String, default: "" },
    topic: String,
    sectionId: ID,
    slowModeSeconds: Number,
    overrides: { type: [overrideSchema], default: undefined },
    overridesRev: Number,
    roomRev: Number,
    viewKeys: { type: [String], default: undefined },
    movingSince: Date,
    position: { type: Number, required: true },
    memberIds: { type: [ID], default: undefined },
    parentId: ID,
    parentGroupId: ID,
    rootMessageId: ID,
    createdBy: ID,
    threadState: String,
    archivedAt: Date,
    lastActivityAt: Date,
    closedAtSeq: Schema.Types.Mixed,
    directKey: String,
    createdAt: { type: Date, required: true },
    deletedAt: Date,
  },
  { collection: "channels" },
);
channelSchema.index({ groupId: 1, position: 1, _id: 1 });
channelSchema.index({ viewKeys: 1 }, { sparse: true });
channelSchema.index({ movingSince: 1 }, { sparse: true });
channelSchema.index({ directKey: 1 }, { unique: true, sparse: true });
channelSchema.index({ rootMessageId: 1 }, { unique: true, sparse: true });
channelSchema.index({ parentId: 1, threadState: 1, lastActivityAt: -1, _id: -1 }, { sparse: true });
channelSchema.index({ parentId: 1, _id: 1 }, { sparse: true });
channelSchema.index({ memberIds: 1, lastActivityAt: -1, _id: -1 });
channelSchema.index({ deletedAt: 1 }, { sparse: true });

export const channelCollection = { name: "Channel", schema: channelSchema };

/** Stored in private channels (`viewKeys`), so that viewers find them by index: see channel.model.ts. */
export const viewKey = {
  member: (userId: string): string => `u:${userId}`,
  role: (roleId: string): string => `r:${roleId}`,
  owner: (groupId: string): string => `o:${groupId}`,
  group: (groupId: string): string => `g:${groupId}`,
};

/** @returns undefined when all members can see the channel, which needs no keys then */
export function viewKeysOf(groupId: string, overrides: readonly Override[]): string[] | undefined {
  if (!hidesFromSome(overrides)) return undefined;
  const { everyone, memberIds, roleIds } = viewers(overrides);
  return [
    viewKey.owner(groupId),
    ...(everyone ? [viewKey.group(groupId)] : []),
    ...memberIds.map(viewKey.member),
    ...roleIds.map(viewKey.role),
  ];
}

/** Used while the sockets of a channel that became public are still in its room. */
export function viewKeysOfAll(groupId: string): string[] {
  return [viewKey.owner(groupId), viewKey.group(groupId)];
}

/** Keys to query a member's private channels. Some of the results can still be invisible to the member. */
export function keysOfSubject(groupId: string, { userId, isOwner, roles }: Subject): string[] {
  return [
    viewKey.member(userId),
    viewKey.group(groupId),
    ...(isOwner ? [viewKey.owner(groupId)] : []),
    ...roles.map(({ id }) => viewKey.role(id)),
  ];
}

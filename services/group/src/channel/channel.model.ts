import type { Override } from "@fanfare/contract";
import { ID } from "@fanfare/kernel";
import { Schema } from "mongoose";

export interface OverrideSubdocument {
  type: Override["target"]["type"];
  /** Absent for everyone. */
  id?: string;
  allow: number;
  deny: number;
}

export interface ChannelDocument {
  _id: string;
  /** Absent in a direct channel, and in a thread. */
  groupId?: string;
  kind: "text" | "section" | "direct" | "groupDirect" | "thread";
  name: string;
  topic?: string;
  sectionId?: string | null;
  slowModeSeconds?: number;
  position: number;
  overrides?: OverrideSubdocument[];
  /** How often the overrides have changed: says which room is to be that of those who see the channel. */
  overridesRev?: number;
  /** The rev whose room is in use; absent: the group's room. */
  roomRev?: number;
  /**
   * Present in a private channel: `u:<member>`, `r:<role>`, `o:<group>` for its owner and `g:<group>` for all members.
   * Users without one of them can't see the channel; for the others, the overrides decide.
   */
  viewKeys?: string[];
  /** Sockets are being moved since then from the room of `roomRev` to that of `overridesRev`. */
  movingSince?: Date;
  /** The users of a direct channel, who came first first; absent elsewhere. */
  memberIds?: string[];
  /** Of a thread; it has no groupId, so that it is not among the channels of its group. */
  parentId?: string;
  parentGroupId?: string;
  /** The message of the parent that it is about; unique. */
  rootMessageId?: string;
  createdBy?: string;
  threadState?: "open" | "archived";
  archivedAt?: Date;
  /** Of a direct channel or thread: when something was written last, a second late; when it was made until then. */
  lastActivityAt?: Date;
  /** By user: a direct channel that was put out of sight when this was its newest message. */
  closedAtSeq?: Record<string, number>;
  /** The sorted ids of the two, joined, so that one string is unique; absent elsewhere. */
  directKey?: string;
  createdAt: Date;
  /** Set when the channel is deleted and its messages are still to be removed; it is no longer visible. */
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
    kind: { type: String, enum: ["text", "section", "direct", "groupDirect", "thread"], required: true },
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
channelSchema.index({ parentGroupId: 1, lastActivityAt: 1, _id: 1 }, { sparse: true });
channelSchema.index({ memberIds: 1, lastActivityAt: -1, _id: -1 });
channelSchema.index({ deletedAt: 1 }, { sparse: true });

export const channelCollection = { name: "Channel", schema: channelSchema };

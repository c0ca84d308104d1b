import { LIMITS, type EndedCall, type OngoingCall } from "@fanfare/contract";
import { defineRepository, ID, nullIfDuplicate, REQUIRED_ID } from "@fanfare/kernel";
import { Schema } from "mongoose";

/** The user who started a call is listed first in its message, whether they are among the others or not. */
const MAX_JOINED = LIMITS.callParticipantsShown + 1;
/** The call of a voice channel may never end. The newest are kept. */
const MAX_MUTED = 1000;

type Participant = Omit<OngoingCall["participants"][number], "joinedAt"> & { joinedAt: Date };

export interface CallDocument {
  _id: string;
  channelId: string;
  /** The channel while the call is ongoing: each has at most one. */
  openIn?: string;
  /** Absent in direct channels. */
  groupId?: string;
  /** Only in direct channels. */
  memberIds?: string[];
  kind: "text" | "voice" | "direct" | "groupDirect";
  /** Where its events are published: the rooms of the channel. */
  rooms: readonly string[];
  startedByUserId: string;
  startedAt: Date;
  /** As LiveKit has last reported them: those who are shown, in the order in which they joined. */
  participants: Participant[];
  participantCount: number;
  /** Those who have joined it at any time, at most as many as are shown. */
  joinedUserIds: string[];
  /** Muted by a moderator until the call ends, even if they leave and join again. */
  mutedUserIds: string[];
  /** When someone was last in it. */
  activeAt?: Date;
  endedAt?: Date;
  /** No message is written about it: its channel is being deleted. */
  isSilent?: boolean;
  /** When it is next compared with LiveKit, or ending it is tried again. */
  checkAt: Date;
  /** Number of changes. */
  rev: number;
}

const participantSchema = new Schema<Participant>(
  {
    userId: REQUIRED_ID,
    joinedAt: { type: Date, required: true },
    isMicrophoneOn: Boolean,
    isCameraOn: Boolean,
    isScreenShared: Boolean,
    isMutedByModerator: Boolean,
  },
  { _id: false },
);

const schema = new Schema<CallDocument>(
  {
    channelId: REQUIRED_ID,
    openIn: ID,
    groupId: ID,
    memberIds: { type: [ID], default: undefined },
    kind: { type: String, required: true },
    rooms: [String],
    startedByUserId: REQUIRED_ID,
    startedAt: { type: Date, required: true },
    participants: [participantSchema],
    participantCount: { type: Number, required: true },
    joinedUserIds: [ID],
    mutedUserIds: [ID],
    activeAt: Date,
    endedAt: Date,
    isSilent: Boolean,
    checkAt: { type: Date, required: true },
    rev: { type: Number, required: true },
  },
  { collection: "calls" },
)
  .index({ openIn: 1 }, { unique: true, sparse: true, name: "open_in" })
  .index({ groupId: 1 }, { sparse: true, name: "group" })
  .index({ rooms: 1 }, { name: "rooms" })
  .index({ memberIds: 1, startedAt: -1 }, { sparse: true, name: "members" })
  .index({ checkAt: 1 }, { name: "check" });

/** What a call shows of its participants. */
export type CallState = Pick<CallDocument, "participants" | "participantCount"> &
  Partial<Pick<CallDocument, "activeAt" | "memberIds" | "rooms">>;

export type CallRepository = ReturnType<typeof createCallRepository>;

/** Queries of the collection calls. */
export const createCallRepository = defineRepository(
  { name: "Call", schema },
  ({ model: calls, insert, change, update, remove }) => ({
    /** @returns null if the channel has an ongoing call already */
    start: (call: CallDocument): Promise<CallDocument | null> => nullIfDuplicate(insert(call)),

    find: (id: string): Promise<CallDocument | null> => calls.findById(id).lean(),
    findIn: (channelId: string): Promise<CallDocument | null> => calls.findOne({ openIn: channelId }).lean(),
    listIn: (channelIds: readonly string[]): Promise<CallDocument[]> =>
      calls
        .find({ openIn: { $in: channelIds } })
        .limit(channelIds.length)
        .lean(),

    /** Ongoing calls with participants, in any order: sorting those of several rooms takes more than an index. */
    listOfRooms: (rooms: readonly string[], limit: number): Promise<CallDocument[]> =>
      calls
        .find({ rooms: { $in: rooms }, endedAt: { $exists: false }, participantCount: { $gt: 0 } })
        .limit(limit)
        .lean(),
    /** Newest first. */
    listOfMember: (userId: string, limit: number): Promise<CallDocument[]> =>
      calls
        .find({ memberIds: userId, endedAt: { $exists: false }, participantCount: { $gt: 0 } })
        .sort({ startedAt: -1 })
        .limit(limit)
        .lean(),

    countOfGroup: (groupId: string): Promise<number> =>
      calls.countDocuments({ groupId, endedAt: { $exists: false } }, { limit: LIMITS.callsPerGroup }),

    /** Stores that a user joins, so that it doesn't end at the same time. @returns null if it has ended */
    addJoined: ({ _id, joinedUserIds }: CallDocument, userId: string): Promise<CallDocument | null> =>
      change(
        { _id, endedAt: { $exists: false } },
        {
          $inc: { rev: 1 },
          ...(joinedUserIds.length < MAX_JOINED && { $addToSet: { joinedUserIds: userId } }),
        },
      ),

    /** @returns null if it was changed meanwhile or has ended */
    setState: ({ _id, rev }: CallDocument, state: CallState, checkAt: Date): Promise<CallDocument | null> =>
      change({ _id, rev, endedAt: { $exists: false } }, { $set: { ...state, checkAt }, $inc: { rev: 1 } }),

    postpone: (id: string, checkAt: Date) => update({ _id: id }, { $set: { checkAt } }),

    /** @returns whether this changes anything, and the call is ongoing */
    setMuted: (id: string, userId: string, isMuted: boolean) =>
      update(
        { _id: id, endedAt: { $exists: false }, mutedUserIds: isMuted ? { $ne: userId } : userId },
        {
          ...(isMuted
            ? { $push: { mutedUserIds: { $each: [userId], $slice: -MAX_MUTED } } }
            : { $pull: { mutedUserIds: userId } }),
          $inc: { rev: 1 },
        },
      ),

    /** @param rev only if it wasn't changed since; absent: in any case @returns null if it was changed or has ended */
    end: (
      { _id, rev }: { _id: string; rev?: number },
      isSilent: boolean,
      checkAt: Date,
    ): Promise<CallDocument | null> =>
      change(
        { _id, ...(rev !== undefined && { rev }), endedAt: { $exists: false } },
        {
          $set: { endedAt: new Date(), checkAt, ...(isSilent && { isSilent }) },
          $unset: { openIn: 1 },
          $inc: { rev: 1 },
        },
      ),

    listDue: (now: Date, limit: number): Promise<CallDocument[]> =>
      calls
        .find({ checkAt: { $lte: now } })
        .sort({ checkAt: 1 })
        .limit(limit)
        .lean(),
    async nextCheckAt(): Promise<Date | null> {
      const next = await calls.findOne({}, { checkAt: 1 }).sort({ checkAt: 1 }).lean();
      return next?.checkAt ?? null;
    },

    remove: (id: string) => remove({ _id: id }),
  }),
);

export function presentCall(call: CallDocument): OngoingCall {
  const { _id, channelId, groupId = null, startedByUserId, startedAt, participants, participantCount } = call;
  return {
    id: _id,
    channelId,
    groupId,
    startedByUserId,
    startedAt: startedAt.toISOString(),
    participants: participants.map(({ joinedAt, ...participant }) => ({
      ...participant,
      joinedAt: joinedAt.toISOString(),
    })),
    participantCount,
  };
}

/** What the message about an ended call says; null: none is written. */
export function presentEnded(call: CallDocument): EndedCall | null {
  const { kind, startedByUserId, startedAt, activeAt, endedAt, participantCount, joinedUserIds } = call;
  if (kind === "voice" || call.isSilent === true) return null;
  const isDirect = kind !== "text";
  const others = joinedUserIds.filter((userId) => userId !== startedByUserId);
  // In a group, a call that no one was in is not worth a message; in a direct channel, it rang.
  if (activeAt === undefined && !isDirect) return null;
  const lastAt = participantCount > 0 ? endedAt : activeAt;
  const durationMs = (lastAt ?? startedAt).getTime() - startedAt.getTime();
  return {
    durationSeconds: Math.max(0, Math.round(durationMs / 1000)),
    participantUserIds: [startedByUserId, ...others].slice(0, LIMITS.callParticipantsShown),
    missed: isDirect && others.length === 0,
  };
}

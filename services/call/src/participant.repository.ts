import { defineRepository, ID, REQUIRED_ID } from "@fanfare/kernel";
import { Schema } from "mongoose";

/** A user who is in a call or may connect to it. Everyone else is removed from the call, even with a valid token. */
export interface ParticipantDocument {
  _id: string;
  /** Unique: a user is in at most one call. */
  userId: string;
  callId: string;
  channelId: string;
  groupId?: string;
  sessionId: string;
  /** In the metadata of their token. Earlier tokens, and those of other sessions, no longer let them in. */
  grantId: string;
  /** When they first connected; absent: not yet. */
  joinedAt?: Date;
  /** Until when they can connect; absent: they are connected. */
  untilAt?: Date;
}

type Place = Pick<ParticipantDocument, "callId" | "channelId" | "groupId" | "sessionId" | "grantId">;

const schema = new Schema<ParticipantDocument>(
  {
    userId: REQUIRED_ID,
    callId: REQUIRED_ID,
    channelId: REQUIRED_ID,
    groupId: ID,
    sessionId: { type: String, required: true },
    grantId: REQUIRED_ID,
    joinedAt: Date,
    untilAt: Date,
  },
  { collection: "callParticipants" },
)
  .index({ userId: 1 }, { unique: true, name: "user" })
  .index({ callId: 1 }, { name: "call" })
  .index({ sessionId: 1 }, { name: "session" })
  .index({ groupId: 1 }, { sparse: true, name: "group" })
  .index({ channelId: 1 }, { name: "channel" });

export type ParticipantRepository = ReturnType<typeof createParticipantRepository>;

/** Queries of the collection callParticipants. */
export const createParticipantRepository = defineRepository(
  { name: "CallParticipant", schema },
  ({ model: participants, remove, removeAll, update }) => ({
    find: (userId: string): Promise<ParticipantDocument | null> => participants.findOne({ userId }).lean(),
    listOf: (callId: string, limit: number): Promise<ParticipantDocument[]> =>
      participants.find({ callId }).limit(limit).lean(),
    listOfSessions: (sessionIds: readonly string[]): Promise<ParticipantDocument[]> =>
      participants
        .find({ sessionId: { $in: sessionIds } })
        .limit(sessionIds.length)
        .lean(),
    countOf: (callId: string, limit: number): Promise<number> =>
      participants.countDocuments({ callId }, { limit }),

    /** The participants in a group or direct channel. @param userId null: all */
    async listIn(placeId: string, userId: string | null, limit: number): Promise<ParticipantDocument[]> {
      const ofUser = userId === null ? {} : { userId };
      const [inGroup, inChannel] = await Promise.all([
        participants
          .find({ groupId: placeId, ...ofUser })
          .limit(limit)
          .lean<ParticipantDocument[]>(),
        participants
          .find({ channelId: placeId, ...ofUser })
          .limit(limit)
          .lean<ParticipantDocument[]>(),
      ]);
      return [...inGroup, ...inChannel];
    },

    /** Lets the user connect, instead of to any other call. @returns what they could connect to before */
    admit: (
      userId: string,
      { groupId, ...place }: Place,
      untilAt: Date,
    ): Promise<ParticipantDocument | null> =>
      participants
        .findOneAndUpdate(
          { userId },
          {
            $set: { ...place, untilAt, ...(groupId !== undefined && { groupId }) },
            $unset: { joinedAt: 1, ...(groupId === undefined && { groupId: 1 }) },
          },
          { upsert: true, returnDocument: "before" },
        )
        .lean<ParticipantDocument | null>()
        .exec(),

    /** LiveKit lists them. */
    setConnected: ({ _id, callId }: ParticipantDocument, joinedAt: Date) =>
      update({ _id, callId }, { $set: { joinedAt }, $unset: { untilAt: 1 } }),
    /** LiveKit no longer lists them. */
    setDisconnected: ({ _id, callId }: ParticipantDocument, untilAt: Date) =>
      update({ _id, callId, untilAt: { $exists: false } }, { $set: { untilAt } }),

    /** @returns whether they were in this call */
    remove: (userId: string, callId: string) => remove({ userId, callId }),
    /** @returns whether they couldn't connect since */
    removeExpired: ({ _id, callId }: ParticipantDocument, now: Date) =>
      remove({ _id, callId, untilAt: { $lte: now } }),
    removeOf: (callId: string) => removeAll({ callId }),
  }),
);

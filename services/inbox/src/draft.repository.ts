import { type Draft, LIMITS, type ScheduledMessage } from "@fanfare/contract";
import { defineRepository, REQUIRED_ID, newId } from "@fanfare/kernel";
import { Schema } from "mongoose";
import { dueQueries } from "./due.ts";

/** What a user has begun to write in a channel. */
interface DraftDocument {
  _id: string;
  userId: string;
  channelId: string;
  content: string;
  changedAt: Date;
}

const draftSchema = new Schema<DraftDocument>(
  {
    userId: REQUIRED_ID,
    channelId: REQUIRED_ID,
    content: { type: String, required: true },
    changedAt: { type: Date, required: true },
  },
  { collection: "drafts" },
)
  .index({ userId: 1, channelId: 1 }, { unique: true, name: "user_channel" })
  .index({ userId: 1, changedAt: -1 }, { name: "user_newest" })
  .index({ channelId: 1 }, { name: "channel" });

/** Queries of the collection drafts. */
export const createDraftRepository = defineRepository(
  { name: "Draft", schema: draftSchema },
  ({ model: drafts, remove, removeAll }) => ({
    /** Drops the drafts beyond the limit. */
    async set(draft: Omit<DraftDocument, "_id">): Promise<void> {
      const { userId, channelId, content, changedAt } = draft;
      if (content === "") {
        await remove({ userId, channelId });
        return;
      }
      await drafts.updateOne({ userId, channelId }, { $set: { content, changedAt } }, { upsert: true });
      const [last] = await drafts
        .find({ userId }, { changedAt: 1 })
        .sort({ changedAt: -1 })
        .skip(LIMITS.draftsPerUser)
        .limit(1)
        .lean();
      if (last !== undefined) await removeAll({ userId, changedAt: { $lte: last.changedAt } });
    },

    /** Most recently changed first. */
    listOf: (userId: string): Promise<DraftDocument[]> =>
      drafts.find({ userId }).sort({ changedAt: -1 }).limit(LIMITS.draftsPerUser).lean(),

    removeOfChannels: (channelIds: readonly string[]) => removeAll({ channelId: { $in: channelIds } }),
    removeAll: (userId: string) => removeAll({ userId }),
  }),
);

export function presentDraft({
  channelId,
  content,
  changedAt,
}: Pick<DraftDocument, "channelId" | "content" | "changedAt">): Draft {
  return { channelId, content, changedAt: changedAt.toISOString() };
}

/** A message to be sent later. */
export interface ScheduledDocument {
  _id: string;
  userId: string;
  channelId: string;
  content: string;
  sendAt: Date;
  /** The same time unless it failed. */
  dueAt?: Date;
  failure?: string;
  /** It may have been sent, so that it can no longer be changed. */
  isSending?: true;
}

const scheduledSchema = new Schema<ScheduledDocument>(
  {
    userId: REQUIRED_ID,
    channelId: REQUIRED_ID,
    content: { type: String, required: true },
    sendAt: { type: Date, required: true },
    dueAt: Date,
    failure: String,
    isSending: Boolean,
  },
  { collection: "scheduledMessages" },
)
  .index({ userId: 1, sendAt: 1 }, { name: "user_time" })
  .index({ channelId: 1 }, { name: "channel" })
  .index({ dueAt: 1 }, { sparse: true, name: "due" });

export type ScheduledRepository = ReturnType<typeof createScheduledRepository>;

/** Queries of the collection scheduledMessages. */
export const createScheduledRepository = defineRepository(
  { name: "ScheduledMessage", schema: scheduledSchema },
  ({ model: scheduled, insert, update, change, remove, removeAll }) => ({
    /** @returns null when the user has the maximum number of them */
    async add(
      message: Pick<ScheduledDocument, "userId" | "channelId" | "content" | "sendAt">,
    ): Promise<ScheduledDocument | null> {
      const max = LIMITS.scheduledPerUser;
      if ((await scheduled.countDocuments({ userId: message.userId }, { limit: max })) >= max) return null;
      return insert({ _id: newId(), ...message, dueAt: message.sendAt });
    },

    /** @returns null if there is no such message, or it is being sent */
    change: (
      userId: string,
      id: string,
      { content, sendAt }: { content?: string | undefined; sendAt?: Date | undefined },
    ): Promise<ScheduledDocument | null> =>
      change(
        { _id: id, userId, isSending: null },
        {
          $set: { ...(content !== undefined && { content }), ...(sendAt && { sendAt, dueAt: sendAt }) },
          ...(sendAt && { $unset: { failure: 1 } }),
        },
      ),

    /**
     * From then on, users can neither change nor remove it. Repeatable, for a process that has died meanwhile.
     * @returns it as it is now, or null if it was removed or got another time
     */
    claim: ({ _id, dueAt }: ScheduledDocument): Promise<ScheduledDocument | null> =>
      change({ _id, dueAt: dueAt! }, { $set: { isSending: true } }),

    release: ({ _id }: ScheduledDocument) => update({ _id }, { $unset: { isSending: 1 } }),

    /** @returns null if it was removed or got another time */
    fail: ({ _id, dueAt }: ScheduledDocument, failure: string): Promise<ScheduledDocument | null> =>
      change({ _id, dueAt: dueAt! }, { $set: { failure }, $unset: { dueAt: 1, isSending: 1 } }),

    /** @returns false if there is no such message, or it is being sent */
    cancel: (userId: string, id: string) => remove({ _id: id, userId, isSending: null }),

    /** @returns whether there was such a message */
    remove: (userId: string, id: string) => remove({ _id: id, userId }),

    exists: async (userId: string, id: string): Promise<boolean> =>
      (await scheduled.exists({ _id: id, userId })) !== null,

    listOf: (userId: string): Promise<ScheduledDocument[]> =>
      scheduled.find({ userId }).sort({ sendAt: 1 }).limit(LIMITS.scheduledPerUser).lean(),

    ...dueQueries(scheduled),

    removeOfChannels: (channelIds: readonly string[]) => removeAll({ channelId: { $in: channelIds } }),
    removeAll: (userId: string) => removeAll({ userId }),
  }),
);

export function presentScheduled(document: ScheduledDocument): ScheduledMessage {
  const { _id, channelId, content, sendAt, failure = null } = document;
  return { id: _id, channelId, content, sendAt: sendAt.toISOString(), failure };
}

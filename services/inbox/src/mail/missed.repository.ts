import { LIMITS } from "@fanfare/contract";
import { defineRepository, ID, REQUIRED_ID } from "@fanfare/kernel";
import { Schema, Types, type mongo } from "mongoose";
import { MISSED_PER_USER, MISSED_WAIT_MS } from "../constants.ts";
import { dueQueries } from "../due.ts";
import type { Candidate, Reason } from "../push/candidates.ts";

interface Missed {
  messageId: string;
  reason: Reason;
}

/** What a user missed, until the email about it: one per user, so that there is one email. */
export interface MissedDocument {
  /** The user id. */
  _id: string;
  /** When to look at it. */
  dueAt: Date;
  /** When the first one was missed. */
  since: Date;
  /** The newest ones. */
  missed: Missed[];
  /** How many were added: changes when more are missed while the email is written. More than `missed` if some were displaced. */
  count: number;
}

const schema = new Schema<MissedDocument>(
  {
    _id: ID,
    dueAt: { type: Date, required: true },
    since: { type: Date, required: true },
    missed: [new Schema<Missed>({ messageId: REQUIRED_ID, reason: String }, { _id: false })],
    count: { type: Number, required: true },
  },
  { collection: "missedMessages" },
).index({ dueAt: 1 }, { name: "due" });

export type MissedRepository = ReturnType<typeof createMissedRepository>;

/** Queries of the collection missedMessages. Not durable: the inbox still has what an email lacks. */
export const createMissedRepository = defineRepository(
  { name: "MissedMessages", schema, durable: false },
  ({ model, native, update, remove }) => ({
    /** One command for all users. @returns when to look at those who had missed nothing before; null: there are none */
    async add(candidates: readonly Candidate[]): Promise<Date | null> {
      const since = new Date();
      const dueAt = new Date(since.getTime() + MISSED_WAIT_MS.quarterHour);
      const byUser = Map.groupBy(candidates, ({ userId }) => userId);
      const operations = [...byUser].map(([userId, some]) => ({
        updateOne: {
          filter: { _id: new Types.ObjectId(userId) },
          update: {
            $setOnInsert: { dueAt, since },
            $inc: { count: some.length },
            $push: {
              missed: {
                $each: some.map(({ message, reason }) => ({
                  messageId: new Types.ObjectId(message.id),
                  reason,
                })),
                $slice: -MISSED_PER_USER,
              },
            },
          },
          upsert: true,
        },
      }));
      // The types of the driver don't know the fields of the collection.
      const { upsertedCount } = await native.bulkWrite(
        operations as unknown as mongo.AnyBulkWriteOperation[],
        {
          ordered: false,
          maxTimeMS: LIMITS.writeTimeoutMs,
        },
      );
      return upsertedCount > 0 ? dueAt : null;
    },

    ...dueQueries(model),

    /** @returns false if more was missed since the document was read */
    take: ({ _id, dueAt, count }: MissedDocument) => remove({ _id, dueAt, count }),

    /** After an email that failed: they are due again, with what was missed in between. */
    putBack: ({ _id, dueAt, since, missed, count }: MissedDocument) =>
      model.updateOne(
        { _id },
        {
          $min: { dueAt, since },
          $inc: { count },
          $push: { missed: { $each: missed, $position: 0, $slice: -MISSED_PER_USER } },
        },
        { upsert: true },
      ),

    /** After the user has chosen another time. */
    lookNow: (userId: string) => update({ _id: userId }, { $set: { dueAt: new Date() } }),

    remove: (userId: string) => remove({ _id: userId }),
  }),
);

import type { BotEvent, BotScope } from "@fanfare/contract";
import { defineRepository, REQUIRED_ID } from "@fanfare/kernel";
import { Schema } from "mongoose";

/** A bot's HTTP callback for events. */
export interface Callback {
  /** Identifies the subscription; a new one starts without progress. */
  id: string;
  url: string;
  sealedSecret: string;
  events: BotEvent[];
  since: Date;
  isDisabled: boolean;
  failures: number;
  lastError: string | null;
}

export interface BotDocument {
  /** The id of the bot's user. */
  _id: string;
  groupId: string;
  name: string;
  scopes: BotScope[];
  tokenHash: string;
  sessionId: string;
  /** The holder of the token, initially the creator. */
  createdBy: string;
  createdAt: Date;
  /** When the holder revoked the token; absent while a token is valid. */
  revokedAt?: Date;
  callback?: Callback;
}

const schema = new Schema<BotDocument>(
  {
    groupId: REQUIRED_ID,
    name: { type: String, required: true },
    scopes: { type: [String], required: true },
    tokenHash: { type: String, required: true },
    sessionId: { type: String, required: true },
    createdBy: REQUIRED_ID,
    createdAt: { type: Date, required: true },
    revokedAt: Date,
    callback: Schema.Types.Mixed,
  },
  { collection: "bots" },
);
schema.index({ groupId: 1, _id: 1 });
schema.index({ createdBy: 1, _id: 1 });

export type BotRepository = ReturnType<typeof createBotRepository>;

/** Queries of the collection bots. */
export const createBotRepository = defineRepository(
  { name: "Bot", schema },
  ({ model: bots, insert, update, change, remove }) => ({
    insert,

    find: (botId: string) => bots.findById(botId).lean(),

    findInGroup: (groupId: string, botId: string) => bots.findOne({ _id: botId, groupId }).lean(),

    listOfGroup: (groupId: string, limit: number) =>
      bots.find({ groupId }).sort({ groupId: 1, _id: 1 }).limit(limit).lean(),

    /** One page, after the id of the last bot of the previous one. */
    listHeldBy: (userId: string, afterId: string, limit: number) =>
      bots
        .find({ createdBy: userId, _id: { $gt: afterId } })
        .sort({ createdBy: 1, _id: 1 })
        .limit(limit)
        .lean(),

    listNewestHeldBy: (userId: string, limit: number, before: string) =>
      bots
        .find({ createdBy: userId, _id: { $lt: before }, revokedAt: { $exists: false } })
        .sort({ createdBy: -1, _id: -1 })
        .limit(limit)
        .lean(),

    countOfGroup: (groupId: string, max: number) => bots.countDocuments({ groupId }, { limit: max }),

    /**
     * Also removes the callback if the scope for it is lost, or if the token is new: the holder of the old one chose the URL.
     */
    update: (
      groupId: string,
      botId: string,
      changes: Partial<Pick<BotDocument, "name" | "scopes" | "tokenHash" | "sessionId" | "createdBy">>,
    ) => {
      const isNewToken = changes.tokenHash !== undefined;
      const endsCallback = isNewToken || changes.scopes?.includes("events") === false;
      const unset = { callback: 1, ...(isNewToken && { revokedAt: 1 }) };
      return change({ _id: botId, groupId }, { $set: changes, ...(endsCallback && { $unset: unset }) });
    },

    /** Replaces the token with an unknown one, and removes the callback, whose URL the holder of the token chose. */
    revokeToken: (botId: string, changes: Pick<BotDocument, "tokenHash" | "sessionId">) =>
      update({ _id: botId }, { $set: { ...changes, revokedAt: new Date() }, $unset: { callback: 1 } }),

    remove: (botId: string) => remove({ _id: botId }),

    /** @returns null if the bot is deleted, or has another session: its token or scopes were changed in the meantime */
    setCallback: (botId: string, sessionId: string, callback: Callback | null) =>
      change(
        { _id: botId, sessionId },
        callback === null ? { $unset: { callback: 1 } } : { $set: { callback } },
      ),

    /** Stores the result of a delivery, unless the bot has subscribed again in the meantime. */
    settle: (
      botId: string,
      callbackId: string,
      { failures, lastError, isDisabled }: Pick<Callback, "failures" | "lastError" | "isDisabled">,
    ) =>
      update(
        { _id: botId, "callback.id": callbackId },
        {
          $set: {
            "callback.failures": failures,
            "callback.lastError": lastError,
            "callback.isDisabled": isDisabled,
          },
        },
      ),
  }),
);

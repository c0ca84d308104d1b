import { DURABLE } from "@fanfare/kernel";
import { Types, type Connection } from "mongoose";
import { botModel, type BotDocument, type Callback } from "./bot.model.ts";

export type BotRepository = ReturnType<typeof createBotRepository>;

/** Queries of the collection bots. */
export function createBotRepository(connection: Connection) {
  const bots = botModel(connection);
  const after = { returnDocument: "after" } as const;
  return {
    async insert(bot: BotDocument): Promise<void> {
      await bots.collection.insertOne(bot, { writeConcern: DURABLE });
    },

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

    countOfGroup: (groupId: string, max: number) =>
      bots.countDocuments({ groupId: new Types.ObjectId(groupId) }, { limit: max }),

    update: (
      groupId: string,
      botId: string,
      changes: Partial<Pick<BotDocument, "name" | "scopes" | "tokenHash" | "sessionId" | "createdBy">>,
    ) =>
      bots
        .findOneAndUpdate(
          { _id: botId, groupId },
          { $set: changes, ...(changes.tokenHash !== undefined && { $unset: { revokedAt: 1 } }) },
          after,
        )
        .lean(),

    /** Replaces the token with an unknown one. */
    async revokeToken(botId: string, changes: Pick<BotDocument, "tokenHash" | "sessionId">): Promise<void> {
      await bots.updateOne({ _id: botId }, { $set: { ...changes, revokedAt: new Date() } });
    },

    remove: (botId: string) => bots.findOneAndDelete({ _id: botId }).lean(),

    setCallback: (botId: string, callback: Callback | null) =>
      bots
        .findOneAndUpdate(
          { _id: botId },
          callback === null ? { $unset: { callback: 1 } } : { $set: { callback } },
          after,
        )
        .lean(),

    /** Stores the result of a delivery, unless the bot has subscribed again in the meantime. */
    async settle(
      botId: string,
      callbackId: string,
      { failures, lastError, isDisabled }: Pick<Callback, "failures" | "lastError" | "isDisabled">,
    ): Promise<void> {
      const outcome = {
        "callback.failures": failures,
        "callback.lastError": lastError,
        "callback.isDisabled": isDisabled,
      };
      await bots.updateOne({ _id: botId, "callback.id": callbackId }, { $set: outcome });
    },
  };
}

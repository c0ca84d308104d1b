import { duplicateKeyIndex } from "@fanfare/kernel";
import { Types, type Connection } from "mongoose";
import { commandModel, type CommandDocument } from "./command.model.ts";

export type CommandRepository = ReturnType<typeof createCommandRepository>;

/** Every query of the collection botCommands. */
export function createCommandRepository(connection: Connection) {
  const commands = commandModel(connection);
  return {
    /** null where another bot of the group has the name. */
    async put({
      groupId,
      botId,
      name,
      ...rest
    }: Omit<CommandDocument, "_id">): Promise<CommandDocument | null> {
      try {
        return await commands
          .findOneAndUpdate(
            { groupId, name, botId },
            { $set: rest },
            { upsert: true, returnDocument: "after" },
          )
          .lean();
      } catch (error) {
        if (duplicateKeyIndex(error) !== null) return null;
        throw error;
      }
    },

    find: (groupId: string, name: string) => commands.findOne({ groupId, name }).lean(),

    listOfGroup: (groupId: string, limit: number) =>
      commands.find({ groupId }).sort({ groupId: 1, name: 1 }).limit(limit).lean(),

    countOfBot: (botId: string, max: number) =>
      commands.countDocuments({ botId: new Types.ObjectId(botId) }, { limit: max }),

    async remove(botId: string, groupId: string, name: string): Promise<void> {
      await commands.deleteOne({ groupId, name, botId });
    },

    async removeAllOf(botId: string): Promise<void> {
      await commands.deleteMany({ botId });
    },
  };
}

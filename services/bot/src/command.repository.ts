import type { Command } from "@fanfare/contract";
import { defineRepository, REQUIRED_ID, nullIfDuplicate } from "@fanfare/kernel";
import { Schema } from "mongoose";

export interface CommandDocument {
  _id: string;
  groupId: string;
  botId: string;
  name: string;
  description: string;
  options: Command["options"];
}

const schema = new Schema<CommandDocument>(
  {
    groupId: REQUIRED_ID,
    botId: REQUIRED_ID,
    name: { type: String, required: true },
    description: { type: String, required: true },
    options: { type: Schema.Types.Mixed, required: true },
  },
  { collection: "botCommands" },
);
schema.index({ groupId: 1, name: 1 }, { unique: true });
schema.index({ botId: 1 });

/** Queries of the collection botCommands. */
export const createCommandRepository = defineRepository(
  { name: "BotCommand", schema },
  ({ model: commands, remove, removeAll }) => ({
    /** @returns null when another bot of the group has a command with this name */
    async put({ groupId, botId, name, ...rest }: Omit<CommandDocument, "_id">) {
      const options = { upsert: true, returnDocument: "after" } as const;
      const command = { groupId, name, botId };
      return nullIfDuplicate(commands.findOneAndUpdate(command, { $set: rest }, options).lean());
    },

    find: (groupId: string, name: string) => commands.findOne({ groupId, name }).lean(),

    listOfGroup: (groupId: string, limit: number) =>
      commands.find({ groupId }).sort({ groupId: 1, name: 1 }).limit(limit).lean(),

    countOfBot: (botId: string, max: number) => commands.countDocuments({ botId }, { limit: max }),

    remove: (botId: string, groupId: string, name: string) => remove({ groupId, name, botId }),

    removeAllOf: (botId: string) => removeAll({ botId }),
  }),
);

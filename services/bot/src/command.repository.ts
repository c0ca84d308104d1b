import type { Command } from "@fanfare/contract";
import { DURABLE, duplicateKeyIndex } from "@fanfare/kernel";
import { Schema, type Connection, type Model, Types } from "mongoose";

export interface CommandDocument {
  _id: Types.ObjectId;
  groupId: Types.ObjectId;
  botId: Types.ObjectId;
  name: string;
  description: string;
  options: Command["options"];
}

const schema = new Schema<CommandDocument>(
  {
    groupId: { type: Schema.Types.ObjectId, required: true },
    botId: { type: Schema.Types.ObjectId, required: true },
    name: { type: String, required: true },
    description: { type: String, required: true },
    options: { type: Schema.Types.Mixed, required: true },
  },
  { collection: "botCommands", writeConcern: DURABLE, versionKey: false },
);
schema.index({ groupId: 1, name: 1 }, { unique: true });
schema.index({ botId: 1 });

function commandModel(connection: Connection): Model<CommandDocument> {
  return connection.model<CommandDocument>("BotCommand", schema);
}

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

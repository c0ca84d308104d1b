import type { Command } from "@fanfare/contract";
import { Schema, type Connection, type Model, type Types } from "mongoose";
import { DURABLE } from "./bot.model.ts";

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

export function commandModel(connection: Connection): Model<CommandDocument> {
  return connection.model<CommandDocument>("BotCommand", schema);
}

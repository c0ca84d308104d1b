import type { Invocation } from "@fanfare/contract";
import { defineRepository } from "@fanfare/kernel";
import { Schema } from "mongoose";
import { INVOCATION_LIFETIME_S } from "../constants.ts";

/** An invocation of a command that has not been delivered yet. */
interface InvocationDocument {
  _id: string;
  botId: string;
  invocation: Invocation;
  createdAt: Date;
}

const schema = new Schema<InvocationDocument>(
  {
    _id: { type: String, required: true },
    botId: { type: String, required: true },
    invocation: { type: Schema.Types.Mixed, required: true },
    createdAt: { type: Date, required: true },
  },
  { collection: "botInvocations" },
);
schema.index({ botId: 1, _id: 1 });
schema.index({ createdAt: 1 }, { expireAfterSeconds: INVOCATION_LIFETIME_S });

export type InvocationRepository = ReturnType<typeof createInvocationRepository>;

/** Queries of the collection botInvocations. */
export const createInvocationRepository = defineRepository(
  { name: "BotInvocation", schema },
  ({ model: invocations, insert, remove, removeAll }) => ({
    async add(invocation: Invocation): Promise<void> {
      const { id, botId } = invocation;
      await insert({ _id: id, botId, invocation, createdAt: new Date() });
    },

    count: (botId: string, max: number) => invocations.countDocuments({ botId }, { limit: max }),

    /** Oldest first. */
    async list(botId: string, limit: number): Promise<Invocation[]> {
      const found = await invocations.find({ botId }).sort({ botId: 1, _id: 1 }).limit(limit).lean();
      return found.map(({ invocation }) => invocation);
    },

    remove: (id: string) => remove({ _id: id }),
    removeOfBot: (botId: string) => removeAll({ botId }),
  }),
);

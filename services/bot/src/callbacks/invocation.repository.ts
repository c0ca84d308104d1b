import type { Invocation } from "@fanfare/contract";
import type { Connection } from "mongoose";
import { invocationModel } from "./invocation.model.ts";

export type InvocationRepository = ReturnType<typeof createInvocationRepository>;

/** Every query of the collection botInvocations. */
export function createInvocationRepository(connection: Connection) {
  const invocations = invocationModel(connection);
  return {
    async add(invocation: Invocation): Promise<void> {
      const { id, botId } = invocation;
      await invocations.create({ _id: id, botId, invocation, createdAt: new Date() });
    },

    count: (botId: string, max: number) => invocations.countDocuments({ botId }, { limit: max }),

    /** The oldest first. */
    async list(botId: string, limit: number): Promise<Invocation[]> {
      const found = await invocations.find({ botId }).sort({ botId: 1, _id: 1 }).limit(limit).lean();
      return found.map(({ invocation }) => invocation);
    },

    async remove(id: string): Promise<void> {
      await invocations.deleteOne({ _id: id });
    },

    async removeOfBot(botId: string): Promise<void> {
      await invocations.deleteMany({ botId });
    },
  };
}

import type { ModalField } from "@fanfare/contract";
import { defineRepository, REQUIRED_ID } from "@fanfare/kernel";
import { Schema } from "mongoose";

/** A modal that a user has open. */
export interface ModalDocument {
  /** The id of the interaction, invocation or submission that it was opened for. */
  _id: string;
  botId: string;
  channelId: string;
  userId: string;
  /** Chosen by the bot. */
  name: string;
  fields: ModalField[];
  expiresAt: Date;
}

const schema = new Schema<ModalDocument>(
  {
    botId: REQUIRED_ID,
    channelId: REQUIRED_ID,
    userId: REQUIRED_ID,
    name: { type: String, required: true },
    fields: { type: [Schema.Types.Mixed], required: true } as never,
    expiresAt: { type: Date, required: true },
  },
  { collection: "botModals" },
);
schema.index({ botId: 1 });
schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export type ModalRepository = ReturnType<typeof createModalRepository>;

/** Queries of the collection botModals. */
export const createModalRepository = defineRepository(
  { name: "BotModal", schema },
  ({ model: modals, remove, removeAll }) => ({
    /** Replaces the one that was opened for the same command, button or submission. */
    async put({ _id, ...modal }: ModalDocument): Promise<void> {
      await modals.updateOne({ _id }, { $set: modal }, { upsert: true });
    },

    findOpen: (modalId: string, userId: string) =>
      modals.findOne({ _id: modalId, userId, expiresAt: { $gt: new Date() } }).lean(),

    remove: (modalId: string) => remove({ _id: modalId }),

    removeOfBot: (botId: string) => removeAll({ botId }),
  }),
);

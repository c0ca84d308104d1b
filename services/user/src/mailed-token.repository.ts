import { hashSecret } from "@fanfare/kernel";
import type { Connection } from "mongoose";
import { mailedTokenModel, type MailedPurpose, type MailedTokenDocument } from "./mailed-token.model.ts";

export type MailedTokenRepository = ReturnType<typeof createMailedTokenRepository>;

/** Every query of the collection mailedTokens. */
export function createMailedTokenRepository(connection: Connection) {
  const tokens = mailedTokenModel(connection);
  const valid = (token: string, purpose: MailedPurpose) => ({
    _id: hashSecret(token),
    purpose,
    expiresAt: { $gt: new Date() },
  });
  return {
    async insert(document: MailedTokenDocument): Promise<void> {
      await tokens.create(document);
    },

    find: (token: string, purpose: MailedPurpose) => tokens.findOne(valid(token, purpose)).lean(),

    /** Uses it up: of several at once one gets it. */
    take: (token: string, purpose: MailedPurpose) => tokens.findOneAndDelete(valid(token, purpose)).lean(),

    async removeAll(userId: string, purposes: readonly MailedPurpose[]): Promise<void> {
      await tokens.deleteMany({ userId, purpose: { $in: purposes } });
    },
  };
}

import { LIMITS } from "@fanfare/contract";
import { hashSecret, newSecret } from "@fanfare/kernel";
import type { Connection } from "mongoose";
import { setupTokenModel } from "./setup-token.model.ts";

export type SetupTokenRepository = ReturnType<typeof createSetupTokenRepository>;

/** Every query of the collection setupTokens. */
export function createSetupTokenRepository(connection: Connection) {
  const tokens = setupTokenModel(connection);
  return {
    async make(): Promise<string> {
      const token = newSecret();
      const expiresAt = new Date(Date.now() + LIMITS.setupLinkLifetimeMs);
      await tokens.create({ _id: hashSecret(token), expiresAt });
      return token;
    },

    async isValid(token: string): Promise<boolean> {
      const found = await tokens.findOne({ _id: hashSecret(token), expiresAt: { $gt: new Date() } }).lean();
      return found !== null;
    },
  };
}

import { LIMITS } from "@fanfare/contract";
import { DURABLE, hashSecret, newSecret } from "@fanfare/kernel";
import { Schema, type Connection, type Model } from "mongoose";

interface SetupTokenDocument {
  /** SHA-256 of the token: a reader of the database cannot use it. */
  _id: string;
  expiresAt: Date;
}

const setupTokenSchema = new Schema<SetupTokenDocument>(
  {
    _id: { type: String, required: true },
    expiresAt: { type: Date, required: true },
  },
  { collection: "setupTokens", writeConcern: DURABLE, versionKey: false },
);
// Cleans up only: every reader compares the times itself.
setupTokenSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

function setupTokenModel(connection: Connection): Model<SetupTokenDocument> {
  return connection.model<SetupTokenDocument>("SetupToken", setupTokenSchema);
}

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

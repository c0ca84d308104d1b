import { LIMITS } from "@fanfare/contract";
import { defineRepository, hashSecret, newSecret } from "@fanfare/kernel";
import { Schema } from "mongoose";
import type { OidcIdentity } from "./oidc-provider.ts";

interface OidcCodeDocument extends OidcIdentity {
  /** SHA-256 of the code in the address that the login ended at. */
  _id: string;
  /** SHA-256 of a secret of the page that began the login; the code alone is not enough. */
  challenge: string;
  expiresAt: Date;
}

const schema = new Schema<OidcCodeDocument>(
  {
    _id: { type: String, required: true },
    challenge: { type: String, required: true },
    key: { type: String, required: true },
    email: { type: String, default: null },
    authenticatedAt: Date,
    names: { type: new Schema({ username: String, nickname: String }, { _id: false }), required: true },
    expiresAt: { type: Date, required: true },
  },
  { collection: "oidcCodes" },
);
// Cleans up only: every reader compares the times itself.
schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export interface OidcLogin {
  oidcCode: string;
  verifier: string;
}

export type OidcCodeRepository = ReturnType<typeof createOidcCodeRepository>;

/** Every query of the collection oidcCodes. */
export const createOidcCodeRepository = defineRepository(
  { name: "OidcCode", schema },
  ({ model: codes, insert }) => {
    const valid = ({ oidcCode, verifier }: OidcLogin) => ({
      _id: hashSecret(oidcCode),
      challenge: hashSecret(verifier),
      expiresAt: { $gt: new Date() },
    });
    return {
      /** @returns the code that the page exchanges */
      async make(identity: OidcIdentity, challenge: string): Promise<string> {
        const oidcCode = newSecret();
        const expiresAt = new Date(Date.now() + LIMITS.oidcCodeLifetimeMs);
        await insert({ ...identity, _id: hashSecret(oidcCode), challenge, expiresAt });
        return oidcCode;
      },

      find: (login: OidcLogin) => codes.findOne(valid(login)).lean(),

      /** Uses it up: of several at once one gets it. */
      take: (login: OidcLogin) => codes.findOneAndDelete(valid(login)).lean(),
    };
  },
);

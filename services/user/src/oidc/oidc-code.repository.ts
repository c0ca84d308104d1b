import { LIMITS } from "@fanfare/contract";
import { hashSecret, newSecret } from "@fanfare/kernel";
import type { Connection } from "mongoose";
import { oidcCodeModel } from "./oidc-code.model.ts";
import type { OidcIdentity } from "./oidc-provider.ts";

export interface OidcLogin {
  oidcCode: string;
  verifier: string;
}

export type OidcCodeRepository = ReturnType<typeof createOidcCodeRepository>;

/** Every query of the collection oidcCodes. */
export function createOidcCodeRepository(connection: Connection) {
  const codes = oidcCodeModel(connection);
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
      await codes.create({ ...identity, _id: hashSecret(oidcCode), challenge, expiresAt });
      return oidcCode;
    },

    find: (login: OidcLogin) => codes.findOne(valid(login)).lean(),

    /** Uses it up: of several at once one gets it. */
    take: (login: OidcLogin) => codes.findOneAndDelete(valid(login)).lean(),
  };
}

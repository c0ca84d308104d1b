import { LIMITS } from "@fanfare/contract";
import { DEFAULT_PROVIDER, defineRepository, hashSecret, newSecret, nullIfDuplicate } from "@fanfare/kernel";
import { Schema } from "mongoose";
import type { ProviderIdentity } from "./provider.ts";

interface OidcCodeDocument extends Omit<ProviderIdentity, "provider"> {
  /** SHA-256 of the code in the URL that the login ends at. */
  _id: string;
  /** Absent if it was stored by a version with only one provider. */
  provider?: string;
  /** SHA-256 of the verifier of the page that started the login; the code alone is not enough. */
  challenge: string;
  expiresAt: Date;
}

const oidcCodeSchema = new Schema<OidcCodeDocument>(
  {
    _id: { type: String, required: true },
    challenge: { type: String, required: true },
    provider: { type: String, required: true },
    key: { type: String, required: true },
    email: { type: String, default: null },
    externalIds: { type: [String], default: undefined },
    isAdmin: Boolean,
    authenticatedAt: Date,
    names: { type: new Schema({ username: String, nickname: String }, { _id: false }), required: true },
    expiresAt: { type: Date, required: true },
  },
  { collection: "oidcCodes" },
);
// Only for cleanup: readers compare the time themselves.
oidcCodeSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

interface OidcLogin {
  oidcCode: string;
  verifier: string;
}

export type OidcCodeRepository = ReturnType<typeof createOidcCodeRepository>;

/** Queries of the collection oidcCodes. */
export const createOidcCodeRepository = defineRepository(
  { name: "OidcCode", schema: oidcCodeSchema },
  ({ model: codes, insert }) => {
    const valid = ({ oidcCode, verifier }: OidcLogin) => ({
      _id: hashSecret(oidcCode),
      challenge: hashSecret(verifier),
      expiresAt: { $gt: new Date() },
    });
    return {
      /** @returns the code for the page to exchange */
      async make(identity: ProviderIdentity, challenge: string): Promise<string> {
        const oidcCode = newSecret();
        const expiresAt = new Date(Date.now() + LIMITS.oidcCodeLifetimeMs);
        await insert({ ...identity, _id: hashSecret(oidcCode), challenge, expiresAt });
        return oidcCode;
      },

      find: async (login: OidcLogin) => withProvider(await codes.findOne(valid(login)).lean()),

      /** Consumes the code: of concurrent calls one gets it. */
      take: async (login: OidcLogin) => withProvider(await codes.findOneAndDelete(valid(login)).lean()),
    };
  },
);

const withProvider = (code: OidcCodeDocument | null): (OidcCodeDocument & ProviderIdentity) | null =>
  code && { ...code, provider: code.provider ?? DEFAULT_PROVIDER };

interface UsedAssertionDocument {
  /** Hash of the provider's and the assertion's id. */
  _id: string;
  expiresAt: Date;
}

const usedAssertionSchema = new Schema<UsedAssertionDocument>(
  { _id: { type: String, required: true }, expiresAt: { type: Date, required: true } },
  { collection: "usedAssertions" },
);
usedAssertionSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

/** Queries of the collection usedAssertions: SAML logins that can't be used again. */
export const createUsedAssertionRepository = defineRepository(
  { name: "UsedAssertion", schema: usedAssertionSchema },
  ({ insert }) => ({
    /**
     * @param lifetimeMs how long the request that the assertion answers can be used
     * @returns false when it was used before
     */
    async add(assertionId: string, lifetimeMs: number): Promise<boolean> {
      const expiresAt = new Date(Date.now() + lifetimeMs);
      return (await nullIfDuplicate(insert({ _id: assertionId, expiresAt }))) !== null;
    },
  }),
);

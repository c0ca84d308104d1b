import type { ProvisionedFilter } from "@fanfare/contract";
import type { Collection } from "@fanfare/kernel";
import type { QueryFilter } from "mongoose";
import type { Provisioning, UserDocument } from "./user.model.ts";

/** Accounts that identity providers see: all but guests, bots and those they have deleted. */
const VISIBLE: QueryFilter<UserDocument> = { kind: "member", deletedAt: null, "scim.deletedAt": null };

/** Fields that a provider changes; undefined removes one. */
interface ProvisionedFields {
  scim?: Provisioning;
  nickname?: string | undefined;
  /** Verified. */
  email?: string | null;
  enable?: boolean;
}

/** Queries of the collection users for provisioning by SCIM. */
export function createProvisioningQueries({ model: users, change }: Collection<UserDocument>) {
  return {
    /** Also one that the filters below would not find: check with `matchesFilters`. */
    async listProvisionedCandidates({ attribute, value }: ProvisionedFilter): Promise<UserDocument[]> {
      const text = String(value);
      const lower = text.toLowerCase();
      const filters: QueryFilter<UserDocument>[] = {
        userName: [{ "scim.userNameLower": lower }, { emailLower: lower }],
        externalId: [{ "scim.externalId": text }],
        email: [{ emailLower: lower }],
        id: /^[0-9a-f]{24}$/.test(text) ? [{ _id: text }] : [],
        active: [],
      }[attribute];
      const found = await Promise.all(filters.map((filter) => users.findOne(filter).lean()));
      return [...new Map(found.flatMap((user) => (user === null ? [] : [[user._id, user]]))).values()];
    },

    /** Oldest first. */
    async pageOfProvisioned(isActive: boolean | undefined, offset: number, limit: number) {
      const filter: QueryFilter<UserDocument> = {
        ...VISIBLE,
        ...(isActive !== undefined && { disabledAt: isActive ? null : { $gt: new Date(0) } }),
      };
      const [found, total] = await Promise.all([
        limit === 0 ? [] : users.find(filter).sort({ _id: 1 }).skip(offset).limit(limit).lean(),
        users.countDocuments(filter),
      ]);
      return { found, total };
    },

    findByExternalId: async (externalIds: readonly string[]) =>
      externalIds.length === 0
        ? null
        : users.findOne({ "scim.externalId": { $in: [...externalIds] } }).lean(),

    /** @returns null when the account isn't visible to the provider; a duplicate key error when a name is taken */
    setProvisioned(userId: string, { scim, nickname, email, enable = false }: ProvisionedFields) {
      const set = {
        ...(scim !== undefined && { scim }),
        ...(nickname !== undefined && { nickname, nicknameLower: nickname.toLowerCase() }),
        ...(email != null && { email, emailLower: email.toLowerCase(), emailVerifiedAt: new Date() }),
      };
      return change(
        { _id: userId, kind: "member", deletedAt: null },
        {
          ...(Object.keys(set).length > 0 && { $set: set }),
          $unset: {
            ...(enable && { disabledAt: 1 as const }),
            ...(email !== undefined && { emailClaimedAt: 1 as const }),
            ...(email === null && { email: 1 as const, emailLower: 1 as const, emailVerifiedAt: 1 as const }),
          },
        },
      );
    },
  };
}

import type { ProvisionedFilter, ProvisionedGroupChanges } from "@fanfare/contract";
import type { Collection } from "@fanfare/kernel";
import type { QueryFilter } from "mongoose";
import { CREDENTIALS } from "./account.queries.ts";
import { type Provisioning, searchFields, type UserDocument } from "./user.model.ts";

/** Attributes that a provider has sent; null removes one. */
export type ProvisionedAttributes = {
  [Name in Exclude<keyof Provisioning, "disabled" | "deletedAt" | "groupIds">]?: string | null;
};

const ATTRIBUTES: Record<keyof ProvisionedAttributes, null> = {
  userName: null,
  userNameLower: null,
  externalId: null,
  displayName: null,
  givenName: null,
  familyName: null,
  formattedName: null,
};
const PRESENT = { $gt: new Date(0) };
/**
 * Accounts that identity providers see: all but guests, bots and those they have deleted. Those that are neither connected nor have
 * a verified address aren't among them: their usernames prove nothing, and a provider can take them for those of its users.
 */
const VISIBLE: QueryFilter<UserDocument> = {
  kind: "member",
  deletedAt: null,
  "scim.deletedAt": null,
  $or: [{ emailVerifiedAt: PRESENT }, { "scim.userNameLower": { $gt: "" } }],
};

/** Fields that a provider changes. */
interface ProvisionedFields {
  scim: ProvisionedAttributes;
  nickname?: string | undefined;
  /** Verified. */
  email?: string | null;
}
/** How an account is connected: `again` if the provider had deleted it. */
interface Connection {
  again: boolean;
  enable: boolean;
  /** For an account that can have belonged to someone else: all ways to sign in are removed. */
  removeCredentials: boolean;
}

const scimFields = (attributes: ProvisionedAttributes, isRemoved: boolean) =>
  Object.entries(attributes)
    .filter(([, value]) => (value === null) === isRemoved)
    .map(([name, value]) => [`scim.${name}`, isRemoved ? 1 : value] as const);

/** Queries of the collection users for provisioning by SCIM. */
export function createProvisioningQueries({ model: users, change, updateAll }: Collection<UserDocument>) {
  return {
    /** Can include accounts that don't match: check them with `matches`. */
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
        ...(isActive !== undefined && { disabledAt: isActive ? null : PRESENT }),
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

    /**
     * @param connection absent if the account is visible to the provider already
     * @returns null when the account isn't visible, or no longer to be connected; a duplicate key error when a name is taken
     */
    setProvisioned(userId: string, { scim, nickname, email }: ProvisionedFields, connection?: Connection) {
      const { again = false, enable = false, removeCredentials = false } = connection ?? {};
      const connectable = { ...VISIBLE, "scim.userName": null, ...(again && { "scim.deletedAt": PRESENT }) };
      const set = {
        ...Object.fromEntries(scimFields(scim, false)),
        ...(nickname !== undefined && { nickname, ...searchFields({ nickname }) }),
        ...(email != null && { email, emailLower: email.toLowerCase(), emailVerifiedAt: new Date() }),
      };
      return change(
        { ...(connection === undefined ? VISIBLE : connectable), _id: userId },
        {
          ...(Object.keys(set).length > 0 && { $set: set }),
          $unset: {
            ...Object.fromEntries(scimFields(scim, true)),
            ...(again && { "scim.deletedAt": 1 }),
            ...(enable && { disabledAt: 1 as const, "scim.disabled": 1 }),
            ...(removeCredentials && CREDENTIALS),
            ...(email !== undefined && { emailClaimedAt: 1 as const }),
            ...(email === null && {
              email: 1 as const,
              emailLower: 1 as const,
              emailVerifiedAt: 1 as const,
              // There is no address left to verify.
              mustVerifyEmail: 1 as const,
            }),
          },
        },
      );
    },

    /** Hides an account from the provider, and deletes the attributes that it has sent. */
    releaseProvisioned: (userId: string) =>
      change(
        { ...VISIBLE, _id: userId },
        {
          $set: { "scim.deletedAt": new Date() },
          $unset: { ...Object.fromEntries(scimFields(ATTRIBUTES, true)), "scim.groupIds": 1 as const },
        },
      ),

    /** Oldest first. */
    listProvisionedMembers: (groupId: string) =>
      users
        .find({ ...VISIBLE, "scim.groupIds": groupId })
        .sort({ _id: 1 })
        .lean(),

    /** Those of `userIds` that the provider sees. */
    listProvisionedAmong: (userIds: readonly string[]) =>
      users.find({ ...VISIBLE, _id: { $in: [...userIds] } }).lean(),

    /** Without `keep`, only those in `add` stay. */
    async setProvisionedMembers(
      groupId: string,
      { keep, add, remove }: ProvisionedGroupChanges["members"],
    ): Promise<void> {
      if (!keep || remove.length > 0)
        await updateAll(
          { "scim.groupIds": groupId, _id: keep ? { $in: [...remove] } : { $nin: [...add] } },
          { $pull: { "scim.groupIds": groupId } },
        );
      if (add.length > 0)
        await updateAll({ ...VISIBLE, _id: { $in: [...add] } }, { $addToSet: { "scim.groupIds": groupId } });
    },
  };
}

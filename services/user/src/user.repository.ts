import type { Locale } from "@fanfare/contract";
import { defineRepository, firstIdAt, newId } from "@fanfare/kernel";
import type { QueryFilter } from "mongoose";
import { createAccountQueries, CREDENTIALS } from "./account.queries.ts";
import { createProvisioningQueries } from "./provisioning.queries.ts";
import { createErasureQueries, createGuestQueries } from "./removal.queries.ts";
import { createGuessQueries, createPasskeyQueries, createTotpQueries } from "./login.queries.ts";
import { searchFields, userCollection, type UserDocument } from "./user.model.ts";

interface Credentials {
  username: string;
  email?: string | undefined;
  passwordHash?: string;
}

type Claim = Credentials &
  Pick<UserDocument, "nickname"> & { locale: Locale | undefined; mustVerifyEmail: boolean };
type ProfileChange = Partial<
  Pick<UserDocument, "nickname" | "avatarUrl" | "bio" | "customStatus" | "locale">
> &
  Pick<UserDocument, "kind">;

const CREDENTIAL_FIELDS = Object.keys(CREDENTIALS) as (keyof typeof CREDENTIALS)[];
const absent = (fields: readonly (keyof UserDocument)[]): QueryFilter<UserDocument> =>
  Object.fromEntries(fields.map((field) => [field, { $exists: false }]));

export type UserRepository = ReturnType<typeof createUserRepository>;

/** Queries of the collection users. */
export const createUserRepository = defineRepository(userCollection, (users) => ({
  ...createAccountQueries(users),
  ...createTotpQueries(users),
  ...createPasskeyQueries(users),
  ...createErasureQueries(users),
  ...createGuestQueries(users),
  ...createGuessQueries(users),
  ...createProvisioningQueries(users),

  insert: users.insert,
  insertMany: users.insertMany,

  /** Guests that are in no other place. @returns how many were removed: fewer than `limit` if none are left */
  removeSomeImported: (placeId: string, limit: number) =>
    users.removeSome({ importedIn: placeId, "importedIn.1": { $exists: false } }, limit),

  /** Guests that are in other places, too. */
  keepImported: (placeId: string) =>
    users.updateAll(
      { importedIn: placeId, "importedIn.1": { $exists: true } },
      { $pull: { importedIn: placeId } },
    ),

  /** Keeps accounts that someone has signed in to, verified or provisioned since. */
  removeUnclaimed: (userIds: readonly string[]) =>
    users.removeAll({
      _id: { $in: userIds },
      ...absent(["emailVerifiedAt", "scim", "admin", ...CREDENTIAL_FIELDS]),
    }),

  find: (userId: string) => users.model.findById(userId).lean(),

  findMany: (userIds: readonly string[]) => users.model.find({ _id: { $in: userIds } }).lean(),

  findByUsername: (username: string) => users.model.findOne({ usernameLower: username.toLowerCase() }).lean(),

  findByEmail: (email: string) => users.model.findOne({ emailLower: email.toLowerCase() }).lean(),

  /** Any account; guests have no username. */
  findAnyAccount: () => users.model.findOne({ usernameLower: { $gt: "" } }).lean(),

  setAdmin: (userId: string, isAdmin: boolean) =>
    users.update({ _id: userId }, isAdmin ? { $set: { admin: true } } : { $unset: { admin: 1 } }),

  /** Accounts whose name starts with `prefix`, sorted by name. */
  listByPrefix: (field: "usernameLower" | "nicknameLower", prefix: string, limit: number) =>
    users.model
      .find({
        [field]: prefixRange(prefix),
        kind: "member",
        disabledAt: null,
      })
      .sort({ [field]: 1 })
      .limit(limit)
      .lean(),

  setProfile: (userId: string, { kind, ...profile }: ProfileChange) =>
    users.change(
      { _id: userId, deletedAt: null },
      { $set: { ...profile, ...(kind === "guest" ? {} : searchFields(profile)) } },
    ),

  setPreferences: (userId: string, changes: NonNullable<UserDocument["preferences"]>) =>
    users.change(
      { _id: userId, deletedAt: null },
      {
        $set: Object.fromEntries(
          Object.entries(changes).map(([name, value]) => [`preferences.${name}`, value]),
        ),
      },
    ),

  /** @returns null when the user is not a guest, or no longer one */
  claimGuest: (
    userId: string,
    { nickname, locale, mustVerifyEmail, ...credentials }: Claim,
    isAdmin: boolean,
  ) =>
    users.change(
      { _id: userId, kind: "guest", deletedAt: null },
      {
        $set: {
          kind: "member",
          ...credentialFields(credentials),
          ...searchFields({ nickname }),
          ...(locale !== undefined && { locale }),
          ...(mustVerifyEmail && { mustVerifyEmail: true as const }),
          ...(isAdmin && { admin: true as const }),
        },
        $unset: { seenAt: 1 },
      },
    ),
}));

function credentialFields({ username, email, passwordHash }: Credentials) {
  return {
    username,
    usernameLower: username.toLowerCase(),
    ...(email === undefined ? {} : { email, emailLower: email.toLowerCase(), emailClaimedAt: new Date() }),
    ...(passwordHash !== undefined && { passwordHash }),
  };
}

export type AllUsersRepository = ReturnType<typeof createAllUsersRepository>;

/** Queries across all users, for instance admins. */
export const createAllUsersRepository = defineRepository(userCollection, ({ model: users, change }) => ({
  /** Estimated from collection metadata, without reading the collection. */
  count: () => users.estimatedDocumentCount(),

  /** Accounts and guests that someone can log in to; counts at most up to `max`. */
  countPeople: (max: number) =>
    users.countDocuments(
      { kind: { $in: ["member", "guest"] }, deletedAt: { $exists: false }, importedIn: { $exists: false } },
      { limit: max },
    ),

  /** Accounts and guests created in a period. */
  countCreated: (from: Date, before: Date) =>
    users.countDocuments({
      _id: { $gte: firstIdAt(from), $lt: firstIdAt(before) },
      kind: { $in: ["member", "guest"] },
      importedIn: null,
    }),

  /** When the oldest user was created; null if there is none. */
  firstAt: async () => (await users.findOne({}, { createdAt: 1 }).sort({ _id: 1 }).lean())?.createdAt ?? null,

  /** Newest first. */
  listPage: (beforeId: string | undefined, limit: number) =>
    users
      .find(beforeId === undefined ? {} : { _id: { $lt: beforeId } })
      .sort({ _id: -1 })
      .limit(limit)
      .lean(),

  /** Includes users who can't be found by others. */
  listByPrefix: (field: "usernameLower" | "nicknameLower" | "emailLower", prefix: string, limit: number) =>
    users
      .find({ [field]: prefixRange(prefix) })
      .sort({ [field]: 1 })
      .limit(limit)
      .lean(),

  /**
   * @param byProvider an account that an admin has disabled stays so
   * @returns null when the user doesn't exist or is an admin
   */
  disable: async (userId: string, disabledAt: Date, byProvider: boolean) =>
    byProvider
      ? ((await change(
          { _id: userId, admin: null, disabledAt: null },
          { $set: { disabledAt, "scim.disabled": true } },
        )) ?? (await users.findOne({ _id: userId, admin: null, disabledAt: { $gt: new Date(0) } }).lean()))
      : change({ _id: userId, admin: null }, { $set: { disabledAt }, $unset: { "scim.disabled": 1 } }),

  /** @param byProvider an account that an admin has disabled stays so */
  enable: async (userId: string, byProvider: boolean) =>
    (await change(
      { _id: userId, ...(byProvider && { "scim.disabled": true }) },
      { $unset: { disabledAt: 1, "scim.disabled": 1 } },
    )) ?? users.findById(userId).lean(),
}));

/** Sorts after everything that can follow a prefix. */
const LAST = "\u{10ffff}";

/** A case-insensitive prefix match as a range, which uses the index and needs no escaping. */
function prefixRange(prefix: string): { $gte: string; $lt: string } {
  const lower = prefix.toLowerCase();
  return { $gte: lower, $lt: lower + LAST };
}

/** A new member account, not stored yet. The nickname defaults to the username. */
export function newAccount({
  username,
  nickname = username,
  locale,
  ...credentials
}: Credentials & { nickname?: string; locale?: Locale | undefined }): UserDocument {
  return {
    _id: newId(),
    ...credentialFields({ username, ...credentials }),
    nickname,
    ...searchFields({ nickname }),
    ...(locale !== undefined && { locale }),
    avatarUrl: null,
    kind: "member",
    createdAt: new Date(),
  };
}

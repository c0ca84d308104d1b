import type { Locale, OwnUser } from "@fanfare/contract";
import { ID } from "@fanfare/kernel";
import { Schema } from "mongoose";
import type { OidcLink } from "./external-logins.ts";

/** The second factor of an account. */
export interface Totp {
  /** Sealed, because the server needs the plain secret to compute codes. */
  secret: string;
  /** The period of the last used code: it and all before it are used up. */
  lastStep: number;
  /** SHA-256 of the unused recovery codes. */
  recoveryHashes: string[];
}

export interface StoredPasskey {
  /** Of the credential, in base64url, as is the key. */
  credentialId: string;
  publicKey: string;
  /** Of the authenticator's signatures; synced passkeys always have 0. */
  counter: number;
  name: string;
  createdAt: Date;
  /** Absent before the first login with it. */
  lastUsedAt?: Date;
}

/** What an identity provider has sent about an account by SCIM. */
export interface Provisioning {
  /** Absent until the provider has sent it. */
  userName?: string;
  userNameLower?: string;
  externalId?: string;
  displayName?: string;
  givenName?: string;
  familyName?: string;
  formattedName?: string;
  /** The provider has disabled the account, so it can enable it again. */
  disabled?: true;
  /** When the provider has deleted the user; its attributes aren't kept then. */
  deletedAt?: Date;
  /** The provider's groups that the user is in. */
  groupIds?: string[];
}

export interface UserDocument {
  _id: string;
  /** Absent for guests, so that the sparse unique index omits them. */
  username?: string;
  usernameLower?: string;
  email?: string;
  emailLower?: string;
  /** Absent until a verification link for `email` has been opened. */
  emailVerifiedAt?: Date;
  /** Since when the account has had its unverified address; absent otherwise. */
  emailClaimedAt?: Date;
  /** Created while the policy restricted email domains: no session can be opened before an address is verified. */
  mustVerifyEmail?: true;
  locale?: Locale;
  nickname: string;
  /** Absent for guests, who can't be searched for. */
  nicknameLower?: string;
  avatarUrl: string | null;
  bio?: string;
  customStatus?: { emoji: string | null; text: string; expiresAt: Date | null } | null;
  preferences?: OwnUser["preferences"];
  kind: "member" | "guest" | "bot";
  /** See passwords.ts for the format; absent for guests and accounts that only use OIDC or LDAP. */
  passwordHash?: string;
  /** Absent when the second factor is off. */
  totp?: Totp;
  /** A sealed secret whose first code is still to be confirmed. */
  totpPending?: string;
  /** Codes tried since the window began; a correct one resets the counter. */
  totpGuesses?: { count: number; endsAt: Date };
  /** Here, so that a password reset or a deletion removes them in the same write. */
  passkeys?: StoredPasskey[];
  /** The same as `totpGuesses` for passwords tried by logged-in users. */
  passwordGuesses?: { count: number; endsAt: Date };
  /** The identity at the first OIDC provider; external-logins.ts reads and writes all of them. */
  oidcKey?: string;
  /** The identities at the others, one for each. Never empty. */
  oidcLogins?: OidcLink[];
  /** The id of the entry in the LDAP directory, in base64url. */
  ldapKey?: string;
  scim?: Provisioning;
  /** A copy of the entry in the collection admins, maintained only by admins.ts. */
  admin?: true;
  /** Absent while the user can log in. */
  disabledAt?: Date;
  createdAt: Date;
  /**
   * Of a guest that an import created, as whom no one can log in: the group and the direct channels with their messages. They are
   * deleted with the last of them. Older documents have only one id, not in a list.
   */
  importedIn?: readonly string[];
  /** For guests with sessions: the day of their last activity. */
  seenAt?: Date;
  /** Set when the user is deleted; the document then only contains what messages refer to. */
  deletedAt?: Date;
  /** Set while other services remove the data of a deleted user. */
  erasing?: Date;
}

export const USERNAME_INDEX = "usernameLower_1";
export const EMAIL_INDEX = "emailLower_1";
export const SCIM_INDEXES: readonly (string | null)[] = ["scim.userNameLower_1", "scim.externalId_1"];
export const OIDC_INDEXES: readonly (string | null)[] = ["oidcKey_1", "oidcLogins.key_1"];

const totpSchema = new Schema<Totp>(
  { secret: String, lastStep: Number, recoveryHashes: [String] },
  { _id: false },
);

const passkeySchema = new Schema<StoredPasskey>(
  {
    credentialId: String,
    publicKey: String,
    counter: Number,
    name: String,
    createdAt: Date,
    lastUsedAt: Date,
  },
  { _id: false },
);

const provisioningSchema = new Schema<Provisioning>(
  {
    userName: String,
    userNameLower: String,
    externalId: String,
    displayName: String,
    givenName: String,
    familyName: String,
    formattedName: String,
    disabled: Boolean,
    deletedAt: Date,
    groupIds: { type: [String], default: undefined },
  },
  { _id: false },
);

const guessesSchema = new Schema({ count: Number, endsAt: Date }, { _id: false });

const userSchema = new Schema<UserDocument>(
  {
    username: String,
    usernameLower: String,
    email: String,
    emailLower: String,
    emailVerifiedAt: Date,
    emailClaimedAt: Date,
    mustVerifyEmail: Boolean,
    locale: String,
    nickname: { type: String, required: true },
    nicknameLower: String,
    avatarUrl: { type: String, default: null },
    bio: String,
    customStatus: {
      type: new Schema({ emoji: String, text: String, expiresAt: Date }, { _id: false }),
      default: undefined,
    },
    preferences: Schema.Types.Mixed,
    kind: { type: String, enum: ["member", "guest", "bot"], required: true },
    passwordHash: String,
    totp: { type: totpSchema, default: undefined },
    totpPending: String,
    totpGuesses: { type: guessesSchema, default: undefined },
    passkeys: { type: [passkeySchema], default: undefined },
    passwordGuesses: { type: guessesSchema, default: undefined },
    oidcKey: String,
    oidcLogins: { type: [new Schema({ provider: String, key: String }, { _id: false })], default: undefined },
    ldapKey: String,
    scim: { type: provisioningSchema, default: undefined },
    admin: Boolean,
    disabledAt: Date,
    createdAt: { type: Date, required: true },
    importedIn: { type: [ID], default: undefined },
    seenAt: Date,
    deletedAt: Date,
    erasing: Date,
  },
  { collection: "users" },
);
userSchema.index({ usernameLower: 1 }, { name: USERNAME_INDEX, unique: true, sparse: true });
userSchema.index({ nicknameLower: 1 }, { sparse: true });
userSchema.index({ importedIn: 1 }, { sparse: true });
userSchema.index({ erasing: 1 }, { sparse: true });
userSchema.index({ emailClaimedAt: 1 }, { sparse: true });
userSchema.index({ emailLower: 1 }, { name: EMAIL_INDEX, unique: true, sparse: true });
userSchema.index({ oidcKey: 1 }, { unique: true, sparse: true });
userSchema.index({ "oidcLogins.key": 1 }, { unique: true, sparse: true });
userSchema.index({ ldapKey: 1 }, { unique: true, sparse: true });
userSchema.index({ "scim.userNameLower": 1 }, { unique: true, sparse: true });
userSchema.index({ "scim.externalId": 1 }, { unique: true, sparse: true });
userSchema.index({ "scim.groupIds": 1 }, { sparse: true });

/** Derived fields that an account is found by. */
export function searchFields({ nickname }: { nickname?: string }) {
  return nickname === undefined ? {} : { nicknameLower: nickname.toLowerCase() };
}

export const userCollection = { name: "User", schema: userSchema };

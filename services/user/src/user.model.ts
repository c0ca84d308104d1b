import type { Locale } from "@fanfare/contract";
import { ID } from "@fanfare/kernel";
import { Schema } from "mongoose";

/** The second factor of an account. */
export interface Totp {
  /** Sealed, as written by totp-secrets.ts: the server computes codes with it. */
  secret: string;
  /** The 30 s that the last code was of: it and all before it are used up. */
  lastStep: number;
  /** SHA-256 of the recovery codes that are left. */
  recoveryHashes: string[];
}

export interface UserDocument {
  _id: string;
  /** Absent for a guest, so that the unique sparse index leaves it out. */
  username?: string;
  usernameLower?: string;
  email?: string;
  emailLower?: string;
  /** Absent until the link that was mailed to `email` has been opened. */
  emailVerifiedAt?: Date;
  /** Since when the account has had an address that it has not verified; absent otherwise. */
  emailClaimedAt?: Date;
  /** Created while the policy restricted mail domains: no session opens before an address is verified. */
  mustVerifyEmail?: true;
  locale?: Locale;
  nickname: string;
  /** Absent for guests, who can't be searched for. */
  nicknameLower?: string;
  avatarUrl: string | null;
  bio?: string;
  kind: "member" | "guest" | "bot";
  /** As written by passwords.ts; absent for a guest, and for who only logs in by OIDC. */
  passwordHash?: string;
  /** Absent where a login asks for no code. */
  totp?: Totp;
  /** A secret that no code of has been seen yet; sealed as well. */
  totpPending?: string;
  /** Codes tried since the window began; correct codes reset it. */
  totpGuesses?: { count: number; endsAt: Date };
  /** Passwords tried by who is logged in, as above. */
  passwordGuesses?: { count: number; endsAt: Date };
  /** Who this is at the OIDC provider, as written by oidc-key.ts. */
  oidcKey?: string;
  /** A copy of what admins.ts keeps: read with the user, written only there. */
  admin?: true;
  /** Absent while the user may log in. */
  disabledAt?: Date;
  createdAt: Date;
  /** The group whose import created this guest. No one can log in as them; they are deleted with the group. */
  importedIn?: string;
  /** Of guests with sessions: the day one of them was last active. */
  seenAt?: Date;
  /** Absent while there is more left of the user than an id that messages refer to. */
  deletedAt?: Date;
  /** Since when what others keep of a deleted user is being removed; absent when that is done. */
  erasing?: Date;
}

export const USERNAME_INDEX = "usernameLower_1";
export const EMAIL_INDEX = "emailLower_1";
export const OIDC_INDEX = "oidcKey_1";

const totpSchema = new Schema<Totp>(
  { secret: String, lastStep: Number, recoveryHashes: [String] },
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
    kind: { type: String, enum: ["member", "guest", "bot"], required: true },
    passwordHash: String,
    totp: { type: totpSchema, default: undefined },
    totpPending: String,
    totpGuesses: { type: guessesSchema, default: undefined },
    passwordGuesses: { type: guessesSchema, default: undefined },
    oidcKey: String,
    admin: Boolean,
    disabledAt: Date,
    createdAt: { type: Date, required: true },
    importedIn: ID,
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
userSchema.index({ oidcKey: 1 }, { name: OIDC_INDEX, unique: true, sparse: true });

export const userCollection = { name: "User", schema: userSchema };

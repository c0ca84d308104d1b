import { Schema, type Connection, type Model, type Types } from "mongoose";

export interface UserDocument {
  _id: Types.ObjectId;
  /** Absent for a guest, so that the unique sparse index leaves it out. */
  username?: string;
  usernameLower?: string;
  email?: string;
  emailLower?: string;
  nickname: string;
  avatarUrl: string | null;
  kind: "member" | "guest" | "bot";
  /** As written by passwords.ts; absent for a guest. */
  passwordHash?: string;
  createdAt: Date;
}

/** What is acknowledged is on disk. */
export const DURABLE = { w: "majority", j: true } as const;

export const USERNAME_INDEX = "usernameLower_1";
export const EMAIL_INDEX = "emailLower_1";

const userSchema = new Schema<UserDocument>(
  {
    username: String,
    usernameLower: String,
    email: String,
    emailLower: String,
    nickname: { type: String, required: true },
    avatarUrl: { type: String, default: null },
    kind: { type: String, enum: ["member", "guest", "bot"], required: true },
    passwordHash: String,
    createdAt: { type: Date, required: true },
  },
  { collection: "users", writeConcern: DURABLE, versionKey: false },
);
userSchema.index({ usernameLower: 1 }, { name: USERNAME_INDEX, unique: true, sparse: true });
userSchema.index({ emailLower: 1 }, { name: EMAIL_INDEX, unique: true, sparse: true });

export function userModel(connection: Connection): Model<UserDocument> {
  return connection.model<UserDocument>("User", userSchema);
}

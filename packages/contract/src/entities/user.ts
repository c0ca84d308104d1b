import { z } from "zod";
import { id, locale, time } from "./primitives.ts";

export const UserSchema = z
  .object({
    id,
    username: z.string().nullable().describe("null for a guest"),
    nickname: z.string(),
    avatarUrl: z.string().nullable(),
    bio: z.string(),
    kind: z.enum(["member", "guest", "bot"]),
    createdAt: time,
    deleted: z
      .literal(true)
      .optional()
      .describe("nothing else of this user is left: show it in your language"),
  })
  .meta({ id: "User" });
export type User = z.output<typeof UserSchema>;

export const OwnUserSchema = UserSchema.extend({
  email: z.string().nullable(),
  emailVerified: z.boolean(),
  locale: locale.describe("of the texts that the server writes: mails and pushes"),
  hasPassword: z.boolean().describe("false for guests, and for who logs in by OIDC only"),
  totpEnabled: z.boolean().describe("whether a login asks for a code"),
  oidcLinked: z.boolean().describe("whether the OIDC provider logs in to this account"),
  admin: z.boolean().describe("whether the user runs this instance"),
}).meta({ id: "OwnUser" });
export type OwnUser = z.output<typeof OwnUserSchema>;

export const SessionTokensSchema = z
  .object({
    user: OwnUserSchema,
    sessionId: id,
    accessToken: z.string(),
    accessTokenExpiresAt: time,
    refreshToken: z.string().describe("Good for one refresh, which answers with the next one."),
    refreshTokenExpiresAt: time,
  })
  .meta({ id: "SessionTokens" });
export type SessionTokens = z.output<typeof SessionTokensSchema>;

export const FriendSchema = z.object({ userId: id, since: time }).meta({ id: "Friend" });
export type Friend = z.output<typeof FriendSchema>;

export const FriendRequestSchema = z
  .object({
    userId: id.describe("the other one"),
    direction: z.enum(["incoming", "outgoing"]),
    requestedAt: time,
  })
  .meta({ id: "FriendRequest" });
export type FriendRequest = z.output<typeof FriendRequestSchema>;

/** Who can contact a user. Friends also count as group mates; a blocked user can never contact the user. */
export const ReachSchema = z
  .object({
    requestsFrom: z.enum(["everyone", "groupMates", "nobody"]).describe("who can send friend requests"),
    directFrom: z.enum(["everyone", "groupMates", "friends"]).describe("who may open a direct channel"),
  })
  .meta({ id: "Reach" });
export type Reach = z.output<typeof ReachSchema>;

/** What a user wants others to see while connected. */
export const ownStatus = z.enum(["online", "idle", "doNotDisturb", "invisible"]);

export const PresenceSchema = z
  .object({
    userId: id,
    status: z.enum(["online", "idle", "doNotDisturb", "offline"]).describe("offline: also who is invisible"),
  })
  .meta({ id: "Presence" });
export type Presence = z.output<typeof PresenceSchema>;

export const SessionSchema = z
  .object({
    id,
    current: z.boolean().describe("whether it is the one that asks"),
    address: z.string().nullable().describe("where it was opened from"),
    userAgent: z.string().nullable().describe("what it was opened with, in its own words"),
    createdAt: time,
    refreshedAt: time.describe("when it last got new tokens"),
  })
  .meta({ id: "Session" });
export type Session = z.output<typeof SessionSchema>;

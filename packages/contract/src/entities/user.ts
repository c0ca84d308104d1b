import { z } from "zod";
import { LIMITS } from "../limits.ts";
import { entity, id, locale, time } from "./primitives.ts";

export const UserSchema = entity("User", {
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
    .describe("present if the account was deleted: show a localized placeholder"),
});
export type User = z.output<typeof UserSchema>;

/** A parameter of queries whose results refer to users, and the result's list of them. */
export const withUsers = z
  .boolean()
  .optional()
  .describe("also return the profiles of authors and mentioned users, once each");
export const referredUsers = z
  .array(UserSchema)
  .optional()
  .describe(
    `with withUsers: up to ${LIMITS.usersPerLookup} profiles; get missing ones with user.getMany, whose permissions apply`,
  );

export const OwnUserSchema = UserSchema.extend({
  email: z.string().nullable(),
  emailVerified: z.boolean(),
  locale: locale.describe("language of emails and push notifications"),
  hasPassword: z.boolean().describe("false for guests and for users who log in with OIDC only"),
  totpEnabled: z.boolean().describe("whether a login requires a code"),
  oidcLinked: z.boolean().describe("whether an OIDC login is linked"),
  admin: z.boolean().describe("whether the user is an admin of this instance"),
}).meta({ id: "OwnUser" });
export type OwnUser = z.output<typeof OwnUserSchema>;

export const SessionTokensSchema = entity("SessionTokens", {
  user: OwnUserSchema,
  sessionId: id,
  accessToken: z.string(),
  accessTokenExpiresAt: time,
  refreshToken: z.string().describe("Valid for one refresh, which returns the next one."),
  refreshTokenExpiresAt: time,
});
export type SessionTokens = z.output<typeof SessionTokensSchema>;

export const FriendSchema = entity("Friend", { userId: id, since: time });
export type Friend = z.output<typeof FriendSchema>;

export const FriendRequestSchema = entity("FriendRequest", {
  userId: id.describe("the other user"),
  direction: z.enum(["incoming", "outgoing"]),
  requestedAt: time,
});
export type FriendRequest = z.output<typeof FriendRequestSchema>;

/** Who can contact a user. Friends also count as group mates; a blocked user can never contact the user. */
export const ReachSchema = entity("Reach", {
  requestsFrom: z
    .enum(["everyone", "groupMates", "nobody"])
    .describe("which users can send friend requests to this user"),
  directFrom: z
    .enum(["everyone", "groupMates", "friends"])
    .describe("which users can open a direct channel with this user"),
});
export type Reach = z.output<typeof ReachSchema>;

/** The status that a user chooses to show while connected. */
export const ownStatus = z.enum(["online", "idle", "doNotDisturb", "invisible"]);

export const PresenceSchema = entity("Presence", {
  userId: id,
  status: z.enum(["online", "idle", "doNotDisturb", "offline"]).describe("offline: also for invisible users"),
});
export type Presence = z.output<typeof PresenceSchema>;

export const SessionSchema = entity("Session", {
  id,
  current: z.boolean().describe("whether this is the current session"),
  address: z.string().nullable().describe("IP address of the login"),
  userAgent: z.string().nullable().describe("the User-Agent header of the login"),
  createdAt: time,
  refreshedAt: time.describe("when its tokens were last refreshed"),
});
export type Session = z.output<typeof SessionSchema>;

import { z } from "zod";
import { LIMITS } from "../limits.ts";
import { PREFERENCES } from "../preferences.ts";
import {
  customStatusText,
  emoji,
  entity,
  id,
  language,
  locale,
  oidcProvider,
  savedSearchText,
  templateName,
  templateText,
  time,
} from "./primitives.ts";

/** What a user says about themselves for a while, such as "🌴 On vacation". */
export const CustomStatusSchema = entity("CustomStatus", {
  emoji: emoji.nullable(),
  text: customStatusText,
  expiresAt: time.nullable().describe("hide it after this time; null: it stays"),
});
export type CustomStatus = z.output<typeof CustomStatusSchema>;

export const UserSchema = entity("User", {
  id,
  username: z.string().nullable().describe("null for a guest"),
  nickname: z.string(),
  avatarUrl: z.string().nullable(),
  bio: z.string(),
  customStatus: CustomStatusSchema.optional().describe("absent if there is none, or it has expired"),
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

/** A search that a user runs again and again. */
export const SavedSearchSchema = entity("SavedSearch", {
  text: savedSearchText.describe("as typed, with its filters"),
  scope: z
    .enum(["channel", "group", "everywhere"])
    .describe("what it searches; a channel or group is that in which it is run"),
});
export type SavedSearch = z.output<typeof SavedSearchSchema>;

/** A text that a user writes often. */
export const MessageTemplateSchema = entity("MessageTemplate", {
  name: templateName.describe("what `/template` is followed by"),
  text: templateText,
});
export type MessageTemplate = z.output<typeof MessageTemplateSchema>;

/** How a user wants the page to look and behave, on all of their devices. Absent: as the page chooses. */
export const PreferencesSchema = entity("Preferences", {
  theme: z.literal(PREFERENCES.theme).optional(),
  density: z.literal(PREFERENCES.density).optional(),
  fontSize: z
    .literal(PREFERENCES.fontSize)
    .optional()
    .describe("of body text, in pixels of the browser's default size"),
  highContrast: z.literal(PREFERENCES.highContrast).optional().describe("null: as the system"),
  language: language.nullable().optional().describe("such as de; null: as the browser"),
  reducedMotion: z.literal(PREFERENCES.reducedMotion).optional().describe("null: as the system"),
  sendKey: z.literal(PREFERENCES.sendKey).optional().describe("the key that sends a message"),
  confirmLinks: z
    .literal(PREFERENCES.confirmLinks)
    .optional()
    .describe("whether to confirm before opening external links"),
  showMembers: z.literal(PREFERENCES.showMembers).optional(),
  showFormatting: z.literal(PREFERENCES.showFormatting).optional(),
  savedSearches: z
    .array(SavedSearchSchema)
    .max(LIMITS.savedSearchesPerUser)
    .optional()
    .describe("all of them, the latest first"),
  templates: z
    .array(MessageTemplateSchema)
    .max(LIMITS.templatesPerUser)
    .refine(
      (all) =>
        all.reduce((sum, { name, text }) => sum + name.length + text.length, 0) <= LIMITS.templatesMaxChars,
      `must have at most ${LIMITS.templatesMaxChars} characters together`,
    )
    .optional()
    .describe("all of them"),
});

export const OwnUserSchema = UserSchema.extend({
  email: z.string().nullable(),
  emailVerified: z.boolean(),
  locale: locale.describe("language of emails and push notifications"),
  hasPassword: z.boolean().describe("false for guests and for users who log in with single sign-on only"),
  passwordInDirectory: z
    .literal(true)
    .optional()
    .describe("present if the password is the one of an LDAP directory, so it can't be changed here"),
  totpEnabled: z.boolean().describe("whether a login requires a code"),
  oidcLinked: z.boolean().describe("whether a login at an OIDC or SAML provider is linked"),
  oidcProviders: z
    .array(oidcProvider)
    .describe("the providers whose logins are linked, by their ids in `GET /api/meta`"),
  admin: z.boolean().describe("whether the user is an admin of this instance"),
  preferences: PreferencesSchema.optional().describe("absent if the user has never changed any"),
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

export const PasskeySchema = entity("Passkey", {
  id: z.string().describe("of the credential, in base64url"),
  name: z.string(),
  createdAt: time,
  lastUsedAt: time.nullable().describe("null before the first login with it"),
});
export type Passkey = z.output<typeof PasskeySchema>;

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

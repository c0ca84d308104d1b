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

import { z } from "zod";
import { id, time } from "./primitives.ts";

export const UserSchema = z
  .object({
    id,
    username: z.string().nullable().describe("null for a guest"),
    nickname: z.string(),
    avatarUrl: z.string().nullable(),
    kind: z.enum(["member", "guest", "bot"]),
    createdAt: time,
  })
  .meta({ id: "User" });
export type User = z.output<typeof UserSchema>;

export const OwnUserSchema = UserSchema.extend({ email: z.string().nullable() }).meta({ id: "OwnUser" });
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

import { z } from "zod";
import { internal, mutation, perMinute, query } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";

export const userActions = {
  search: query({
    summary:
      "Accounts whose username or nickname begins so. Left out: guests, bots, and whoever has blocked the caller.",
    params: z.object({
      query: z.string().trim().min(LIMITS.searchMinChars).max(LIMITS.nicknameMaxChars),
      limit: z.int().min(1).max(LIMITS.usersPerSearch).default(10),
    }),
    result: z.object({ users: z.array(e.UserSchema) }),
    permission: { rule: "account" },
    // Or somebody reads the names of all users.
    rateLimit: perMinute(30),
  }),
  block: mutation({
    summary:
      "Neither of the two writes to the other directly any more, nor sends a friend request. The other is not told.",
    params: e.ofUser,
    permission: { rule: "session" },
    errors: ["USER_NOT_FOUND", "LIMIT_REACHED"],
    rateLimit: perMinute(30),
  }),
  unblock: mutation({
    summary: "Take a block back.",
    params: e.ofUser,
    permission: { rule: "session" },
    rateLimit: perMinute(30),
  }),
  listBlocked: query({
    summary: "Whom the caller has blocked: a page in the order of their ids.",
    params: z.object({
      afterUserId: e.id.optional(),
      limit: e.pageLimit,
    }),
    result: z.object({ users: z.array(e.UserSchema), nextUserId: e.id.nullable() }),
    permission: { rule: "session" },
  }),
  listBlockedAmong: internal({
    summary:
      "Those of the given users who do not want to hear of a user, or cannot: blocked by either of the two, or deleted.",
    params: z.object({ userId: e.id, userIds: z.array(e.id).min(1).max(LIMITS.usersPerLookup) }),
    result: z.object({ userIds: z.array(e.id) }),
  }),
};

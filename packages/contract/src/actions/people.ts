import { z } from "zod";
import { internal, mutation, perMinute, query } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";

export const userActions = {
  search: query({
    summary:
      "Accounts whose username or nickname starts with the query, except guests, bots, and users who have blocked the caller.",
    params: z.object({
      query: z.string().trim().min(LIMITS.searchMinChars).max(LIMITS.nicknameMaxChars),
      limit: z.int().min(1).max(LIMITS.usersPerSearch).default(10),
    }),
    result: z.object({ users: z.array(e.UserSchema) }),
    permission: { rule: "account" },
    // Prevents enumeration of all usernames.
    rateLimit: perMinute(30),
  }),
  block: mutation({
    summary:
      "Block a user: neither can send the other direct messages or friend requests. The blocked user is not notified.",
    params: e.ofUser,
    permission: { rule: "session" },
    errors: ["USER_NOT_FOUND", "LIMIT_REACHED"],
    rateLimit: perMinute(30),
  }),
  unblock: mutation({
    summary: "Unblock a user.",
    params: e.ofUser,
    permission: { rule: "session" },
    rateLimit: perMinute(30),
  }),
  listBlocked: query({
    summary: "A page of the users that the caller has blocked, ordered by id.",
    params: e.pageOfUsers,
    result: z.object({ users: z.array(e.UserSchema), nextUserId: e.id.nullable() }),
    permission: { rule: "session" },
  }),
  listBlockedAmong: internal({
    summary:
      "The given users who must not be notified about a user: blocked in either direction, or deleted.",
    params: e.ofUser.extend(e.ofUsers.shape),
    result: z.object({ userIds: z.array(e.id) }),
  }),
};

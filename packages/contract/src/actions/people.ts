import { z } from "zod";
import { action } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";

const ofUser = z.object({ userId: e.id });

export const userActions = {
  search: action({
    summary:
      "Accounts whose username or nickname begins so. Left out: guests, bots, and whoever has blocked the caller.",
    params: z.object({
      query: z.string().trim().min(LIMITS.searchMinChars).max(LIMITS.nicknameMaxChars),
      limit: z.int().min(1).max(LIMITS.usersPerSearch).default(10),
    }),
    result: z.object({ users: z.array(e.UserSchema) }),
    permission: { rule: "account" },
    mutates: false,
    botScope: null,
    cost: 3,
    // Or somebody reads the names of all users.
    rateLimit: { points: 30, durationMs: 60_000 },
  }),
  block: action({
    summary:
      "Neither of the two writes to the other directly any more, nor sends a friend request. The other is not told.",
    params: ofUser,
    result: z.object({}),
    permission: { rule: "session" },
    mutates: true,
    botScope: null,
    cost: 2,
    errors: ["USER_NOT_FOUND", "LIMIT_REACHED"],
    rateLimit: { points: 30, durationMs: 60_000 },
  }),
  unblock: action({
    summary: "Take a block back.",
    params: ofUser,
    result: z.object({}),
    permission: { rule: "session" },
    mutates: true,
    botScope: null,
    cost: 2,
    rateLimit: { points: 30, durationMs: 60_000 },
  }),
  listBlocked: action({
    summary: "Whom the caller has blocked: a page in the order of their ids.",
    params: z.object({
      afterUserId: e.id.optional(),
      limit: z.int().min(1).max(LIMITS.pageMaxItems).default(50),
    }),
    result: z.object({ users: z.array(e.UserSchema), nextUserId: e.id.nullable() }),
    permission: { rule: "session" },
    mutates: false,
    botScope: null,
    cost: 2,
  }),
  listBlockedAmong: action({
    summary:
      "Those of the given users who do not want to hear of a user, or cannot: blocked by either of the two, or deleted.",
    params: z.object({ userId: e.id, userIds: z.array(e.id).min(1).max(LIMITS.usersPerLookup) }),
    result: z.object({ userIds: z.array(e.id) }),
    permission: { rule: "internal" },
  }),
};

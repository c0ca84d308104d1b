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

export const friendActions = {
  request: mutation({
    summary:
      "Send a friend request, by id or username. If that user has already sent one to the caller, it is accepted.",
    params: z
      .object({ userId: e.id.optional(), username: e.username.optional() })
      .refine(
        ({ userId, username }) => (userId === undefined) !== (username === undefined),
        "give either userId or username",
      ),
    result: z.object({ state: z.enum(["requested", "friends"]) }),
    permission: { rule: "account" },
    errors: ["USER_NOT_FOUND", "NOT_REACHABLE", "LIMIT_REACHED"],
    rateLimit: perMinute(20),
  }),
  accept: mutation({
    summary: "Accept a friend request.",
    params: e.ofUser,
    result: z.object({ friend: e.FriendSchema }),
    permission: { rule: "account" },
    errors: ["FRIEND_REQUEST_NOT_FOUND", "LIMIT_REACHED"],
  }),
  decline: mutation({
    summary: "Decline a friend request. Does nothing if there is none.",
    params: e.ofUser,
    permission: { rule: "account" },
  }),
  remove: mutation({
    summary: "Remove a friend, or withdraw a friend request. Does nothing if there is neither.",
    params: e.ofUser,
    permission: { rule: "account" },
  }),
  list: query({
    summary: "A page of the caller's friends.",
    params: e.page,
    result: z.object({ friends: z.array(e.FriendSchema), nextCursor: e.nextCursor }),
    permission: { rule: "account" },
  }),
  listRequests: query({
    summary: "A page of friend requests that the caller has received and sent, newest first.",
    params: e.page,
    result: z.object({ requests: z.array(e.FriendRequestSchema), nextCursor: e.nextCursor }),
    permission: { rule: "account" },
  }),
  getReach: query({
    summary: "The caller's privacy settings for friend requests and direct channels.",
    result: z.object({ reach: e.ReachSchema }),
    permission: { rule: "session" },
  }),
  setReach: mutation({
    summary: "Update the caller's privacy settings. Existing direct channels stay.",
    params: e.ReachSchema.partial(),
    result: z.object({ reach: e.ReachSchema }),
    permission: { rule: "session" },
    rateLimit: perMinute(30),
  }),
  listReachable: internal({
    summary:
      "The given users that a user can reach: by the instance's policy, their privacy settings, their relationship, and blocks.",
    params: z.object({
      userId: e.id,
      kind: e.UserSchema.shape.kind.describe("kind of the contacting user"),
      userIds: z.array(e.id).max(LIMITS.usersPerLookup),
      approach: z.enum(["request", "direct", "groupDirect"]),
    }),
    result: z.object({ userIds: z.array(e.id) }),
  }),
  listAmong: internal({
    summary: "The given users who are friends of a user.",
    params: z.object({ userId: e.id, userIds: z.array(e.id).max(LIMITS.usersPerLookup) }),
    result: z.object({ userIds: z.array(e.id) }),
  }),
};

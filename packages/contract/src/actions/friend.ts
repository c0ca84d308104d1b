import { z } from "zod";
import { action } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";

const nothing = z.object({});
const ofUser = z.object({ userId: e.id });
const page = z.object({
  cursor: e.id.optional().describe("the nextCursor of the page before"),
  limit: z.int().min(1).max(LIMITS.pageMaxItems).default(50),
});
const nextCursor = e.id.nullable().describe("null: this is the last page");

export const friendActions = {
  request: action({
    summary:
      "Ask somebody, by id or username, to be a friend. Who has asked the caller already is one at once.",
    params: z
      .object({ userId: e.id.optional(), username: e.username.optional() })
      .refine(
        ({ userId, username }) => (userId === undefined) !== (username === undefined),
        "give either userId or username",
      ),
    result: z.object({ state: z.enum(["requested", "friends"]) }),
    permission: { rule: "account" },
    mutates: true,
    botScope: null,
    cost: 2,
    errors: ["USER_NOT_FOUND", "NOT_REACHABLE", "LIMIT_REACHED"],
    rateLimit: { points: 20, durationMs: 60_000 },
  }),
  accept: action({
    summary: "Accept what somebody has asked.",
    params: ofUser,
    result: z.object({ friend: e.FriendSchema }),
    permission: { rule: "account" },
    mutates: true,
    botScope: null,
    cost: 2,
    errors: ["FRIEND_REQUEST_NOT_FOUND", "LIMIT_REACHED"],
  }),
  decline: action({
    summary: "Decline what somebody has asked. Where nobody has, nothing happens.",
    params: ofUser,
    result: nothing,
    permission: { rule: "account" },
    mutates: true,
    botScope: null,
    cost: 2,
  }),
  remove: action({
    summary:
      "End a friendship, or take back what the caller has asked. Where there is neither, nothing happens.",
    params: ofUser,
    result: nothing,
    permission: { rule: "account" },
    mutates: true,
    botScope: null,
    cost: 2,
  }),
  list: action({
    summary: "A page of the caller's friends.",
    params: page,
    result: z.object({ friends: z.array(e.FriendSchema), nextCursor }),
    permission: { rule: "account" },
    mutates: false,
    botScope: null,
    cost: 2,
  }),
  listRequests: action({
    summary: "A page of what others have asked the caller, and the caller others: newest first.",
    params: page,
    result: z.object({ requests: z.array(e.FriendRequestSchema), nextCursor }),
    permission: { rule: "account" },
    mutates: false,
    botScope: null,
    cost: 2,
  }),
  getReach: action({
    summary: "Who may ask the caller to be a friend, and open direct channels with the caller.",
    params: nothing,
    result: z.object({ reach: e.ReachSchema }),
    permission: { rule: "session" },
    mutates: false,
    botScope: null,
    cost: 1,
  }),
  setReach: action({
    summary: "Change who may reach the caller. Direct channels that there are already stay.",
    params: e.ReachSchema.partial(),
    result: z.object({ reach: e.ReachSchema }),
    permission: { rule: "session" },
    mutates: true,
    botScope: null,
    cost: 2,
    rateLimit: { points: 30, durationMs: 60_000 },
  }),
  listReachable: action({
    summary:
      "The given users that a user can reach: by the instance's policy, their privacy settings, their relationship, and blocks.",
    params: z.object({
      userId: e.id,
      kind: e.UserSchema.shape.kind.describe("of the user who reaches out"),
      userIds: z.array(e.id).max(LIMITS.usersPerLookup),
      approach: z.enum(["request", "direct", "groupDirect"]),
    }),
    result: z.object({ userIds: z.array(e.id) }),
    permission: { rule: "internal" },
  }),
  listAmong: action({
    summary: "Those of the given users who are friends of a user.",
    params: z.object({ userId: e.id, userIds: z.array(e.id).max(LIMITS.usersPerLookup) }),
    result: z.object({ userIds: z.array(e.id) }),
    permission: { rule: "internal" },
  }),
};

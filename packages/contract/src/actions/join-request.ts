import { z } from "zod";
import { mutation, perMinute, query } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";

const moderators = { rule: "group", can: "kickMembers" } as const;
const hours = LIMITS.joinRequestRejectedMs / (60 * 60 * 1000);
const closing = e.inGroup.extend({
  userIds: z.array(e.id).min(1).max(LIMITS.joinRequestsPerCall),
});
const failures = z
  .array(
    z.object({
      userId: e.id,
      error: z.enum(["JOIN_REQUEST_NOT_FOUND", "BANNED", "LIMIT_REACHED"]),
    }),
  )
  .describe("requests that are no longer pending, and users who can't join");
const closed = {
  params: closing,
  result: z.object({ failures }),
  permission: moderators,
  botScope: "members.manage",
  audited: "user",
  rateLimit: perMinute(60),
} as const;

export const joinActions = {
  request: mutation({
    summary:
      "Ask to join a group where new members need approval. Joins the group if none is needed. Repeatable.",
    params: z
      .object({
        code: e.inviteCode.optional().describe("of an invite; the request takes one of its uses"),
        groupId: e.id.optional().describe("of a group in the directory"),
        message: z.string().trim().max(LIMITS.joinRequestMessageMaxChars).default(""),
      })
      .refine(
        ({ code, groupId }) => (code === undefined) !== (groupId === undefined),
        "give either code or groupId",
      ),
    result: z.object({
      request: e.OwnJoinRequestSchema.nullable().describe("null: the caller is a member now"),
    }),
    permission: { rule: "session" },
    errors: [
      "DIRECTORY_OFF",
      "GROUP_NOT_FOUND",
      "INVITE_NOT_FOUND",
      "BANNED",
      "LIMIT_REACHED",
      "JOIN_REQUEST_REJECTED",
    ],
    rateLimit: perMinute(30),
  }),
  withdraw: mutation({
    summary: "Withdraw the caller's join request. Does nothing if there is none.",
    params: e.inGroup,
    permission: { rule: "session" },
    rateLimit: perMinute(30),
  }),
  listMine: query({
    summary: `The caller's join requests: pending ones, and those rejected in the last ${hours} hours.`,
    result: z.object({ requests: z.array(e.OwnJoinRequestSchema).max(LIMITS.joinRequestsListed) }),
    permission: { rule: "session" },
  }),
  list: query({
    summary: "A page of the pending join requests, oldest first.",
    params: e.inGroup.extend({ withUsers: e.withUsers, ...e.page.shape }),
    result: z.object({
      requests: z.array(e.JoinRequestSchema),
      nextCursor: e.nextCursor,
      users: e.referredUsers,
    }),
    permission: moderators,
    botScope: "members.manage",
  }),
  getOpenCount: query({
    summary: "The number of pending join requests.",
    params: e.inGroup,
    result: z.object({ open: z.int() }),
    permission: moderators,
    botScope: "members.manage",
  }),
  approve: mutation({
    summary: "Approve join requests. The users become members.",
    ...closed,
  }),
  reject: mutation({
    summary: `Reject join requests. The users can ask again after ${hours} hours.`,
    ...closed,
  }),
};

export const groupActions = {
  startLockdown: mutation({
    summary: `Require approval of new members for ${LIMITS.lockdownMs / 60_000} minutes. The server does this too when too many users join, see raidLimit.`,
    params: e.inGroup,
    result: z.object({ group: e.GroupSchema }),
    permission: moderators,
    botScope: "members.manage",
    audited: "group",
    rateLimit: perMinute(10),
  }),
  endLockdown: mutation({
    summary: "End the lockdown of the group. Does nothing if there is none.",
    params: e.inGroup,
    result: z.object({ group: e.GroupSchema }),
    permission: moderators,
    botScope: "members.manage",
    audited: "group",
    rateLimit: perMinute(10),
  }),
};

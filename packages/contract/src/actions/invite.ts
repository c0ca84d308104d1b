import { z } from "zod";
import { internal, mutation, perMinute, query } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";

const code = e.inviteCode;

export const inviteActions = {
  create: mutation({
    summary: "Create an invite to a group. Without limits it never expires.",
    params: z.object({
      groupId: e.id,
      maxUses: z.int().min(1).max(LIMITS.inviteMaxUses).optional(),
      maxAgeMs: z.int().min(60_000).max(LIMITS.inviteMaxAgeMs).optional(),
    }),
    result: z.object({ invite: e.InviteSchema }),
    permission: { rule: "group", can: "createInvites" },
    botScope: "invites.manage",
    audited: "invite",
    errors: ["LIMIT_REACHED"],
  }),
  email: mutation({
    summary:
      "Email invites to a group. Each has one use and lasts 7 days. If the caller can approve join requests, its user needs no approval.",
    params: z.object({ groupId: e.id, emails: z.array(e.email).min(1).max(LIMITS.emailInvitesPerCall) }),
    result: z.object({
      invites: z.array(e.InviteSchema),
      skipped: z.array(
        z.object({
          email: z.string(),
          reason: z
            .enum(["invited", "refused"])
            .describe(
              "invited: the group has emailed the address in the last 24 hours. refused: a mail server said that it doesn't exist",
            ),
        }),
      ),
    }),
    permission: { rule: "group", can: "createInvites" },
    audited: "invite",
    errors: ["EMAIL_OFF", "GUEST_NOT_ALLOWED", "LIMIT_REACHED"],
    rateLimit: perMinute(10),
  }),
  list: query({
    summary:
      "The invites of a group: all of them if the caller can manage invites, otherwise the caller's own.",
    params: e.inGroup,
    result: z.object({ invites: z.array(e.InviteSchema) }),
    permission: { rule: "group", can: "createInvites" },
    botScope: "invites.manage",
  }),
  revoke: mutation({
    summary: "Revoke an invite of the caller, or any invite if the caller can manage invites.",
    params: z.object({ groupId: e.id, code }),
    permission: { rule: "group", can: "createInvites" },
    botScope: "invites.manage",
    audited: "invite",
    errors: ["INVITE_NOT_FOUND", "FORBIDDEN"],
  }),
  preview: query({
    summary: "Preview an invite, without logging in.",
    params: z.object({ code }),
    result: z.object({
      group: z.object({
        id: e.id,
        name: z.string(),
        iconUrl: z.string().nullable().describe("public path on this server"),
        memberCount: z.int(),
        needsApproval: e.needsApprovalNow,
      }),
    }),
    permission: { rule: "public" },
    errors: ["INVITE_NOT_FOUND"],
    rateLimit: perMinute(60),
    transports: ["http"],
  }),
  accept: mutation({
    summary: "Join the group of the invite. Repeatable.",
    params: z.object({ code }),
    result: z.object({
      group: e.GroupSchema,
      channels: z.array(e.ChannelSchema).describe("the first channels; channel.list returns all"),
    }),
    permission: { rule: "session" },
    errors: ["INVITE_NOT_FOUND", "BANNED", "LIMIT_REACHED", "APPROVAL_REQUIRED"],
    rateLimit: perMinute(30),
  }),
  findCreator: internal({
    summary: "The creator of an invite that has not expired.",
    params: z.object({ code }),
    result: z.object({ userId: e.id }),
    errors: ["INVITE_NOT_FOUND"],
  }),
  acceptFor: internal({
    summary: "Like join.request, but for a user who isn't logged in yet.",
    params: z.object({ code, userId: e.id }),
    errors: ["INVITE_NOT_FOUND", "BANNED", "LIMIT_REACHED", "JOIN_REQUEST_REJECTED"],
  }),
};

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

const lockdown = {
  params: e.inGroup,
  result: z.object({ group: e.GroupSchema }),
  permission: moderators,
  botScope: "members.manage",
  audited: "group",
  rateLimit: perMinute(10),
} as const;

export const groupActions = {
  startLockdown: mutation({
    summary: `Require approval of new members for ${LIMITS.lockdownMs / 60_000} minutes. The server does this too when too many users join, see raidLimit.`,
    ...lockdown,
  }),
  endLockdown: mutation({
    summary: "End the lockdown of the group. Does nothing if there is none.",
    ...lockdown,
  }),
};

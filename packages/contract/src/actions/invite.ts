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

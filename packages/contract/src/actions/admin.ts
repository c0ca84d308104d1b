import { z } from "zod";
import { internal, mutation, perMinute, query } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";

const ofJob = z.object({ jobId: e.id });
const oneUser = z.object({ user: e.AdminUserSchema });
const newUser = z.object({ username: e.newUsername, email: e.email.optional(), locale: e.locale.optional() });
const passwordLink = z.object({
  link: z
    .string()
    .nullable()
    .describe("to set the password with, for the admin to pass on; null: it was mailed to the user"),
});
const PASSWORD_LINK_ERRORS = [
  "USER_NOT_FOUND",
  "GUEST_NOT_ALLOWED",
  "OIDC_REQUIRED",
  "PASSWORD_IN_DIRECTORY",
] as const;
const NEW_USER_ERRORS = ["USERNAME_TAKEN", "EMAIL_TAKEN", "OIDC_REQUIRED", "LIMIT_REACHED"] as const;

const admin = { rule: "admin" } as const;
/** null: the responsible service did not respond. */
const count = z.int().nullable();

const period = z.object({ from: e.time, before: e.time });

const branding = z.object({ branding: e.BrandingSchema });

const policy = z.object({
  policy: e.InstancePolicySchema,
  fixed: z
    .array(e.PolicyNameSchema)
    .describe("set by the server's environment: admin.setPolicy can't change these"),
});

/** Mutations are recorded in the audit log before they are executed. */
export const adminActions = {
  stats: query({
    summary:
      "Counts of users, groups and messages, and the state of the process that answers. Counts are up to ten seconds old.",
    result: z.object({
      users: count.describe("guests included"),
      online: count.describe(
        "users with a connection; in a cluster, one at each of two gateways counts twice",
      ),
      groups: count,
      messages: count.describe("deleted ones included"),
      maintenance: e.MaintenanceSchema,
      process: z.object({
        version: z.string(),
        nodeVersion: z.string(),
        memoryBytes: z.int(),
        uptimeMs: z.int(),
        services: z.array(z.string()),
        disk: z
          .object({ freeBytes: z.int(), totalBytes: z.int() })
          .nullable()
          .describe("of DATA_DIR or, without S3, of FILES_DIR if less is free there; null: unknown"),
      }),
    }),
    permission: admin,
  }),
  getTrends: query({
    summary: "Numbers of each of the last days, oldest first, without the current day. Days are in UTC.",
    params: z.object({ days: z.int().min(1).max(LIMITS.trendMaxDays) }),
    result: z.object({ days: z.array(e.DayStatsSchema).max(LIMITS.trendMaxDays) }),
    permission: admin,
  }),
  listUsers: query({
    summary:
      "A page of users, newest first; with `query`, those whose username, nickname or email address starts with it.",
    params: z.object({
      query: z.string().trim().min(1).max(LIMITS.emailMaxChars).optional(),
      beforeUserId: e.id.optional(),
      limit: e.pageLimit,
    }),
    result: z.object({ users: z.array(e.AdminUserSchema), nextUserId: e.id.nullable() }),
    permission: admin,
  }),
  createUser: mutation({
    summary:
      "Create an account without a password, regardless of the registration policy. The user gets a link to set one by mail; without an address or a mail server the link is in the result.",
    params: newUser,
    result: passwordLink.extend(oneUser.shape),
    permission: admin,
    errors: NEW_USER_ERRORS,
    rateLimit: perMinute(60),
  }),
  sendPasswordReset: mutation({
    summary:
      "Send a user a link to set a new password. If it can't be mailed, it is in the result. The link works once.",
    params: e.ofUser,
    result: passwordLink,
    permission: admin,
    errors: PASSWORD_LINK_ERRORS,
    rateLimit: perMinute(30),
  }),
  disableUser: mutation({
    summary:
      "End the user's sessions and refuse new ones. Admins cannot be disabled: take the admin role away first.",
    params: e.ofUser.extend({ reason: z.string().max(LIMITS.reasonMaxChars).optional() }),
    result: oneUser,
    permission: admin,
    errors: ["USER_NOT_FOUND"],
  }),
  enableUser: mutation({
    summary: "Let a disabled user log in again.",
    params: e.ofUser,
    result: oneUser,
    permission: admin,
    errors: ["USER_NOT_FOUND"],
  }),
  setAdmin: mutation({
    summary:
      "Make a user an admin, from their next access token on, or take the role away, which ends all their sessions.",
    params: e.ofUser.extend({ admin: z.boolean() }),
    result: oneUser,
    permission: admin,
    errors: ["USER_NOT_FOUND", "GUEST_NOT_ALLOWED", "LAST_ADMIN", "LIMIT_REACHED"],
  }),
  resetTotp: mutation({
    summary:
      "Remove the second factor and the passkeys of an account whose owner has lost them. All its sessions end.",
    params: e.ofUser.extend({ reason: z.string().max(LIMITS.reasonMaxChars).optional() }),
    permission: admin,
    errors: ["USER_NOT_FOUND"],
  }),
  listGroups: query({
    summary: "A page of all groups, newest first.",
    params: z.object({ beforeGroupId: e.id.optional(), limit: e.pageLimit }),
    result: z.object({ groups: z.array(e.GroupSchema), nextGroupId: e.id.nullable() }),
    permission: admin,
  }),
  deleteGroup: mutation({
    summary: "Delete any group with its channels and messages. You can't undo this.",
    params: e.inGroup.extend({ reason: z.string().max(LIMITS.reasonMaxChars).optional() }),
    permission: admin,
    errors: ["GROUP_NOT_FOUND"],
  }),
  announce: mutation({
    summary: "Show a notice to every connected user. It is not stored.",
    params: z.object({ text: e.notice }),
    permission: admin,
    rateLimit: perMinute(10),
  }),
  setMaintenance: mutation({
    summary:
      "Turn maintenance mode on or off. While it is on, only admins can make changes; others get MAINTENANCE with this message.",
    params: z.object({ enabled: z.boolean(), message: e.notice.optional() }),
    result: z.object({ maintenance: e.MaintenanceSchema }),
    permission: admin,
    rateLimit: perMinute(30),
  }),
  getPolicy: query({
    summary: "The policy of this instance, and which of its values are set by the environment.",
    result: policy,
    permission: admin,
  }),
  setPolicy: mutation({
    summary: "Change the policy of this instance, with immediate effect.",
    params: e.InstancePolicySchema.partial(),
    result: policy,
    permission: admin,
    errors: ["POLICY_FIXED", "TOTP_NOT_SET_UP"],
    rateLimit: perMinute(30),
  }),
  setBranding: mutation({
    summary: "Change how this instance presents itself. Visible to everyone, from their next page load on.",
    params: e.BrandingSchema.omit({ logoUrl: true }).partial(),
    result: branding,
    permission: admin,
    rateLimit: perMinute(30),
  }),
  setLogo: mutation({
    summary: "Set the logo of this instance. It is cropped to a square.",
    params: e.ofUploadedPicture,
    result: branding,
    permission: admin,
    errors: ["FILE_NOT_FOUND", "IMAGE_REFUSED"],
    rateLimit: perMinute(20),
  }),
  removeLogo: mutation({
    summary: "Remove the logo of this instance. Repeatable.",
    result: branding,
    permission: admin,
  }),
  auditLog: query({
    summary: "A page of the admin audit log, newest first.",
    params: z.object({ beforeId: e.id.optional(), actorId: e.id.optional(), limit: e.pageLimit }),
    result: z.object({ entries: z.array(e.AdminAuditEntrySchema), nextId: e.id.nullable() }),
    permission: admin,
  }),
  listDeadJobs: query({
    summary: "A page of the background jobs that failed on every try, latest failure first.",
    params: z.object({
      beforeJobId: e.activityCursor.optional().describe("the nextJobId of the page before"),
      limit: e.pageLimit,
    }),
    result: z.object({ jobs: z.array(e.DeadJobSchema), nextJobId: e.activityCursor.nullable() }),
    permission: admin,
  }),
  retryJob: mutation({
    summary: "Run a failed job again, with as many tries as a new one.",
    params: ofJob,
    permission: admin,
    errors: ["JOB_NOT_FOUND"],
  }),
  deleteJob: mutation({
    summary: "Delete a failed job without running it again.",
    params: ofJob,
    permission: admin,
    errors: ["JOB_NOT_FOUND"],
  }),
  followProvider: internal({
    summary:
      "Like admin.setAdmin, but called when a user logs in at an identity provider that decides who is an admin.",
    params: e.ofUser.extend({ admin: z.boolean(), provider: z.string() }),
    errors: ["USER_NOT_FOUND", "GUEST_NOT_ALLOWED", "LAST_ADMIN", "LIMIT_REACHED"],
  }),
  getMaintenance: internal({
    summary: "Whether maintenance mode is on.",
    result: e.MaintenanceSchema,
  }),
  readPolicy: internal({
    summary: "The policy values that admins have set, and how often they were changed.",
    result: e.StoredPolicySchema,
  }),
};

export const userActions = {
  // Implemented by the services that own the data.
  count: internal({
    summary: "How many users there are.",
    result: z.object({ users: z.int() }),
  }),
  countCreated: internal({
    summary: "How many users were created in a period, without bots and authors of imported messages.",
    params: period,
    result: z.object({ newUsers: z.int() }),
  }),
  countActive: internal({
    summary: "How many users were last active in a period.",
    params: period,
    result: z.object({
      activeUsers: z.int().describe("without bots"),
      firstAt: e.time.nullable().describe("when the oldest of all users was created"),
    }),
  }),
  listAll: internal({
    summary: "The page of users for admin.listUsers.",
    params: z.object({
      query: z.string().optional(),
      beforeUserId: e.id.optional(),
      limit: z.int().min(1).max(LIMITS.pageMaxItems),
    }),
    result: z.object({ users: z.array(e.AdminUserSchema), nextUserId: e.id.nullable() }),
  }),
  setDisabled: internal({
    summary: "Disable a user, which ends all their sessions, or let them log in again.",
    params: e.ofUser.extend({
      disabled: z.boolean(),
      byProvider: z
        .boolean()
        .optional()
        .describe("an identity provider can only enable accounts that it has disabled"),
    }),
    result: oneUser,
    errors: ["USER_NOT_FOUND", "FORBIDDEN"],
  }),
  setAdmin: internal({
    summary: "Make a user an admin, or take the role away, which ends all their sessions.",
    params: e.ofUser.extend({ admin: z.boolean() }),
    result: oneUser,
    errors: ["USER_NOT_FOUND", "GUEST_NOT_ALLOWED", "LAST_ADMIN", "LIMIT_REACHED"],
  }),
  createAdmin: internal({
    summary: "Create an admin account.",
    params: z.object({ username: e.newUsername, password: e.password }),
    result: oneUser,
    errors: ["USERNAME_TAKEN", "WEAK_PASSWORD", "LIMIT_REACHED"],
  }),
  createWithoutPassword: internal({
    summary: "Create an account without a password, and a link to set one.",
    params: newUser,
    result: passwordLink.extend(oneUser.shape),
    errors: NEW_USER_ERRORS,
  }),
  sendPasswordLink: internal({
    summary: "Send a user a link to set a new password, or return it if it can't be mailed.",
    params: e.ofUser,
    result: passwordLink,
    errors: PASSWORD_LINK_ERRORS,
  }),
  listAdminIds: internal({
    summary: "The admins of this server.",
    result: z.object({ userIds: z.array(e.id).max(LIMITS.adminsPerInstance) }),
  }),
  resetTotp: internal({
    summary: "Remove the second factor and the passkeys of an account. All its sessions end.",
    params: e.ofUser,
    errors: ["USER_NOT_FOUND"],
  }),
};

export const groupActions = {
  count: internal({
    summary: "How many groups there are, including those being deleted.",
    result: z.object({ groups: z.int() }),
  }),
  listAll: internal({
    summary: "The page of groups for admin.listGroups.",
    params: z.object({ beforeGroupId: e.id.optional(), limit: z.int().min(1).max(LIMITS.pageMaxItems) }),
    result: z.object({ groups: z.array(e.GroupSchema), nextGroupId: e.id.nullable() }),
  }),
  remove: internal({
    summary: "Delete any group with its channels and messages.",
    params: e.inGroup,
    errors: ["GROUP_NOT_FOUND"],
  }),
};

export const messageActions = {
  count: internal({
    summary: "How many messages there are.",
    result: z.object({ messages: z.int() }),
  }),
  countBetween: internal({
    summary: "How many messages were sent in a period, deleted ones included.",
    params: period,
    result: z.object({ messages: z.int() }),
  }),
};

export const fileActions = {
  countBytes: internal({
    summary: "The size of all files, as counted toward quotas.",
    result: z.object({ bytes: z.int() }),
  }),
};

export const presenceActions = {
  count: internal({
    summary: "How many users are connected; in a cluster, one at each of two gateways counts twice.",
    result: z.object({ online: z.int() }),
  }),
};

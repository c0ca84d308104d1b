import { z } from "zod";
import { action } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";

const nothing = z.object({});
const ofUser = z.object({ userId: e.id });
const ofJob = z.object({ jobId: e.id });
const ofGroup = z.object({ groupId: e.id });
const limit = z.int().min(1).max(LIMITS.pageMaxItems).default(50);
const oneUser = z.object({ user: e.AdminUserSchema });
const newUser = z.object({ username: e.newUsername, email: e.email.optional(), locale: e.locale.optional() });
const passwordLink = z.object({
  link: z
    .string()
    .nullable()
    .describe("to set the password with, for the admin to pass on; null: it was mailed to the user"),
});
const PASSWORD_LINK_ERRORS = ["USER_NOT_FOUND", "GUEST_NOT_ALLOWED", "OIDC_REQUIRED"] as const;
const NEW_USER_ERRORS = ["USERNAME_TAKEN", "EMAIL_TAKEN", "OIDC_REQUIRED", "LIMIT_REACHED"] as const;

const admin = { rule: "admin" } as const;
/** null: the part of the server that knows it did not answer. */
const count = z.int().nullable();

const policy = z.object({
  policy: e.InstancePolicySchema,
  fixed: z
    .array(e.PolicyNameSchema)
    .describe("set by the server's environment: admin.setPolicy can't change these"),
});

/** Every action here that changes something is in the audit log before it is done. */
export const adminActions = {
  stats: action({
    summary:
      "Counts of users, groups and messages, and the state of the process that answers. Counts are up to ten seconds old.",
    params: nothing,
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
      }),
    }),
    permission: admin,
    mutates: false,
    botScope: null,
    cost: 3,
  }),
  listUsers: action({
    summary:
      "A page of users, newest first; with `query`, those whose username, nickname or e-mail address starts with it.",
    params: z.object({
      query: z.string().trim().min(1).max(LIMITS.emailMaxChars).optional(),
      beforeUserId: e.id.optional(),
      limit,
    }),
    result: z.object({ users: z.array(e.AdminUserSchema), nextUserId: e.id.nullable() }),
    permission: admin,
    mutates: false,
    botScope: null,
    cost: 3,
  }),
  createUser: action({
    summary:
      "Create an account without a password, regardless of the registration policy. The user gets a link to set one by mail; without an address or a mail server the link is in the result.",
    params: newUser,
    result: passwordLink.extend(oneUser.shape),
    permission: admin,
    mutates: true,
    botScope: null,
    cost: 3,
    errors: NEW_USER_ERRORS,
    rateLimit: { points: 60, durationMs: 60_000 },
  }),
  sendPasswordReset: action({
    summary:
      "Send a user a link to set a new password. If it can't be mailed, it is in the result. The link works once.",
    params: ofUser,
    result: passwordLink,
    permission: admin,
    mutates: true,
    botScope: null,
    cost: 3,
    errors: PASSWORD_LINK_ERRORS,
    rateLimit: { points: 30, durationMs: 60_000 },
  }),
  disableUser: action({
    summary:
      "End the user's sessions and refuse new ones. Admins cannot be disabled: take the admin role away first.",
    params: ofUser.extend({ reason: z.string().max(LIMITS.reasonMaxChars).optional() }),
    result: oneUser,
    permission: admin,
    mutates: true,
    botScope: null,
    cost: 3,
    errors: ["USER_NOT_FOUND"],
  }),
  enableUser: action({
    summary: "Let a disabled user log in again.",
    params: ofUser,
    result: oneUser,
    permission: admin,
    mutates: true,
    botScope: null,
    cost: 2,
    errors: ["USER_NOT_FOUND"],
  }),
  setAdmin: action({
    summary:
      "Make a user an admin, from their next access token on, or take the role away, which ends all their sessions.",
    params: ofUser.extend({ admin: z.boolean() }),
    result: oneUser,
    permission: admin,
    mutates: true,
    botScope: null,
    cost: 2,
    errors: ["USER_NOT_FOUND", "GUEST_NOT_ALLOWED", "LAST_ADMIN", "LIMIT_REACHED"],
  }),
  resetTotp: action({
    summary: "Remove the second factor of an account whose owner has lost it. All its sessions end.",
    params: ofUser.extend({ reason: z.string().max(LIMITS.reasonMaxChars).optional() }),
    result: nothing,
    permission: admin,
    mutates: true,
    botScope: null,
    cost: 2,
    errors: ["USER_NOT_FOUND"],
  }),
  listGroups: action({
    summary: "A page of all groups, newest first.",
    params: z.object({ beforeGroupId: e.id.optional(), limit }),
    result: z.object({ groups: z.array(e.GroupSchema), nextGroupId: e.id.nullable() }),
    permission: admin,
    mutates: false,
    botScope: null,
    cost: 2,
  }),
  deleteGroup: action({
    summary: "Delete any group with its channels and messages. You can't undo this.",
    params: ofGroup.extend({ reason: z.string().max(LIMITS.reasonMaxChars).optional() }),
    result: nothing,
    permission: admin,
    mutates: true,
    botScope: null,
    cost: 5,
    errors: ["GROUP_NOT_FOUND"],
  }),
  announce: action({
    summary: "Show a notice to every connected user. It is not stored.",
    params: z.object({ text: e.notice }),
    result: nothing,
    permission: admin,
    mutates: true,
    botScope: null,
    cost: 3,
    rateLimit: { points: 10, durationMs: 60_000 },
  }),
  setMaintenance: action({
    summary:
      "Turn maintenance mode on or off. While it is on, only admins can make changes; others get MAINTENANCE with this message.",
    params: z.object({ enabled: z.boolean(), message: e.notice.optional() }),
    result: z.object({ maintenance: e.MaintenanceSchema }),
    permission: admin,
    mutates: true,
    botScope: null,
    cost: 2,
    rateLimit: { points: 30, durationMs: 60_000 },
  }),
  getPolicy: action({
    summary: "The policy of this instance, and which of its values are set by the environment.",
    params: nothing,
    result: policy,
    permission: admin,
    mutates: false,
    botScope: null,
    cost: 1,
  }),
  setPolicy: action({
    summary: "Change the policy of this instance, with immediate effect.",
    params: e.InstancePolicySchema.partial(),
    result: policy,
    permission: admin,
    mutates: true,
    botScope: null,
    cost: 2,
    errors: ["POLICY_FIXED", "TOTP_NOT_SET_UP"],
    rateLimit: { points: 30, durationMs: 60_000 },
  }),
  auditLog: action({
    summary: "A page of what admins have done, newest first.",
    params: z.object({ beforeId: e.id.optional(), actorId: e.id.optional(), limit }),
    result: z.object({ entries: z.array(e.AdminAuditEntrySchema), nextId: e.id.nullable() }),
    permission: admin,
    mutates: false,
    botScope: null,
    cost: 2,
  }),
  listDeadJobs: action({
    summary: "A page of the background jobs that failed on every try, latest failure first.",
    params: z.object({ beforeJobId: e.id.optional(), limit }),
    result: z.object({ jobs: z.array(e.DeadJobSchema), nextJobId: e.id.nullable() }),
    permission: admin,
    mutates: false,
    botScope: null,
    cost: 2,
  }),
  retryJob: action({
    summary: "Run a failed job again, with as many tries as a new one.",
    params: ofJob,
    result: nothing,
    permission: admin,
    mutates: true,
    botScope: null,
    cost: 2,
    errors: ["JOB_NOT_FOUND"],
  }),
  deleteJob: action({
    summary: "Delete a failed job without running it again.",
    params: ofJob,
    result: nothing,
    permission: admin,
    mutates: true,
    botScope: null,
    cost: 1,
    errors: ["JOB_NOT_FOUND"],
  }),
  getMaintenance: action({
    summary: "Whether maintenance mode is on.",
    params: nothing,
    result: e.MaintenanceSchema,
    permission: { rule: "internal" },
  }),
  readPolicy: action({
    summary: "The policy values that admins have set, and how often they were changed.",
    params: nothing,
    result: e.StoredPolicySchema,
    permission: { rule: "internal" },
  }),
};

export const userActions = {
  // What the owning services do for it.
  count: action({
    summary: "How many users there are.",
    params: nothing,
    result: z.object({ users: z.int() }),
    permission: { rule: "internal" },
  }),
  listAll: action({
    summary: "As admin.listUsers.",
    params: z.object({
      query: z.string().optional(),
      beforeUserId: e.id.optional(),
      limit: z.int().min(1).max(LIMITS.pageMaxItems),
    }),
    result: z.object({ users: z.array(e.AdminUserSchema), nextUserId: e.id.nullable() }),
    permission: { rule: "internal" },
  }),
  setDisabled: action({
    summary: "As admin.disableUser and admin.enableUser.",
    params: ofUser.extend({ disabled: z.boolean() }),
    result: oneUser,
    permission: { rule: "internal" },
    errors: ["USER_NOT_FOUND", "FORBIDDEN"],
  }),
  setAdmin: action({
    summary: "As admin.setAdmin.",
    params: ofUser.extend({ admin: z.boolean() }),
    result: oneUser,
    permission: { rule: "internal" },
    errors: ["USER_NOT_FOUND", "GUEST_NOT_ALLOWED", "LAST_ADMIN", "LIMIT_REACHED"],
  }),
  createAdmin: action({
    summary: "Create an admin account.",
    params: z.object({ username: e.newUsername, password: e.password }),
    result: oneUser,
    permission: { rule: "internal" },
    errors: ["USERNAME_TAKEN", "WEAK_PASSWORD", "LIMIT_REACHED"],
  }),
  createWithoutPassword: action({
    summary: "As admin.createUser.",
    params: newUser,
    result: passwordLink.extend(oneUser.shape),
    permission: { rule: "internal" },
    errors: NEW_USER_ERRORS,
  }),
  sendPasswordLink: action({
    summary: "As admin.sendPasswordReset.",
    params: ofUser,
    result: passwordLink,
    permission: { rule: "internal" },
    errors: PASSWORD_LINK_ERRORS,
  }),
  resetTotp: action({
    summary: "As admin.resetTotp.",
    params: ofUser,
    result: nothing,
    permission: { rule: "internal" },
    errors: ["USER_NOT_FOUND"],
  }),
};

export const groupActions = {
  count: action({
    summary: "How many groups there are, including those being deleted.",
    params: nothing,
    result: z.object({ groups: z.int() }),
    permission: { rule: "internal" },
  }),
  listAll: action({
    summary: "As admin.listGroups.",
    params: z.object({ beforeGroupId: e.id.optional(), limit: z.int().min(1).max(LIMITS.pageMaxItems) }),
    result: z.object({ groups: z.array(e.GroupSchema), nextGroupId: e.id.nullable() }),
    permission: { rule: "internal" },
  }),
  remove: action({
    summary: "As admin.deleteGroup.",
    params: ofGroup,
    result: nothing,
    permission: { rule: "internal" },
    errors: ["GROUP_NOT_FOUND"],
  }),
};

export const messageActions = {
  count: action({
    summary: "How many messages there are.",
    params: nothing,
    result: z.object({ messages: z.int() }),
    permission: { rule: "internal" },
  }),
};

export const presenceActions = {
  count: action({
    summary: "How many users are connected; in a cluster, one at each of two gateways counts twice.",
    params: nothing,
    result: z.object({ online: z.int() }),
    permission: { rule: "internal" },
  }),
};

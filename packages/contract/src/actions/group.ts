import { z } from "zod";
import { internal, mutation, perMinute, query } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";

const ofMember = z.object({ groupId: e.id, userId: e.id });
const because = { reason: e.reason.optional().describe("for the audit log") };

export const groupActions = {
  create: mutation({
    summary: "Make a group with a first channel, owned by the caller.",
    params: z.object({ name: e.groupName }),
    result: z.object({ group: e.GroupSchema, channels: z.array(e.ChannelSchema) }),
    permission: { rule: "session" },
    errors: ["GUEST_NOT_ALLOWED", "GROUP_CREATION_RESTRICTED", "LIMIT_REACHED"],
    rateLimit: perMinute(20),
  }),
  get: query({
    summary: "One group.",
    params: e.inGroup,
    result: z.object({ group: e.GroupSchema }),
    permission: { rule: "group", can: "view" },
    botScope: "group.read",
  }),
  listMine: query({
    summary: "All groups of the caller.",
    result: z.object({ groups: z.array(e.GroupSchema) }),
    permission: { rule: "session" },
    botScope: "group.read",
  }),
  update: mutation({
    summary: "Change the group's name, description or default channel.",
    params: e.inGroup.extend({
      name: e.groupName.optional(),
      description: e.groupDescription.optional(),
      defaultChannelId: e.id.nullable().optional(),
    }),
    result: z.object({ group: e.GroupSchema }),
    permission: { rule: "group", can: "manageGroup" },
    audited: "group",
    errors: ["CHANNEL_NOT_FOUND"],
  }),
  myPermissions: query({
    summary: "What the caller may in the group, and in each channel that he sees.",
    params: e.inGroup,
    result: z.object({
      permissions: z.int(),
      channels: z.array(z.object({ channelId: e.id, permissions: z.int() })),
    }),
    permission: { rule: "group", can: "view" },
    botScope: "group.read",
  }),
  delete: mutation({
    summary: "Delete the group with its channels and messages. You can't undo this.",
    params: e.inGroup,
    permission: { rule: "group", can: "ownGroup" },
  }),
  transfer: mutation({
    summary: "Give the group to another member.",
    params: ofMember,
    result: z.object({ group: e.GroupSchema }),
    permission: { rule: "group", can: "ownGroup" },
    audited: "user",
    errors: ["LIMIT_REACHED", "MEMBER_NOT_FOUND", "GUEST_NOT_ALLOWED"],
  }),
  listMembers: query({
    summary: "A page of members in the order of their ids.",
    params: e.inGroup.extend({
      afterUserId: e.id.optional(),
      limit: e.pageLimit,
    }),
    result: z.object({ members: z.array(e.MemberSchema), nextUserId: e.id.nullable() }),
    permission: { rule: "group", can: "view" },
    botScope: "group.read",
  }),
  getMember: query({
    summary: "One member.",
    params: ofMember,
    result: z.object({ member: e.MemberSchema }),
    permission: { rule: "group", can: "view" },
    botScope: "group.read",
    errors: ["MEMBER_NOT_FOUND"],
  }),
  getMembers: query({
    summary: "Several members; users who are none are left out.",
    params: e.inGroup.extend({ userIds: z.array(e.id).min(1).max(LIMITS.usersPerLookup) }),
    result: z.object({ members: z.array(e.MemberSchema) }),
    permission: { rule: "group", can: "view" },
    botScope: "group.read",
  }),
  leave: mutation({
    summary: "Leave the group.",
    params: e.inGroup,
    permission: { rule: "group", can: "view" },
    errors: ["OWNER_CANNOT_LEAVE"],
  }),
  kick: mutation({
    summary: "Put a member out; an invite lets them in again.",
    params: ofMember.extend(because),
    permission: { rule: "group", can: "kickMembers" },
    botScope: "members.manage",
    audited: "user",
    errors: ["MEMBER_NOT_FOUND"],
  }),
  ban: mutation({
    summary: "Put a user out, and keep them out.",
    params: ofMember.extend(because),
    permission: { rule: "group", can: "banMembers" },
    botScope: "members.manage",
    audited: "user",
    errors: ["USER_NOT_FOUND"],
  }),
  unban: mutation({
    summary: "Let a banned user join again.",
    params: ofMember.extend(because),
    permission: { rule: "group", can: "banMembers" },
    botScope: "members.manage",
    audited: "user",
  }),
  listBans: query({
    summary: "A page of the users who are banned, in the order of their ids.",
    params: e.inGroup.extend({
      afterUserId: e.id.optional(),
      limit: e.pageLimit,
    }),
    result: z.object({ bans: z.array(e.BanSchema), nextUserId: e.id.nullable() }),
    permission: { rule: "group", can: "banMembers" },
    botScope: "members.manage",
  }),
  auditLog: query({
    summary: "A page of the group's audit log, newest first. Details that the caller can't see are null.",
    params: e.inGroup.extend({
      actorId: e.id.optional(),
      action: z.string().max(64).optional().describe("the name of an action of this contract"),
      beforeId: e.id.optional(),
      limit: e.pageLimit,
    }),
    result: z.object({
      entries: z.array(e.AuditEntrySchema),
      hasMore: z
        .boolean()
        .describe(
          "whether to ask for another page; one may have fewer entries than the limit and not be the last",
        ),
    }),
    permission: { rule: "group", can: "viewAuditLog" },
    botScope: "members.manage",
  }),
  recordAudit: internal({
    summary: "What another service has let somebody do in a group, for its audit log.",
    params: e.AuditEntrySchema.omit({ id: true, createdAt: true }).partial({
      targetId: true,
      reason: true,
      before: true,
      after: true,
    }),
  }),
  mute: mutation({
    summary: "A muted member reads but does not write, until the time has passed.",
    params: ofMember.extend({ ...because, durationMs: z.int().min(1000).max(LIMITS.muteMaxDurationMs) }),
    result: z.object({ member: e.MemberSchema }),
    permission: { rule: "group", can: "muteMembers" },
    botScope: "members.manage",
    audited: "user",
    errors: ["MEMBER_NOT_FOUND"],
  }),
  unmute: mutation({
    summary: "Let a muted member write again.",
    params: ofMember,
    result: z.object({ member: e.MemberSchema }),
    permission: { rule: "group", can: "muteMembers" },
    botScope: "members.manage",
    audited: "user",
    errors: ["MEMBER_NOT_FOUND"],
  }),
  access: internal({
    summary: "What a user may do in a group or channel, and which rooms its events go to.",
    params: z.object({ userId: e.id, groupId: e.id.optional(), channelId: e.id.optional() }),
    result: z.object({
      permissions: z.int(),
      groupId: e.id.nullable(),
      mutedUntil: e.time.nullable(),
      slowModeMs: z.int().optional().describe("between two messages of this user; absent: none"),
      wordFilterRev: z.int().optional().describe("of the filter that this user's messages go through"),
      rooms: z.array(z.string()),
    }),
  }),
  forgetDirectAccess: internal({
    summary: "What these two may do in their direct channel has changed.",
    params: z.object({ userId: e.id, otherId: e.id }),
  }),
  listAcquaintances: internal({
    summary: "Those of the given users that a user shares a group or a direct channel with, the user too.",
    params: z.object({
      userId: e.id,
      userIds: z.array(e.id).min(1).max(LIMITS.usersPerLookup),
      groupsOnly: z.boolean().default(false).describe("true: a direct channel alone does not count"),
    }),
    result: z.object({ userIds: z.array(e.id) }),
  }),
  listRooms: internal({
    summary: "The rooms that a user's sockets belong in.",
    params: e.ofUser,
    result: z.object({ rooms: z.array(z.string()) }),
  }),
};

import { z } from "zod";
import { action } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";

const nothing = z.object({});
const inGroup = z.object({ groupId: e.id });
const ofMember = z.object({ groupId: e.id, userId: e.id });
const because = { reason: e.reason.optional().describe("for the audit log") };

export const groupActions = {
  "group.create": action({
    summary: "Make a group with a first channel, owned by the caller.",
    params: z.object({ name: e.groupName }),
    result: z.object({ group: e.GroupSchema, channels: z.array(e.ChannelSchema) }),
    permission: { rule: "session" },
    errors: ["LIMIT_REACHED"],
    rateLimit: { points: 20, durationMs: 60_000 },
  }),
  "group.get": action({
    summary: "One group.",
    params: inGroup,
    result: z.object({ group: e.GroupSchema }),
    permission: { rule: "group", can: "view" },
  }),
  "group.listMine": action({
    summary: "All groups of the caller.",
    params: nothing,
    result: z.object({ groups: z.array(e.GroupSchema) }),
    permission: { rule: "session" },
  }),
  "group.update": action({
    summary: "Change the group's name, description or default channel.",
    params: inGroup.extend({
      name: e.groupName.optional(),
      description: e.groupDescription.optional(),
      defaultChannelId: e.id.nullable().optional(),
    }),
    result: z.object({ group: e.GroupSchema }),
    permission: { rule: "group", can: "manageGroup" },
    errors: ["CHANNEL_NOT_FOUND"],
  }),
  "group.myPermissions": action({
    summary: "What the caller may in the group, and in each channel that he sees.",
    params: inGroup,
    result: z.object({
      permissions: z.int(),
      channels: z.array(z.object({ channelId: e.id, permissions: z.int() })),
    }),
    permission: { rule: "group", can: "view" },
  }),
  "group.delete": action({
    summary: "Delete the group with its channels and messages, for ever.",
    params: inGroup,
    result: nothing,
    permission: { rule: "group", can: "ownGroup" },
  }),
  "group.transfer": action({
    summary: "Give the group to another member.",
    params: ofMember,
    result: z.object({ group: e.GroupSchema }),
    permission: { rule: "group", can: "ownGroup" },
    errors: ["MEMBER_NOT_FOUND", "GUEST_NOT_ALLOWED"],
  }),
  "group.listMembers": action({
    summary: "A page of members in the order of their ids.",
    params: inGroup.extend({
      afterUserId: e.id.optional(),
      limit: z.int().min(1).max(LIMITS.pageMaxItems).default(50),
    }),
    result: z.object({ members: z.array(e.MemberSchema), nextUserId: e.id.nullable() }),
    permission: { rule: "group", can: "view" },
  }),
  "group.getMember": action({
    summary: "One member.",
    params: ofMember,
    result: z.object({ member: e.MemberSchema }),
    permission: { rule: "group", can: "view" },
    errors: ["MEMBER_NOT_FOUND"],
  }),
  "group.getMembers": action({
    summary: "Several members; users who are none are left out.",
    params: inGroup.extend({ userIds: z.array(e.id).min(1).max(LIMITS.usersPerLookup) }),
    result: z.object({ members: z.array(e.MemberSchema) }),
    permission: { rule: "group", can: "view" },
  }),
  "group.leave": action({
    summary: "Leave the group.",
    params: inGroup,
    result: nothing,
    permission: { rule: "group", can: "view" },
    errors: ["OWNER_CANNOT_LEAVE"],
  }),
  "group.kick": action({
    summary: "Put a member out; an invite lets them in again.",
    params: ofMember.extend(because),
    result: nothing,
    permission: { rule: "group", can: "kickMembers" },
    errors: ["MEMBER_NOT_FOUND"],
  }),
  "group.ban": action({
    summary: "Put a user out, and keep them out.",
    params: ofMember.extend(because),
    result: nothing,
    permission: { rule: "group", can: "banMembers" },
    errors: ["USER_NOT_FOUND"],
  }),
  "group.unban": action({
    summary: "Let a banned user join again.",
    params: ofMember.extend(because),
    result: nothing,
    permission: { rule: "group", can: "banMembers" },
  }),
  "group.listBans": action({
    summary: "A page of the users who are banned, in the order of their ids.",
    params: inGroup.extend({
      afterUserId: e.id.optional(),
      limit: z.int().min(1).max(LIMITS.pageMaxItems).default(50),
    }),
    result: z.object({ bans: z.array(e.BanSchema), nextUserId: e.id.nullable() }),
    permission: { rule: "group", can: "banMembers" },
  }),
  "group.auditLog": action({
    summary: "A page of who has done what in the group, newest first.",
    params: inGroup.extend({
      actorId: e.id.optional(),
      action: z.string().max(64).optional().describe("the name of an action of this contract"),
      beforeId: e.id.optional(),
      limit: z.int().min(1).max(LIMITS.pageMaxItems).default(50),
    }),
    result: z.object({ entries: z.array(e.AuditEntrySchema) }),
    permission: { rule: "group", can: "viewAuditLog" },
  }),
  "group.recordAudit": action({
    summary: "What another service has let somebody do in a group, for its audit log.",
    params: e.AuditEntrySchema.omit({ id: true, createdAt: true }).partial({
      targetId: true,
      reason: true,
      before: true,
      after: true,
    }),
    result: nothing,
    permission: { rule: "internal" },
  }),
  "group.mute": action({
    summary: "A muted member reads but does not write, until the time has passed.",
    params: ofMember.extend({ ...because, durationMs: z.int().min(1000).max(LIMITS.muteMaxDurationMs) }),
    result: z.object({ member: e.MemberSchema }),
    permission: { rule: "group", can: "muteMembers" },
    errors: ["MEMBER_NOT_FOUND"],
  }),
  "group.unmute": action({
    summary: "Let a muted member write again.",
    params: ofMember,
    result: z.object({ member: e.MemberSchema }),
    permission: { rule: "group", can: "muteMembers" },
    errors: ["MEMBER_NOT_FOUND"],
  }),
  "group.access": action({
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
    permission: { rule: "internal" },
  }),
  "group.forgetDirectAccess": action({
    summary: "What these two may do in their direct channel has changed.",
    params: z.object({ userId: e.id, otherId: e.id }),
    result: nothing,
    permission: { rule: "internal" },
  }),
  "group.listAcquaintances": action({
    summary: "Those of the given users that a user shares a group or a direct channel with, the user too.",
    params: z.object({
      userId: e.id,
      userIds: z.array(e.id).min(1).max(LIMITS.usersPerLookup),
      groupsOnly: z.boolean().default(false).describe("true: a direct channel alone does not count"),
    }),
    result: z.object({ userIds: z.array(e.id) }),
    permission: { rule: "internal" },
  }),
  "group.listRooms": action({
    summary: "The rooms that a user's sockets belong in.",
    params: z.object({ userId: e.id }),
    result: z.object({ rooms: z.array(z.string()) }),
    permission: { rule: "internal" },
  }),
};

import { z } from "zod";
import { internal, mutation, perMinute, query } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";

const ofMember = z.object({ groupId: e.id, userId: e.id });
const reasonParam = { reason: e.reason.optional().describe("for the audit log") };

const newNickname = e.nickname.nullable().optional().describe("null: removes it; absent: unchanged");

export const groupActions = {
  create: mutation({
    summary: "Create a group with a first channel, owned by the caller.",
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
    summary:
      "Update the group's name, description or channels for new members, whether the directory lists it, and whether new members need approval.",
    params: e.inGroup.extend({
      name: e.groupName.optional(),
      description: e.groupDescription.optional(),
      defaultChannelId: e.id.nullable().optional(),
      systemChannelId: e.id.nullable().optional(),
      listed: z.boolean().optional(),
      needsApproval: z.boolean().optional(),
      raidLimit: e.raidLimit.optional(),
    }),
    result: z.object({ group: e.GroupSchema }),
    permission: { rule: "group", can: "manageGroup" },
    audited: "group",
    errors: ["CHANNEL_NOT_FOUND"],
  }),
  setIcon: mutation({
    summary: "Set the group's icon.",
    params: e.inGroup.extend(e.ofUploadedPicture.shape),
    result: z.object({ group: e.GroupSchema }),
    permission: { rule: "group", can: "manageGroup" },
    audited: "group",
    errors: ["FILE_NOT_FOUND", "IMAGE_REFUSED"],
    rateLimit: perMinute(20),
  }),
  removeIcon: mutation({
    summary: "Remove the group's icon. Repeatable.",
    params: e.inGroup,
    result: z.object({ group: e.GroupSchema }),
    permission: { rule: "group", can: "manageGroup" },
  }),
  listDirectory: query({
    summary: "A page of the groups that anyone on this instance can join, those with the most members first.",
    params: z.object({
      query: z
        .string()
        .trim()
        .max(LIMITS.searchTextMaxChars)
        .default("")
        .describe("a part of the name or the description; empty: all groups"),
      cursor: z
        .string()
        .regex(/^\d{1,9}_[0-9a-f]{24}$/, "must be a cursor of this action")
        .optional()
        .describe("the nextCursor of the page before"),
      limit: e.pageLimit,
    }),
    result: z.object({
      groups: z.array(e.ListedGroupSchema),
      nextCursor: z
        .string()
        .nullable()
        .describe("null: this is the last page. Any page can have fewer groups than the limit"),
    }),
    permission: { rule: "session" },
    isHeavy: true,
    errors: ["DIRECTORY_OFF"],
    rateLimit: perMinute(120),
  }),
  joinListed: mutation({
    summary: "Join a group that the directory lists. Repeatable.",
    params: e.inGroup,
    result: z.object({
      group: e.GroupSchema,
      channels: z.array(e.ChannelSchema).describe("the first channels; channel.list returns all"),
    }),
    permission: { rule: "session" },
    errors: [
      "DIRECTORY_OFF",
      "GROUP_NOT_FOUND",
      "INVITE_NOT_FOUND",
      "BANNED",
      "LIMIT_REACHED",
      "APPROVAL_REQUIRED",
    ],
    rateLimit: perMinute(30),
  }),
  myPermissions: query({
    summary: "The caller's permissions in the group and in each channel that they can see.",
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
    summary: "Transfer the group to another member.",
    params: ofMember,
    result: z.object({ group: e.GroupSchema }),
    permission: { rule: "group", can: "ownGroup" },
    audited: "user",
    errors: ["LIMIT_REACHED", "MEMBER_NOT_FOUND", "GUEST_NOT_ALLOWED"],
  }),
  listMembers: query({
    summary: "A page of members, ordered by id.",
    params: e.inGroup.extend(e.pageOfUsers.shape),
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
    summary: "Several members; users who are not members are left out.",
    params: e.inGroup.extend(e.ofUsers.shape),
    result: z.object({ members: z.array(e.MemberSchema) }),
    permission: { rule: "group", can: "view" },
    botScope: "group.read",
  }),
  setOwnNickname: mutation({
    summary: "Change the caller's nickname and picture in the group.",
    params: e.inGroup.extend({
      nickname: newNickname,
      avatarFileId: e.id
        .nullable()
        .optional()
        .describe("a picture uploaded by the caller with file.uploadPicture; null: removes it"),
    }),
    result: z.object({ member: e.MemberSchema }),
    permission: { rule: "group", can: "changeNickname" },
    errors: ["FILE_NOT_FOUND", "IMAGE_REFUSED", "MEMBER_NOT_FOUND"],
    // Each change is published to all members.
    rateLimit: perMinute(10),
  }),
  setNickname: mutation({
    summary: "Change a member's nickname in the group, or remove their picture there.",
    params: ofMember.extend({
      ...reasonParam,
      nickname: newNickname,
      avatarFileId: z.null().optional().describe("null: removes the picture"),
    }),
    result: z.object({ member: e.MemberSchema }),
    permission: { rule: "group", can: "manageNicknames" },
    botScope: "members.manage",
    audited: "user",
    errors: ["MEMBER_NOT_FOUND"],
    rateLimit: perMinute(60),
  }),
  listNicknames: query({
    summary: `The members who have a nickname or a picture in the group, by id: up to ${LIMITS.nicknamesListed}.`,
    params: e.inGroup,
    result: z.object({ nicknames: z.array(e.nicknameOf).max(LIMITS.nicknamesListed) }),
    permission: { rule: "group", can: "view" },
    botScope: "group.read",
  }),
  findNicknames: internal({
    summary: "The nicknames and pictures that these users have in the group; users without are left out.",
    params: e.inGroup.extend(e.ofUsers.shape),
    result: z.object({ nicknames: z.array(e.nicknameOf) }),
  }),
  findMentioned: internal({
    summary: "Those of the users who are members of the group, and those of the roles that are its own.",
    params: e.inGroup.extend({
      userIds: z.array(e.id).max(LIMITS.usersPerLookup),
      roleIds: z.array(e.id).max(LIMITS.mentionsPerMessage),
    }),
    result: z.object({
      userIds: z.array(e.id),
      roles: z.array(e.RoleSchema.pick({ id: true, mentionable: true })),
    }),
  }),
  listMemberChanges: query({
    summary: `The latest joins and departures, newest first: up to ${LIMITS.memberChangesListed}, and of each user the latest of both.`,
    params: e.inGroup.extend({ withUsers: e.withUsers }),
    result: z.object({
      changes: z.array(e.MemberChangeSchema).max(LIMITS.memberChangesListed),
      users: e.referredUsers,
    }),
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
    summary: "Kick a member. They can rejoin with an invite.",
    params: ofMember.extend(reasonParam),
    permission: { rule: "group", can: "kickMembers" },
    botScope: "members.manage",
    audited: "user",
    errors: ["MEMBER_NOT_FOUND"],
  }),
  ban: mutation({
    summary: "Ban a user: they are removed and can't rejoin.",
    params: ofMember.extend(reasonParam),
    permission: { rule: "group", can: "banMembers" },
    botScope: "members.manage",
    audited: "user",
    errors: ["USER_NOT_FOUND"],
  }),
  unban: mutation({
    summary: "Unban a user.",
    params: ofMember.extend(reasonParam),
    permission: { rule: "group", can: "banMembers" },
    botScope: "members.manage",
    audited: "user",
  }),
  listBans: query({
    summary: "A page of the banned users, ordered by id.",
    params: e.inGroup.extend(e.pageOfUsers.shape),
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
        .describe("whether there are more pages; any page can have fewer entries than the limit"),
    }),
    permission: { rule: "group", can: "viewAuditLog" },
    botScope: "members.manage",
  }),
  outranks: internal({
    summary: "Whether a member is the owner, or has a role above all of another member's.",
    params: ofMember.extend({ otherUserId: e.id }),
    result: z.object({ outranks: z.boolean() }),
  }),
  recordAudit: internal({
    summary: "Record an action of another service in the group's audit log.",
    params: e.AuditEntrySchema.omit({ id: true, createdAt: true }).partial({
      targetId: true,
      reason: true,
      before: true,
      after: true,
    }),
  }),
  mute: mutation({
    summary: "Mute a member: until the given time they can read but not write.",
    params: ofMember.extend({ ...reasonParam, durationMs: z.int().min(1000).max(LIMITS.muteMaxDurationMs) }),
    result: z.object({ member: e.MemberSchema }),
    permission: { rule: "group", can: "muteMembers" },
    botScope: "members.manage",
    audited: "user",
    errors: ["MEMBER_NOT_FOUND"],
  }),
  unmute: mutation({
    summary: "Unmute a member.",
    params: ofMember,
    result: z.object({ member: e.MemberSchema }),
    permission: { rule: "group", can: "muteMembers" },
    botScope: "members.manage",
    audited: "user",
    errors: ["MEMBER_NOT_FOUND"],
  }),
  access: internal({
    summary: "The permissions of a user in a group or channel, and the rooms that its events go to.",
    params: z.object({ userId: e.id, groupId: e.id.optional(), channelId: e.id.optional() }),
    result: z.object({
      permissions: z.int(),
      groupId: e.id.nullable(),
      mutedUntil: e.time.nullable(),
      slowModeMs: z.int().optional().describe("minimum time between two messages of this user; absent: none"),
      wordFilterRev: z
        .int()
        .optional()
        .describe("revision of the word filter for this user's messages; absent: none"),
      rooms: z.array(z.string()),
      isThread: z.literal(true).optional().describe("absent: the place is not a thread"),
    }),
  }),
  findViewers: internal({
    summary: "Those of the users who can see the channel of a group, or its thread.",
    params: e.inChannel.extend({ userIds: z.array(e.id).max(1000) }),
    result: z.object({ userIds: z.array(e.id) }),
  }),
  forgetDirectAccess: internal({
    summary: "Invalidate the cached permissions of two users in their direct channel.",
    params: z.object({ userId: e.id, otherId: e.id }),
  }),
  listAcquaintances: internal({
    summary: "The given users who share a group or a direct channel with a user, including the user.",
    params: e.ofUser.extend({
      ...e.ofUsers.shape,
      groupsOnly: z.boolean().default(false).describe("true: direct channels don't count"),
    }),
    result: z.object({ userIds: z.array(e.id) }),
  }),
  listRooms: internal({
    summary: "The rooms that the sockets of each of these users join.",
    params: e.ofUsers,
    result: z.object({ rooms: z.array(z.array(z.string())) }),
  }),
};

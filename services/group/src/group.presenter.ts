import {
  MEMBER_PERMISSIONS,
  type Ban,
  type Channel,
  type ChannelState,
  type Emoji,
  type Group,
  type Head,
  type Invite,
  type Member,
  type Override,
  type Role,
  hidesFromSome,
} from "@fanfare/contract";
import type { BanDocument } from "./group/moderation.repository.ts";
import type { ChannelDocument } from "./channel/channel.model.ts";
import type { EmojiDocument } from "./group/emoji.repository.ts";
import type { GroupDocument } from "./group/group.repository.ts";
import type { InviteDocument } from "./group/invite.repository.ts";
import type { MemberDocument } from "./group/member.repository.ts";
import type { RoleDocument } from "./group/role.repository.ts";

/** Absent until someone changes them. */
export function defaultPermissionsOf({
  defaultPermissions,
}: Pick<GroupDocument, "defaultPermissions">): number {
  return defaultPermissions ?? MEMBER_PERMISSIONS;
}

export function roleIdsOf({ roleIds }: Pick<MemberDocument, "roleIds">): string[] {
  return roleIds ?? [];
}

/** In the order used by the audit log and the clients; ids as strings. */
export function presentOverrides({ overrides }: Pick<ChannelDocument, "overrides">): Override[] {
  return (overrides ?? []).map(({ type, id, allow, deny }) => ({
    target: type === "everyone" ? { type } : { type, id: id! },
    allow,
    deny,
  }));
}

export function isPrivate(channel: Pick<ChannelDocument, "overrides">): boolean {
  return hidesFromSome(presentOverrides(channel));
}

export function presentRole(role: RoleDocument): Role {
  return {
    id: role._id,
    groupId: role.groupId,
    name: role.name,
    color: role.color,
    permissions: role.permissions,
    position: role.position,
    mentionable: role.mentionable,
    createdAt: role.createdAt.toISOString(),
  };
}

export function presentEmoji(emoji: EmojiDocument): Emoji {
  const { _id, groupId, kind = "emoji", name, url, width, height, createdBy, createdAt } = emoji;
  return {
    id: _id,
    groupId,
    kind,
    name,
    url,
    ...(width !== undefined && { width }),
    ...(height !== undefined && { height }),
    createdBy,
    createdAt: createdAt.toISOString(),
  };
}

export function presentBan(ban: BanDocument): Ban {
  return {
    groupId: ban.groupId,
    userId: ban.userId,
    bannedBy: ban.bannedBy,
    reason: ban.reason ?? null,
    createdAt: ban.createdAt.toISOString(),
  };
}

export function presentGroup(group: GroupDocument): Group {
  return {
    id: group._id,
    name: group.name,
    description: group.description ?? "",
    ownerId: group.ownerId,
    memberCount: group.memberCount,
    iconUrl: group.iconUrl ?? null,
    defaultChannelId: group.defaultChannelId ?? null,
    systemChannelId: group.systemChannelId ?? null,
    defaultPermissions: defaultPermissionsOf(group),
    retentionDays: group.retentionDays ?? null,
    listed: group.listed ?? false,
    needsApproval: group.needsApproval ?? false,
    // Members who know it could stay below it.
    raidLimit: null,
    lockdownUntil: presentMute(group.lockdownUntil ?? null),
    createdAt: group.createdAt.toISOString(),
  };
}

/** For members who can change its settings. */
export function presentManagedGroup(group: GroupDocument): Group {
  return { ...presentGroup(group), raidLimit: group.raidLimit ?? null };
}

export function presentChannel(channel: ChannelDocument): Channel {
  return {
    id: channel._id,
    groupId: channel.groupId ?? channel.parentGroupId ?? null,
    kind: channel.kind,
    name: channel.name,
    topic: channel.topic ?? "",
    sectionId: channel.sectionId ?? null,
    private: isPrivate(channel),
    slowModeSeconds: channel.slowModeSeconds ?? 0,
    position: channel.position,
    memberIds: channel.memberIds ?? [],
    ownerId: ownerOf(channel) ?? null,
    parentId: channel.parentId ?? null,
    rootMessageId: channel.rootMessageId ?? null,
    archivedAt: channel.archivedAt?.toISOString() ?? null,
    createdAt: channel.createdAt.toISOString(),
  };
}

/** The longest-standing member owns a group DM, so it always has an owner. */
function ownerOf({ kind, memberIds, createdBy }: ChannelDocument): string | undefined {
  return kind === "groupDirect" ? memberIds?.[0] : createdBy;
}

export function presentChannelState(
  channel: ChannelDocument,
  { head, lastReadSeq }: { head: Head; lastReadSeq: number },
): ChannelState {
  return { ...presentChannel(channel), head, lastReadSeq };
}

export function presentMember(member: MemberDocument): Member {
  return {
    groupId: member.groupId,
    userId: member.userId,
    roleIds: roleIdsOf(member),
    ...(member.nickname !== undefined && { nickname: member.nickname }),
    ...(member.avatarUrl !== undefined && { avatarUrl: member.avatarUrl }),
    mutedUntil: presentMute(member.mutedUntil),
    joinedAt: member.joinedAt.toISOString(),
  };
}

/** @returns null for an expired mute or lockdown */
export function presentMute(mutedUntil: Date | null): string | null {
  return mutedUntil !== null && mutedUntil.getTime() > Date.now() ? mutedUntil.toISOString() : null;
}

export function presentInvite(invite: InviteDocument): Invite {
  return {
    code: invite.code,
    groupId: invite.groupId,
    createdBy: invite.createdBy,
    uses: invite.uses,
    maxUses: invite.maxUses,
    expiresAt: invite.expiresAt?.toISOString() ?? null,
    email: invite.email ?? null,
    createdAt: invite.createdAt.toISOString(),
  };
}

import type { Channel, ChannelState, Group, Head, Invite, Member } from "@fanfare/contract";
import type { ChannelDocument } from "./channel.model.ts";
import type { GroupDocument } from "./group.model.ts";
import type { InviteDocument } from "./invite.model.ts";
import type { MemberDocument } from "./member.model.ts";

export function presentGroup(group: GroupDocument): Group {
  return {
    id: group._id.toHexString(),
    name: group.name,
    ownerId: group.ownerId.toHexString(),
    memberCount: group.memberCount,
    createdAt: group.createdAt.toISOString(),
  };
}

export function presentChannel(channel: ChannelDocument): Channel {
  return {
    id: channel._id.toHexString(),
    groupId: channel.groupId?.toHexString() ?? null,
    kind: channel.kind,
    name: channel.name,
    position: channel.position,
    memberIds: channel.memberIds?.map((id) => id.toHexString()) ?? [],
    createdAt: channel.createdAt.toISOString(),
  };
}

export function presentChannelState(
  channel: ChannelDocument,
  { head, lastReadSeq }: { head: Head; lastReadSeq: number },
): ChannelState {
  return { ...presentChannel(channel), head, lastReadSeq };
}

export function presentMember(member: MemberDocument, now = new Date()): Member {
  return {
    groupId: member.groupId.toHexString(),
    userId: member.userId.toHexString(),
    mutedUntil: presentMute(member.mutedUntil, now),
    joinedAt: member.joinedAt.toISOString(),
  };
}

/** A mute that has passed is none. */
export function presentMute(mutedUntil: Date | null, now = new Date()): string | null {
  return mutedUntil !== null && mutedUntil > now ? mutedUntil.toISOString() : null;
}

export function presentInvite(invite: InviteDocument): Invite {
  return {
    code: invite.code,
    groupId: invite.groupId.toHexString(),
    createdBy: invite.createdBy.toHexString(),
    uses: invite.uses,
    maxUses: invite.maxUses,
    expiresAt: invite.expiresAt?.toISOString() ?? null,
    createdAt: invite.createdAt.toISOString(),
  };
}

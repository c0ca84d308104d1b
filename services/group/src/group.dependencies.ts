import type { NodeContext } from "@fanfare/kernel";
import type { Connection } from "mongoose";
import {
  createAllGroupsRepository,
  createGroupRepository,
  createImportedPlaceRepository,
} from "./group/group.repository.ts";
import { createAuditRepository } from "./group/audit.repository.ts";
import { createAudit } from "./group/audit.ts";
import {
  createBanRepository,
  createMuteRepository,
  createWordFilterRepository,
} from "./group/moderation.repository.ts";
import { type ChannelMoves, createChannelMoves } from "./channel/channel-moves.ts";
import { createChannelRepository, createThreadRepository } from "./channel/channel.repository.ts";
import { createDepartureRepository, createFormerMemberRepository } from "./group/departure.repository.ts";
import { createDirectRepository } from "./direct/direct.repository.ts";
import { createEmojiRepository } from "./group/emoji.repository.ts";
import { presentMember } from "./group.presenter.ts";
import { createEmailInviteRepository, createInviteRepository } from "./group/invite.repository.ts";
import { createJoinRequestRepository } from "./group/join-request.repository.ts";
import { createMemberAnnouncer } from "./group/member-announcer.ts";
import { departureOf } from "./group/members.ts";
import { createMemberCountCheck } from "./group/member-count-check.ts";
import { createMemberRepository } from "./group/member.repository.ts";
import { createMembership } from "./group/membership.ts";
import { createOverrideRepository } from "./channel/override.repository.ts";
import { createPrivateGroups } from "./channel/rooms.ts";
import { createPurge } from "./purge.ts";
import { createRoleRepository } from "./group/role.repository.ts";
import { createReportRepository } from "./report/report.repository.ts";

export type GroupRepositories = ReturnType<typeof createRepositories>;

export type GroupDependencies = ReturnType<typeof createDependencies>;

export function createRepositories(database: Connection) {
  return {
    groups: createGroupRepository(database),
    channels: createChannelRepository(database),
    directs: createDirectRepository(database),
    allGroups: createAllGroupsRepository(database),
    threads: createThreadRepository(database),
    members: createMemberRepository(database),
    roles: createRoleRepository(database),
    overrides: createOverrideRepository(database),
    audits: createAuditRepository(database),
    mutes: createMuteRepository(database),
    invites: createInviteRepository(database),
    emailInvites: createEmailInviteRepository(database),
    joinRequests: createJoinRequestRepository(database),
    bans: createBanRepository(database),
    departures: createDepartureRepository(database),
    formers: createFormerMemberRepository(database),
    emoji: createEmojiRepository(database),
    importedPlaces: createImportedPlaceRepository(database),
    wordFilters: createWordFilterRepository(database),
    reports: createReportRepository(database),
  };
}

/** What the actions of this service need. */
export function createDependencies(node: NodeContext) {
  const repositories = createRepositories(node.database);
  const { groups, members, formers } = repositories;
  const onError = (error: unknown): void => node.logger.warn({ err: error }, "background work failed");
  const announcer = createMemberAnnouncer({
    publish: node.publish,
    async read(groupId, userIds) {
      const [group, found] = await Promise.all([groups.find(groupId), members.findMany(groupId, userIds)]);
      if (group === null) return undefined;
      const isMember = new Set(found.map(({ userId }) => userId));
      const others = userIds.filter((userId) => !isMember.has(userId));
      const left = others.length === 0 ? [] : await formers.findMany(groupId, others);
      return {
        memberCount: group.memberCount,
        members: found.map(presentMember),
        departures: left.flatMap(departureOf),
      };
    },
    onError,
  });
  const memberCounts = createMemberCountCheck({
    async read(groupId) {
      const [group, counted] = await Promise.all([groups.find(groupId), members.count(groupId)]);
      return group === null ? null : { stored: group.memberCount, counted };
    },
    async correct(groupId, seen, counted) {
      await groups.correctMemberCount(groupId, seen, counted);
      announcer.recounted(groupId);
    },
    onError,
  });
  const privateGroups = createPrivateGroups((groupIds) => repositories.overrides.listPrivateGroups(groupIds));
  const membership = createMembership({
    node,
    ...repositories,
    announcer,
    memberCounts,
    privateGroups,
    changeOverrides: (channelId, edit) => moves.change(channelId, edit),
  });
  const moves: ChannelMoves = createChannelMoves({ node, ...repositories, membership });
  return {
    node,
    moves,
    audit: createAudit(repositories.audits),
    ...repositories,
    announcer,
    memberCounts,
    membership,
    privateGroups,
    purge: createPurge({ node, ...repositories, membership, moves }),
  };
}

import { defineService, type NodeContext, type ServiceFactory } from "@fanfare/kernel";
import { acceptInvite } from "./actions/accept-invite.ts";
import { access, listRooms } from "./actions/access.ts";
import { banUser, unbanUser } from "./actions/ban-user.ts";
import { createChannel } from "./actions/create-channel.ts";
import { createGroup } from "./actions/create-group.ts";
import { createInvite } from "./actions/create-invite.ts";
import { deleteChannel } from "./actions/delete-channel.ts";
import { deleteGroup } from "./actions/delete-group.ts";
import { forgetDirectAccess } from "./actions/forget-direct-access.ts";
import { kickMember } from "./actions/kick-member.ts";
import { leaveGroup } from "./actions/leave-group.ts";
import { listAcquaintances } from "./actions/list-acquaintances.ts";
import { listChannels } from "./actions/list-channels.ts";
import { closeDirect, getChannel, listDirect } from "./actions/list-direct.ts";
import { listInvites, revokeInvite } from "./actions/manage-invites.ts";
import { muteMember, unmuteMember } from "./actions/mute-member.ts";
import { addToDirect, createGroupDirect, removeFromDirect, renameDirect } from "./actions/group-direct.ts";
import { openDirect } from "./actions/open-direct.ts";
import { previewInvite } from "./actions/preview-invite.ts";
import { getGroup, listMyGroups } from "./actions/read-group.ts";
import { getMember, listMembers } from "./actions/read-members.ts";
import { transferGroup } from "./actions/transfer-group.ts";
import { updateChannel } from "./actions/update-channel.ts";
import { updateGroup } from "./actions/update-group.ts";
import { createBanRepository } from "./ban.repository.ts";
import { createChannelRepository } from "./channel.repository.ts";
import { createDepartureRepository } from "./departure.repository.ts";
import { createDirectRepository } from "./direct.repository.ts";
import { userProfileChanged } from "./events/user-profile-changed.ts";
import type { GroupDependencies, GroupRepositories } from "./group.dependencies.ts";
import { presentMember } from "./group.presenter.ts";
import { createGroupRepository } from "./group.repository.ts";
import { createInviteRepository } from "./invite.repository.ts";
import { createMemberAnnouncer } from "./member-announcer.ts";
import { createMemberCountCheck } from "./member-count-check.ts";
import { createMemberRepository } from "./member.repository.ts";
import { createMembership } from "./membership.ts";
import { createMuteRepository } from "./mute.repository.ts";
import { createPurge } from "./purge.ts";

/** Groups with their channels, members, bans and invites: the actions `group.*`, `channel.*` and `invite.*`. */
export function createGroupService(node: NodeContext): ReturnType<ServiceFactory> {
  const dependencies = createDependencies(node);
  const { groups, channels, members, mutes, invites, bans, departures } = dependencies;
  const { announcer, memberCounts, purge } = dependencies;
  return defineService(node, {
    name: "group",
    actions: {
      "group.create": createGroup(dependencies),
      "group.get": getGroup(dependencies),
      "group.listMine": listMyGroups(dependencies),
      "group.update": updateGroup(dependencies),
      "group.delete": deleteGroup(dependencies),
      "group.transfer": transferGroup(dependencies),
      "group.listMembers": listMembers(dependencies),
      "group.getMember": getMember(dependencies),
      "group.leave": leaveGroup(dependencies),
      "group.kick": kickMember(dependencies),
      "group.ban": banUser(dependencies),
      "group.unban": unbanUser(dependencies),
      "group.mute": muteMember(dependencies),
      "group.unmute": unmuteMember(dependencies),
      "group.access": access(dependencies),
      "group.listRooms": listRooms(dependencies),
      "group.forgetDirectAccess": forgetDirectAccess(dependencies),
      "group.listAcquaintances": listAcquaintances(dependencies),
      "channel.create": createChannel(dependencies),
      "channel.update": updateChannel(dependencies),
      "channel.delete": deleteChannel(dependencies),
      "channel.list": listChannels(dependencies),
      "channel.openDirect": openDirect(dependencies),
      "channel.listDirect": listDirect(dependencies),
      "channel.closeDirect": closeDirect(dependencies),
      "channel.get": getChannel(dependencies),
      "channel.createGroupDirect": createGroupDirect(dependencies),
      "channel.addToDirect": addToDirect(dependencies),
      "channel.removeFromDirect": removeFromDirect(dependencies),
      "channel.renameDirect": renameDirect(dependencies),
      "invite.create": createInvite(dependencies),
      "invite.list": listInvites(dependencies),
      "invite.revoke": revokeInvite(dependencies),
      "invite.preview": previewInvite(dependencies),
      "invite.accept": acceptInvite(dependencies),
    },
    events: { "user.profileChanged": userProfileChanged(dependencies) },
    async started() {
      const repositories = [groups, channels, members, mutes, invites, bans, departures];
      await Promise.all(repositories.map((repository) => repository.createIndexes()));
      purge.start();
      // Another process may have died between the two writes of a join.
      node.cluster.onMissed(() => memberCounts.forget());
    },
    async stopped() {
      await Promise.all([memberCounts.stop(), purge.stop(), announcer.stop()]);
    },
  });
}

function createDependencies(node: NodeContext): GroupDependencies {
  const repositories: GroupRepositories = {
    groups: createGroupRepository(node.database),
    channels: createChannelRepository(node.database),
    directs: createDirectRepository(node.database),
    members: createMemberRepository(node.database),
    mutes: createMuteRepository(node.database),
    invites: createInviteRepository(node.database),
    bans: createBanRepository(node.database),
    departures: createDepartureRepository(node.database),
  };
  const { groups, members } = repositories;
  const onError = (error: unknown): void => node.logger.warn({ err: error }, "work in the background failed");
  const announcer = createMemberAnnouncer({
    publish: node.publish,
    async read(groupId, userIds) {
      const [group, found] = await Promise.all([groups.find(groupId), members.findMany(groupId, userIds)]);
      if (group === null) return undefined;
      return { memberCount: group.memberCount, members: found.map((member) => presentMember(member)) };
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
  const membership = createMembership({ node, ...repositories, announcer, memberCounts });
  return {
    node,
    ...repositories,
    announcer,
    memberCounts,
    membership,
    purge: createPurge({ node, ...repositories, membership }),
  };
}

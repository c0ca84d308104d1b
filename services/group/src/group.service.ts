import { defineService, type NodeContext, type ServiceFactory } from "@fanfare/kernel";
import { acceptInvite, acceptInviteFor, findInviteCreator } from "./actions/accept-invite.ts";
import { access } from "./actions/access.ts";
import { assignRole, unassignRole } from "./actions/assign-role.ts";
import { auditLog, recordAudit } from "./actions/audit-log.ts";
import { countGroups, listAllGroups, removeGroup } from "./actions/administer.ts";
import { banUser, listBans, unbanUser } from "./actions/ban-user.ts";
import { admitBot, listSeenChannels } from "./actions/bots.ts";
import { createChannel } from "./actions/create-channel.ts";
import { createGroup } from "./actions/create-group.ts";
import { createInvite } from "./actions/create-invite.ts";
import { deleteChannel } from "./actions/delete-channel.ts";
import { deleteGroup } from "./actions/delete-group.ts";
import {
  beginExport,
  exportChannels,
  exportHead,
  exportMembers,
  exportThreads,
  startExport,
} from "./actions/export-group.ts";
import { exportUser } from "./actions/export-user.ts";
import { forgetDirectAccess } from "./actions/forget-direct-access.ts";
import { forgetUser, listOwned } from "./actions/forget-user.ts";
import { beginImport, cancelImport, finishImport, importPlaces, keepImport } from "./actions/import-group.ts";
import { kickMember } from "./actions/kick-member.ts";
import { leaveGroup } from "./actions/leave-group.ts";
import { listAcquaintances } from "./actions/list-acquaintances.ts";
import { listChannels } from "./actions/list-channels.ts";
import { closeDirect, getChannel, listDirect } from "./actions/list-direct.ts";
import { listOwnChannels } from "./actions/list-own-channels.ts";
import { listRooms } from "./actions/list-rooms.ts";
import { listPlaces, listUserChannels } from "./actions/list-user-channels.ts";
import { listInvites, revokeInvite } from "./actions/manage-invites.ts";
import { findThreads, listActiveThreads } from "./actions/find-threads.ts";
import { archiveThread, listThreads, unarchiveThread } from "./actions/manage-threads.ts";
import { muteMember, unmuteMember } from "./actions/mute-member.ts";
import { addToDirect, createGroupDirect, removeFromDirect, renameDirect } from "./actions/group-direct.ts";
import { myPermissions } from "./actions/my-permissions.ts";
import { openDirect } from "./actions/open-direct.ts";
import { openThread } from "./actions/open-thread.ts";
import { listOverrides, removeOverride, setOverride } from "./actions/overrides.ts";
import { previewInvite } from "./actions/preview-invite.ts";
import { getGroup, listMyGroups } from "./actions/read-group.ts";
import { getMember, getMembers, listMemberIds, listMembers } from "./actions/read-members.ts";
import { reorderChannels } from "./actions/reorder-channels.ts";
import { createRole, deleteRole, listRoles, reorderRoles, updateRole } from "./actions/roles.ts";
import { removeIcon, setIcon } from "./actions/set-icon.ts";
import { setDefaultRole } from "./actions/set-default-role.ts";
import { transferGroup } from "./actions/transfer-group.ts";
import { updateChannel } from "./actions/update-channel.ts";
import { updateGroup } from "./actions/update-group.ts";
import { listRetention, setRetention } from "./actions/retention.ts";
import { getWordFilter, readWordFilter, setWordFilter } from "./actions/word-filter.ts";
import { createActivity } from "./activity.ts";
import { createActivityRepository } from "./activity.repository.ts";
import { userProfileChanged } from "./events/user-profile-changed.ts";
import { createDependencies } from "./group.dependencies.ts";

/** Groups with their channels, members, bans and invites: the actions `group.*`, `channel.*` and `invite.*`. */
export function createGroupService(node: NodeContext): ReturnType<ServiceFactory> {
  const dependencies = createDependencies(node);
  const { moves, announcer, memberCounts, purge, privateGroups } = dependencies;
  const activity = createActivity({
    repository: createActivityRepository(node.database),
    onError: (error) => node.logger.warn({ err: error }, "the last activity could not be noted"),
  });
  return defineService(node, {
    name: "group",
    actions: {
      "group.create": createGroup(dependencies),
      "group.get": getGroup(dependencies),
      "group.listMine": listMyGroups(dependencies),
      "group.update": updateGroup(dependencies),
      "group.setIcon": setIcon(dependencies),
      "group.removeIcon": removeIcon(dependencies),
      "group.delete": deleteGroup(dependencies),
      "group.transfer": transferGroup(dependencies),
      "group.listMembers": listMembers(dependencies),
      "group.getMember": getMember(dependencies),
      "group.getMembers": getMembers(dependencies),
      "group.listMemberIds": listMemberIds(dependencies),
      "group.leave": leaveGroup(dependencies),
      "group.kick": kickMember(dependencies),
      "group.ban": banUser(dependencies),
      "group.unban": unbanUser(dependencies),
      "group.listBans": listBans(dependencies),
      "group.auditLog": auditLog(dependencies),
      "group.recordAudit": recordAudit(dependencies),
      "group.myPermissions": myPermissions(dependencies),
      "group.setRetention": setRetention(dependencies),
      "group.listRetention": listRetention(dependencies),
      "group.getWordFilter": getWordFilter(dependencies),
      "group.setWordFilter": setWordFilter(dependencies),
      "group.readWordFilter": readWordFilter(dependencies),
      "group.mute": muteMember(dependencies),
      "group.unmute": unmuteMember(dependencies),
      "group.admitBot": admitBot(dependencies),
      "group.listSeenChannels": listSeenChannels(dependencies),
      "group.access": access(dependencies),
      "group.listRooms": listRooms(dependencies),
      "group.listPlaces": listPlaces(dependencies),
      "group.listUserChannels": listUserChannels(dependencies),
      "group.count": countGroups(dependencies),
      "group.listAll": listAllGroups(dependencies),
      "group.remove": removeGroup(dependencies),
      "group.exportUser": exportUser(dependencies),
      "group.beginImport": beginImport(dependencies),
      "group.importPlaces": importPlaces(dependencies),
      "group.keepImport": keepImport(dependencies),
      "group.finishImport": finishImport(dependencies),
      "group.cancelImport": cancelImport(dependencies),
      "group.listOwnChannels": listOwnChannels(dependencies),
      "group.startExport": startExport(),
      "group.beginExport": beginExport(dependencies),
      "group.exportHead": exportHead(dependencies),
      "group.exportChannels": exportChannels(dependencies),
      "group.exportThreads": exportThreads(dependencies),
      "group.exportMembers": exportMembers(dependencies),
      "group.listOwned": listOwned(dependencies),
      "group.forgetUser": forgetUser(dependencies),
      "group.forgetDirectAccess": forgetDirectAccess(dependencies),
      "group.listAcquaintances": listAcquaintances(dependencies),
      "channel.create": createChannel(dependencies),
      "channel.update": updateChannel(dependencies),
      "channel.delete": deleteChannel(dependencies),
      "channel.reorder": reorderChannels(dependencies),
      "channel.listOverrides": listOverrides(dependencies),
      "channel.setOverride": setOverride(dependencies),
      "channel.removeOverride": removeOverride(dependencies),
      "role.list": listRoles(dependencies),
      "role.create": createRole(dependencies),
      "role.update": updateRole(dependencies),
      "role.setDefault": setDefaultRole(dependencies),
      "role.delete": deleteRole(dependencies),
      "role.reorder": reorderRoles(dependencies),
      "role.assign": assignRole(dependencies),
      "role.unassign": unassignRole(dependencies),
      "channel.list": listChannels(dependencies),
      "channel.openDirect": openDirect(dependencies),
      "channel.listDirect": listDirect(dependencies),
      "channel.closeDirect": closeDirect(dependencies),
      "channel.get": getChannel(dependencies),
      "channel.openThread": openThread(dependencies),
      "channel.listThreads": listThreads(dependencies),
      "channel.findThreads": findThreads(dependencies),
      "channel.listActiveThreads": listActiveThreads(dependencies),
      "channel.archiveThread": archiveThread(dependencies),
      "channel.unarchiveThread": unarchiveThread(dependencies),
      "channel.createGroupDirect": createGroupDirect(dependencies),
      "channel.addToDirect": addToDirect(dependencies),
      "channel.removeFromDirect": removeFromDirect(dependencies),
      "channel.renameDirect": renameDirect(dependencies),
      "invite.create": createInvite(dependencies),
      "invite.list": listInvites(dependencies),
      "invite.revoke": revokeInvite(dependencies),
      "invite.preview": previewInvite(dependencies),
      "invite.accept": acceptInvite(dependencies),
      "invite.acceptFor": acceptInviteFor(dependencies),
      "invite.findCreator": findInviteCreator(dependencies),
    },
    events: {
      "access.changed": ({ groupId, userId }) => {
        if (userId === null) privateGroups.forget(groupId);
      },
      "user.profileChanged": userProfileChanged(dependencies),
      "message.stored": (stored) => activity.heard(stored),
    },
    async started() {
      await purge.start();
      // Another process may have died between the two writes of a join.
      node.cluster.onMissed(() => memberCounts.forget());
      node.cluster.onMissed(() => privateGroups.forgetAll());
    },
    async stopped() {
      moves.stop();
      await Promise.all([memberCounts.stop(), purge.stop(), announcer.stop(), activity.stop()]);
    },
  });
}

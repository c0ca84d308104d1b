import { defineService, type NodeContext, type ServiceFactory } from "@fanfare/kernel";
import {
  acceptInvite,
  acceptInviteFor,
  createInvite,
  findInviteCreator,
  listInvites,
  previewInvite,
  revokeInvite,
} from "./group/invites.ts";
import { access, myPermissions } from "./group/access.ts";
import {
  assignRole,
  createRole,
  deleteRole,
  listRoles,
  reorderRoles,
  setDefaultRole,
  unassignRole,
  updateRole,
} from "./group/roles.ts";
import { auditLog, recordAudit } from "./group/audit.ts";
import { admitBot, countGroups, listAllGroups, listSeenChannels, removeGroup } from "./group/administer.ts";
import {
  banUser,
  getMember,
  getMembers,
  kickMember,
  leaveGroup,
  listBans,
  listMemberIds,
  listMembers,
  muteMember,
  unbanUser,
  unmuteMember,
  userProfileChanged,
} from "./group/members.ts";
import { createChannel, deleteChannel, updateChannel } from "./channel/channels.ts";
import {
  createGroup,
  deleteGroup,
  getGroup,
  listMyGroups,
  removeIcon,
  setIcon,
  transferGroup,
  updateGroup,
} from "./group/groups.ts";
import {
  beginExport,
  beginImport,
  cancelImport,
  exportChannels,
  exportHead,
  exportMembers,
  exportThreads,
  finishImport,
  importPlaces,
  keepImport,
  startExport,
} from "./group/transfer.ts";
import { exportUser, forgetUser, listOwned } from "./group/own-data.ts";
import { closeDirect, forgetDirectAccess, getChannel, listDirect, openDirect } from "./direct/directs.ts";
import { listAcquaintances } from "./group/acquaintances.ts";
import { listChannels, listOwnChannels, listPlaces, listUserChannels } from "./channel/list-channels.ts";
import { listRooms } from "./channel/rooms.ts";
import {
  archiveThread,
  findThreads,
  listActiveThreads,
  listThreads,
  openThread,
  unarchiveThread,
} from "./channel/threads.ts";
import { addToDirect, createGroupDirect, removeFromDirect, renameDirect } from "./direct/group-directs.ts";
import { listOverrides, removeOverride, setOverride } from "./channel/overrides.ts";
import { reorderChannels } from "./channel/channel-moves.ts";
import {
  getWordFilter,
  listRetention,
  readWordFilter,
  setRetention,
  setWordFilter,
} from "./group/moderation.ts";
import { createActivity, createActivityRepository } from "./activity.ts";
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

import { defineService, type NodeContext, type ServiceFactory } from "@fanfare/kernel";
import { emailInviteActions, inviteActions } from "./group/invites.ts";
import { joinRequestActions } from "./group/join-requests.ts";
import { accessActions } from "./group/access.ts";
import { emojiActions } from "./group/emoji.ts";
import { roleActions } from "./group/roles.ts";
import { auditActions } from "./group/audit.ts";
import { directoryActions } from "./group/directory.ts";
import { administerActions, groupActions } from "./group/groups.ts";
import { nicknameActions, memberChangeActions, userProfileChanged, memberActions } from "./group/members.ts";
import { channelActions } from "./channel/channels.ts";
import { transferActions } from "./group/transfer.ts";
import { ownDataActions } from "./group/own-data.ts";
import { acquaintanceActions, directActions } from "./direct/directs.ts";
import { listChannelActions } from "./channel/list-channels.ts";
import { roomActions } from "./channel/rooms.ts";
import { threadActions } from "./channel/threads.ts";
import { groupDirectActions } from "./direct/group-directs.ts";
import { overrideActions } from "./channel/overrides.ts";
import { channelMoveActions } from "./channel/channel-moves.ts";
import { moderationActions } from "./group/moderation.ts";
import { reportActions } from "./report/reports.ts";
import { createActivity, createActivityRepository } from "./activity.ts";
import { createDependencies } from "./group.dependencies.ts";

/** Groups with their channels, members, bans, invites and reports: the actions `group.*`, `channel.*`, `invite.*`, `join.*` and `report.*`. */
export function createGroupService(node: NodeContext): ReturnType<ServiceFactory> {
  const dependencies = createDependencies(node);
  const { moves, announcer, memberCounts, purge, privateGroups } = dependencies;
  const activity = createActivity({
    repository: createActivityRepository(node.database),
    onError: (error) => node.logger.warn({ err: error }, "last activity not stored"),
  });
  return defineService(node, {
    name: "group",
    actions: {
      ...channelMoveActions(dependencies),
      ...channelActions(dependencies),
      ...listChannelActions(dependencies),
      ...overrideActions(dependencies),
      ...roomActions(dependencies),
      ...threadActions(dependencies),
      ...directActions(dependencies),
      ...groupDirectActions(dependencies),
      ...accessActions(dependencies),
      ...acquaintanceActions(dependencies),
      ...administerActions(dependencies),
      ...auditActions(dependencies),
      ...directoryActions(dependencies),
      ...emojiActions(dependencies),
      ...groupActions(dependencies),
      ...emailInviteActions(dependencies),
      ...inviteActions(dependencies),
      ...joinRequestActions(dependencies),
      ...memberActions(dependencies),
      ...memberChangeActions(dependencies),
      ...nicknameActions(dependencies),
      ...moderationActions(dependencies),
      ...ownDataActions(dependencies),
      ...reportActions(dependencies),
      ...roleActions(dependencies),
      ...transferActions(dependencies),
    },
    events: {
      "access.changed": ({ groupId, userId }) => {
        if (userId === null) privateGroups.forget(groupId);
      },
      "user.profileChanged": userProfileChanged(dependencies),
      "message.stored": (stored) => activity.stored(stored),
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

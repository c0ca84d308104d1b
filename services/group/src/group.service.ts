import { LIMITS } from "@fanfare/contract";
import { defineService, type Handlers, type NodeContext, type ServiceFactory } from "@fanfare/kernel";
import { emailInviteActions, inviteActions } from "./group/invites.ts";
import { publishRequestsChanged } from "./group/join.ts";
import { presentJoinRequest } from "./group/join-request.repository.ts";
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
import { acquaintanceActions, directActions, directKey } from "./direct/directs.ts";
import { listChannelActions } from "./channel/list-channels.ts";
import { roomActions } from "./channel/rooms.ts";
import { threadActions } from "./channel/threads.ts";
import { groupDirectActions, removeFromDirect } from "./direct/group-directs.ts";
import { overrideActions } from "./channel/overrides.ts";
import { channelMoveActions } from "./channel/channel-moves.ts";
import { moderationActions } from "./group/moderation.ts";
import { reportActions } from "./report/reports.ts";
import { createActivity, createActivityRepository } from "./activity.ts";
import { createDependencies, type GroupDependencies } from "./group.dependencies.ts";
import { presentMember } from "./group.presenter.ts";

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

/** Groups per page; the cursor is the id of the last one. */
const EXPORT_PAGE = 50;

const REMOVAL_BATCH = 1000;

function ownDataActions(dependencies: GroupDependencies): Handlers {
  const { groups, members, joinRequests, formers, membership, directs } = dependencies;
  return {
    "group.exportUser": async ({ params: { userId, cursor } }) => {
      const all = (await members.listGroupIds(userId)).sort();
      const groupIds = all.filter((id) => cursor === null || id > cursor).slice(0, EXPORT_PAGE);
      const found = await groups.findMany(groupIds);
      const items = await Promise.all(
        found.map(async ({ _id, name }) => {
          const member = await members.find(_id, userId);
          return member === null
            ? []
            : [{ kind: "membership", data: { groupName: name, ...presentMember(member) } }];
        }),
      );
      const requests =
        cursor === null ? await joinRequests.listOfUser(userId, LIMITS.joinRequestsListed) : [];
      const asked = requests.map((request) => ({ kind: "joinRequest", data: presentJoinRequest(request) }));
      return {
        items: [...asked, ...items.flat()],
        nextCursor: groupIds.length === EXPORT_PAGE ? (groupIds.at(-1) ?? null) : null,
      };
    },

    "group.listOwned": async ({ params: { userId } }) => ({ groupIds: await groups.listOwnedIds(userId) }),

    /** Owners can't leave, so the user stays in a group that was just transferred to them; instance admins resolve this. */
    "group.forgetUser": async ({ params: { userId } }) => {
      for (const groupId of await joinRequests.removeAllOf(userId))
        await publishRequestsChanged(dependencies, groupId);
      for (const groupId of await members.listGroupIds(userId))
        await membership.remove(groupId, userId, "left");
      const notes = await directs.find(directKey(userId, userId));
      const directIds = await directs.listGroupDirectIds(userId);
      for (const channelId of notes === null ? directIds : [...directIds, notes._id])
        await removeFromDirect(dependencies, channelId, userId);
      for (let removed = REMOVAL_BATCH; removed === REMOVAL_BATCH;)
        removed = await formers.removeSomeOf(userId, REMOVAL_BATCH);
      return {};
    },
  };
}

import { type Handlers, serviceError } from "@fanfare/kernel";
import { isTextOrVoice } from "../channel/channel.model.ts";
import type { GroupDependencies } from "../group.dependencies.ts";
import { presentGroup } from "../group.presenter.ts";
import { loadMember, sees } from "../subjects.ts";

/** Removal is retried when the owner changes in the meantime. */
const MAX_ATTEMPTS = 3;

export function administerActions(dependencies: GroupDependencies): Handlers {
  const { allGroups, channels, groups, purge, membership } = dependencies;
  return {
    "group.count": async () => ({ groups: await allGroups.count() }),

    "group.listAll": async ({ params: { beforeGroupId, limit } }) => {
      const groups = (await allGroups.listPage(beforeGroupId, limit)).map(presentGroup);
      return { groups, nextGroupId: groups.length === limit ? (groups.at(-1)?.id ?? null) : null };
    },

    "group.remove": async ({ params: { groupId } }) => {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
        const group = await groups.find(groupId);
        if (group === null) break;
        if (!(await groups.markDeleted(groupId, group.ownerId))) continue;
        purge.group(groupId);
        return {};
      }
      throw serviceError("GROUP_NOT_FOUND");
    },

    "group.admitBot": async ({ params: { groupId, userId }, askedAtMs }) => {
      await membership.admit(groupId, userId, askedAtMs);
      return {};
    },

    "group.listSeenChannels": async ({ params: { groupId, userId } }) => {
      const [member, all] = await Promise.all([
        loadMember(dependencies, groupId, userId),
        channels.listOfGroup(groupId),
      ]);
      if (member === null) return { channels: [] };
      return {
        channels: all
          .filter((channel) => isTextOrVoice(channel) && sees(member.subject, channel))
          .map(({ _id, createdAt }) => ({ channelId: _id, createdAt: createdAt.toISOString() })),
      };
    },

    /** For admins, who can be in none of them, and also while they are being deleted. */
    "group.describeChannels": async ({ params: { channelIds } }) => {
      const found = await channels.findAny(channelIds);
      const byId = new Map(found.map((channel) => [channel._id, channel]));
      const groupIds = found.flatMap(({ groupId, parentGroupId }) => groupId ?? parentGroupId ?? []);
      const named = new Map((await groups.findAny([...new Set(groupIds)])).map((one) => [one._id, one.name]));
      const lines = channelIds.map((id) => {
        const channel = byId.get(id);
        const groupId = channel?.groupId ?? channel?.parentGroupId;
        return {
          type: "channel" as const,
          id,
          kind: channel?.kind ?? ("deleted" as const),
          name: channel?.name ?? "",
          parentId: channel?.parentId ?? null,
          group: groupId === undefined ? null : { id: groupId, name: named.get(groupId) ?? "" },
          memberIds: channel?.memberIds ?? [],
        };
      });
      return { lines };
    },
  };
}

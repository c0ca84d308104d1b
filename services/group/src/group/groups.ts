import { type Group, hasPermission, userRoom } from "@fanfare/contract";
import { type Handlers, assertBelow, orThrow, newId, serviceError } from "@fanfare/kernel";
import { type ChannelDocument, isTextOrVoice } from "../channel/channel.model.ts";
import type { GroupDependencies } from "../group.dependencies.ts";
import { assertCanCreateGroups, assertCanOwnMore } from "../group.policy.ts";
import { presentChannel, presentGroup, presentManagedGroup } from "../group.presenter.ts";
import type { GroupDocument } from "./group.repository.ts";
import { difference } from "./audit.ts";
import { loadMember, requireActor, requireMember, sees } from "../subjects.ts";

const FIRST_CHANNEL = "general";

const AUDITED = [
  "name",
  "description",
  "defaultChannelId",
  "systemChannelId",
  "listed",
  "needsApproval",
  "raidLimit",
] as const satisfies (keyof Group)[];

export function groupActions(dependencies: GroupDependencies): Handlers {
  const { node, groups, channels, members, membership, memberCounts, announcer, audit, purge } = dependencies;
  return {
    "group.create": async ({ params, actor }) => {
      const policy = await node.policy.get();
      assertCanCreateGroups(policy, actor);
      await assertCanOwnMore(policy, groups, actor.userId);
      assertBelow("groupsPerUser", (await members.listGroupIds(actor.userId)).length);
      const createdAt = new Date();
      const groupId = newId();
      const group: GroupDocument = {
        _id: groupId,
        name: params.name,
        ownerId: actor.userId,
        memberCount: 1,
        createdAt,
      };
      const channel: ChannelDocument = {
        _id: newId(),
        groupId,
        kind: "text",
        name: FIRST_CHANNEL,
        position: 0,
        createdAt,
      };
      await Promise.all([groups.begin(group), channels.insert(channel)]);
      await members.insert(groupId, actor.userId, { joinedAt: createdAt });
      // Made visible last: an incomplete group is never seen, and a sweep removes it.
      const { _id, ...content } = group;
      if ((await groups.finish(groupId, content)) === null)
        throw serviceError("UNAVAILABLE", { retryAfterMs: 0 });
      await membership.settleRooms(groupId, actor.userId, true);
      const result = { group: presentGroup(group), channels: [presentChannel(channel)] };
      node.publish(userRoom(actor.userId), "group.joined", result);
      return result;
    },

    "group.get": async ({ params, access }) => {
      const group = orThrow(await groups.find(params.groupId), "GROUP_NOT_FOUND");
      memberCounts.checkOnce(params.groupId);
      const manages = hasPermission(access.permissions, "manageGroup");
      return { group: manages ? presentManagedGroup(group) : presentGroup(group) };
    },

    "group.listMine": async ({ actor }) => {
      const found = await groups.findMany(await members.listGroupIds(actor.userId));
      return { groups: found.map(presentGroup) };
    },

    "group.update": async ({ params: { groupId, ...changes }, actor: { userId } }) => {
      const actor = await requireActor(dependencies, groupId, userId);
      for (const name of ["defaultChannelId", "systemChannelId"] as const) {
        const channelId = changes[name];
        // One that the actor can't see stays until another is chosen.
        if (typeof channelId !== "string" || channelId === actor.group[name]) continue;
        const channel = await channels.find(channelId);
        const isOfGroup = channel?.groupId === groupId && channel.kind === "text";
        if (!isOfGroup || !sees(actor.subject, channel)) throw serviceError("CHANNEL_NOT_FOUND");
      }
      const updated = orThrow(await groups.update(groupId, changes), "GROUP_NOT_FOUND");
      const group = presentGroup(updated);
      const changed = difference(presentManagedGroup(actor.group), presentManagedGroup(updated), AUDITED);
      if (changed === null) return { group };
      await audit(groupId, userId, "group.update", changed);
      return announcer.updated(group);
    },

    "group.setIcon": async ({ params: { groupId, fileId }, actor: { userId }, services }) => {
      const of = { type: "group", id: groupId } as const;
      const { url } = await services.file.usePicture({ fileId, userId, of });
      const shown = await show(dependencies, groupId, userId, url);
      // A picture that couldn't be removed is removed with the next change.
      await services.file.dropPictures({ of, exceptFileId: fileId }).catch(() => undefined);
      return shown;
    },

    "group.removeIcon": async ({ params: { groupId }, actor: { userId }, services }) => {
      const shown = await show(dependencies, groupId, userId, null);
      await services.file.dropPictures({ of: { type: "group", id: groupId } });
      return shown;
    },

    "group.transfer": async ({ params: { groupId, userId }, actor, services }) => {
      if (!(await members.exists(groupId, userId))) throw serviceError("MEMBER_NOT_FOUND");
      const { user } = await services.user.get({ userId });
      // A bot is controlled by a member, who would own the group through it.
      if (user.kind !== "member") throw serviceError("GUEST_NOT_ALLOWED");
      await assertCanOwnMore(await node.policy.get(), groups, userId);

      const [from, to] = await Promise.all([
        requireMember(dependencies, groupId, actor.userId),
        requireMember(dependencies, groupId, userId),
      ]);
      const given = orThrow(await groups.changeOwner(groupId, actor.userId, userId), "FORBIDDEN");
      // The new owner may have left since the first check; leaving checks the owner afterwards (membership.ts).
      if (!(await members.exists(groupId, userId))) {
        await groups.changeOwner(groupId, userId, actor.userId);
        throw serviceError("MEMBER_NOT_FOUND");
      }
      membership.forget(groupId, actor.userId);
      membership.forget(groupId, userId);
      await membership.settleRoles(groupId, from.subject, { ...from.subject, isOwner: false });
      await membership.settleRoles(groupId, to.subject, { ...to.subject, isOwner: true });
      await audit(groupId, actor.userId, "group.transfer", { targetId: userId });
      return announcer.updated(presentGroup(given));
    },

    "group.delete": async ({ params: { groupId }, actor }) => {
      if (!(await groups.markDeleted(groupId, actor.userId))) throw serviceError("GROUP_NOT_FOUND");
      purge.group(groupId);
      return {};
    },
  };
}

async function show(
  { groups, announcer, audit }: GroupDependencies,
  groupId: string,
  userId: string,
  iconUrl: string | null,
): Promise<{ group: Group }> {
  const updated = orThrow(await groups.update(groupId, { iconUrl }), "GROUP_NOT_FOUND");
  await audit(groupId, userId, "group.setIcon", { after: { iconUrl } });
  return announcer.updated(presentGroup(updated));
}

/** Removal is retried when the owner changes in the meantime. */
const MAX_REMOVAL_ATTEMPTS = 3;

export function administerActions(dependencies: GroupDependencies): Handlers {
  const { allGroups, channels, groups, purge, membership } = dependencies;
  return {
    "group.count": async () => ({ groups: await allGroups.count() }),

    "group.listAll": async ({ params: { beforeGroupId, limit } }) => {
      const groups = (await allGroups.listPage(beforeGroupId, limit)).map(presentGroup);
      return { groups, nextGroupId: groups.length === limit ? (groups.at(-1)?.id ?? null) : null };
    },

    "group.remove": async ({ params: { groupId } }) => {
      for (let attempt = 0; attempt < MAX_REMOVAL_ATTEMPTS; attempt += 1) {
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

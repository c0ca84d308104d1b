import {
  type Channel,
  canManageRole,
  type Override,
  type ParsedParams,
  PERMISSIONS,
} from "@fanfare/contract";
import {
  assertBelow,
  type Handlers,
  invalid,
  orThrow,
  newId,
  type Request,
  serviceError,
} from "@fanfare/kernel";
import { type LoadedMember, rankOf, requireActor, sees } from "../subjects.ts";
import { type ChannelDocument, isTextOrVoice } from "./channel.model.ts";
import type { GroupDependencies } from "../group.dependencies.ts";
import { isPrivate, presentChannel, presentGroup } from "../group.presenter.ts";
import { difference } from "../group/audit.ts";
import { roomInUse } from "./rooms.ts";
import { publishPlaces } from "./channel-moves.ts";

const AUDITED = [
  "name",
  "topic",
  "sectionId",
  "slowModeSeconds",
  "position",
] as const satisfies (keyof Channel)[];

export function channelActions(dependencies: GroupDependencies): Handlers {
  const { node, groups, channels, moves, announcer, audit, membership, threads, purge } = dependencies;
  const markThread = async (
    { services, access }: Request<"channel.delete">,
    { _id, parentId, rootMessageId }: ChannelDocument,
  ): Promise<boolean> => {
    // Checked first, because a message that points to a deleted thread would never be repaired.
    const [channelId, messageId] = [parentId!, rootMessageId!];
    await services.message.setThread({ channelId, messageId, threadId: null, rooms: [...access.rooms] });
    return threads.markDeleted(_id);
  };
  return {
    "channel.create": async ({ params, actor: { userId } }) => {
      const { groupId, name, kind, topic, slowModeSeconds } = params;
      const actor = await requireActor(dependencies, groupId, userId);
      const existing = await channels.listOfGroup(groupId);
      assertBelow(
        "channelsPerGroup",
        existing.length,
        (await node.policy.get()).channelsPerGroup ?? undefined,
      );
      const section = await requireSection(dependencies, actor, params.sectionId);
      if (kind === "section" && section !== null) throw sectionInSection();
      const overrides = params.private ? await privateOverrides(dependencies, params, actor) : [];
      const created: ChannelDocument = {
        _id: newId(),
        groupId,
        kind,
        name,
        topic,
        slowModeSeconds,
        sectionId: section,
        ...moves.initial(groupId, overrides),
        position: (existing.at(-1)?.position ?? -1) + 1,
        createdAt: new Date(),
      };
      await channels.insert(created);
      // Checked after the insert, so that a group being deleted doesn't leave a channel behind.
      if ((await groups.find(groupId)) === null) {
        await channels.remove([created._id]);
        throw serviceError("GROUP_NOT_FOUND");
      }
      await moves.open(created);
      const channel = presentChannel(created);
      await audit(groupId, userId, "channel.create", {
        targetId: channel.id,
        after: { name, kind, private: channel.private },
      });
      return { channel };
    },

    "channel.update": async ({
      params: { channelId, ...changes },
      actor: { userId },
      access: { groupId, rooms },
    }) => {
      // Direct channels have no managers.
      if (groupId === null) throw serviceError("FORBIDDEN");
      const found = orThrow(await channels.find(channelId), "CHANNEL_NOT_FOUND");
      if (typeof changes.sectionId === "string") {
        if (!isTextOrVoice(found)) throw serviceError("CHANNEL_NOT_FOUND");
        await requireSection(
          dependencies,
          await requireActor(dependencies, groupId, userId),
          changes.sectionId,
        );
      }
      const updated = orThrow(await channels.update(channelId, changes), "CHANNEL_NOT_FOUND");
      const channel = presentChannel(updated);
      const changed = difference(presentChannel(found), channel, AUDITED);
      if (changed === null) return { channel };
      if ("slowModeSeconds" in (changed.after ?? {})) membership.forget(groupId, null);
      await audit(groupId, userId, "channel.update", { targetId: channelId, ...changed });
      node.publish(updated.kind === "thread" ? rooms : roomInUse(updated), "channel.updated", { channel });
      return { channel };
    },

    "channel.delete": async (request) => {
      const { channelId } = request.params;
      const { userId } = request.actor;
      const { groupId } = request.access;
      if (groupId === null) throw serviceError("FORBIDDEN");
      const channel = await channels.find(channelId);
      const isThread = channel?.kind === "thread";
      const forgotten = isThread ? null : await groups.forgetChannel(groupId, channelId);
      if (forgotten !== null) announcer.updated(presentGroup(forgotten));
      const isMarked =
        channel !== null &&
        (isThread ? await markThread(request, channel) : await channels.markDeleted(channelId));
      if (!isMarked) throw serviceError("CHANNEL_NOT_FOUND");
      if (isThread) await purge.thread(channel);
      else purge.channel(channel);
      if (channel.kind === "section") await emptySection(dependencies, groupId, channelId);
      const { name, kind, parentId } = channel;
      const place = parentId === undefined ? channel : await channels.find(parentId);
      await audit(groupId, userId, "channel.delete", {
        targetId: channelId,
        before: { name, kind, private: place === null || isPrivate(place) },
      });
      return {};
    },
  };
}

/** The creator of a private channel can see it. */
async function privateOverrides(
  { members, roles }: GroupDependencies,
  { groupId, memberIds, roleIds }: ParsedParams<"channel.create">,
  actor: LoadedMember,
): Promise<Override[]> {
  const userIds = [...new Set([actor.subject.userId, ...memberIds])];
  assertBelow("overridesPerChannel", userIds.length + roleIds.length);
  const found = await members.findMany(groupId, userIds);
  if (found.length < userIds.length) throw serviceError("MEMBER_NOT_FOUND");
  const allowed = new Set(roleIds);
  const known = (await roles.listOfGroup(groupId)).filter(({ _id }) => allowed.has(_id));
  if (known.length < allowed.size) throw serviceError("ROLE_NOT_FOUND");
  const own = new Set(actor.subject.roles.map(({ id }) => id));
  const isOutOfReach = known.some(
    (role) => !own.has(role._id) && !canManageRole(actor.subject, rankOf(role)),
  );
  if (isOutOfReach) throw serviceError("FORBIDDEN");
  const seeing = { allow: PERMISSIONS.view, deny: 0 };
  return [
    { target: { type: "everyone" }, allow: 0, deny: PERMISSIONS.view },
    ...[...allowed].map((id): Override => ({ target: { type: "role", id }, ...seeing })),
    ...userIds.map((id): Override => ({ target: { type: "member", id }, ...seeing })),
  ];
}

function sectionInSection() {
  return invalid("sectionId", "must be null for a section: sections hold channels only");
}

/** Its channels keep their positions but no longer belong to a section. */
async function emptySection(
  dependencies: GroupDependencies,
  groupId: string,
  sectionId: string,
): Promise<void> {
  const { channels } = dependencies;
  const inside = (await channels.listOfGroup(groupId)).filter((one) => one.sectionId === sectionId);
  const places = inside.map(({ _id, position }) => ({
    channelId: _id,
    sectionId: null,
    position,
  }));
  await channels.setPlaces(groupId, places);
  publishPlaces(dependencies, groupId, places, new Map(inside.map((one) => [one._id, one])));
}

/**
 * @param sectionId null: none
 * @throws {ServiceError} CHANNEL_NOT_FOUND when it isn't a section of the group that the actor can see
 */
async function requireSection(
  { channels }: Pick<GroupDependencies, "channels">,
  { group, subject }: LoadedMember,
  sectionId: string | null,
): Promise<string | null> {
  if (sectionId === null) return null;
  const section = await channels.find(sectionId);
  const isOfGroup = section?.kind === "section" && section.groupId === group._id;
  if (!isOfGroup || !sees(subject, section)) throw serviceError("CHANNEL_NOT_FOUND");
  return section._id;
}

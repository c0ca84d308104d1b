import { LIMITS, PERMISSIONS, type Override, type ParsedParams, mayTouchRole } from "@fanfare/contract";
import { newId, serviceError, type Handler } from "@fanfare/kernel";
import { needActor, rankOf } from "../authority.ts";
import type { ChannelDocument } from "../channel.model.ts";
import type { GroupDependencies } from "../group.dependencies.ts";
import { presentChannel } from "../group.presenter.ts";
import { needSection } from "../need-section.ts";
import type { LoadedMember } from "../subjects.ts";

export function createChannel(dependencies: GroupDependencies): Handler<"channel.create"> {
  const { node, groups, channels, moves, audit } = dependencies;
  return async ({ params, actor: { userId } }) => {
    const { groupId, name, kind, topic, slowModeSeconds } = params;
    const actor = await needActor(dependencies, groupId, userId);
    const max = (await node.policy.get()).channelsPerGroup ?? LIMITS.channelsPerGroup;
    const existing = await channels.listOfGroup(groupId);
    if (existing.length >= max) throw serviceError("LIMIT_REACHED", { limit: "channelsPerGroup", max });
    const section = await needSection(dependencies, actor, params.sectionId);
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
    // Looked up afterwards, so that a group that is being deleted keeps no channel behind.
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
  };
}

/** Whoever makes a private channel sees it. */
async function privateOverrides(
  { members, roles }: GroupDependencies,
  { groupId, memberIds, roleIds }: ParsedParams<"channel.create">,
  actor: LoadedMember,
): Promise<Override[]> {
  const userIds = [...new Set([actor.subject.userId, ...memberIds])];
  const max = LIMITS.overridesPerChannel;
  if (userIds.length + roleIds.length + 1 > max) {
    throw serviceError("LIMIT_REACHED", { limit: "overridesPerChannel", max });
  }
  const found = await members.findMany(groupId, userIds);
  if (found.length < userIds.length) throw serviceError("MEMBER_NOT_FOUND");
  const allowed = new Set(roleIds);
  const known = (await roles.listOfGroup(groupId)).filter(({ _id }) => allowed.has(_id));
  if (known.length < allowed.size) throw serviceError("ROLE_NOT_FOUND");
  const own = new Set(actor.subject.roles.map(({ id }) => id));
  const isOutOfReach = known.some((role) => !own.has(role._id) && !mayTouchRole(actor.subject, rankOf(role)));
  if (isOutOfReach) throw serviceError("FORBIDDEN");
  const seeing = { allow: PERMISSIONS.view, deny: 0 };
  return [
    { target: { type: "everyone" }, allow: 0, deny: PERMISSIONS.view },
    ...[...allowed].map((id): Override => ({ target: { type: "role", id }, ...seeing })),
    ...userIds.map((id): Override => ({ target: { type: "member", id }, ...seeing })),
  ];
}

function sectionInSection() {
  const issues = [{ path: "sectionId", message: "must be null for a section: sections hold channels only" }];
  return serviceError("VALIDATION_FAILED", { issues });
}

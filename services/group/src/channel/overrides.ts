import { changedBits, canGrant, canManageMember, canManageRole, type Override } from "@fanfare/contract";
import { type Access, assertBelow, type Handlers, invalid, orThrow, serviceError } from "@fanfare/kernel";
import { loadMember, rankOf, requireActor } from "../subjects.ts";
import type { ChannelDocument, OverrideSubdocument } from "./channel.model.ts";
import type { GroupDependencies } from "../group.dependencies.ts";
import { presentChannel, presentOverrides } from "../group.presenter.ts";
import { asSubdocument } from "./channel-moves.ts";

type Target = Override["target"];

export function overrideActions(dependencies: GroupDependencies): Handlers {
  const { channels } = dependencies;
  return {
    "channel.listOverrides": async ({ params: { channelId } }) => {
      const channel = orThrow(await channels.find(channelId), "CHANNEL_NOT_FOUND");
      return { overrides: presentOverrides(channel) };
    },

    "channel.setOverride": async ({ params: { channelId, ...override }, actor: { userId }, access }) => {
      if ((override.allow & override.deny) !== 0)
        throw invalid("deny", "must not have a bit that is allowed too");
      await assertCanTarget(dependencies, override.target, access, userId, "exists");
      const isSame = isFor(override.target);
      const edit = (before: readonly OverrideSubdocument[]): OverrideSubdocument[] => {
        const others = before.filter((one) => !isSame(one));
        assertBelow("overridesPerChannel", others.length);
        assertCanGrant(before.find(isSame), override, access);
        return [...others, asSubdocument(override)];
      };
      return change(dependencies, channelId, userId, "channel.setOverride", override.target, edit);
    },

    "channel.removeOverride": async ({ params: { channelId, target }, actor: { userId }, access }) => {
      await assertCanTarget(dependencies, target, access, userId, "may be gone");
      const isSame = isFor(target);
      const edit = (before: readonly OverrideSubdocument[]): OverrideSubdocument[] => {
        assertCanGrant(before.find(isSame), { allow: 0, deny: 0 }, access);
        return before.filter((one) => !isSame(one));
      };
      return change(dependencies, channelId, userId, "channel.removeOverride", target, edit);
    },
  };
}

async function change(
  { channels, moves, audit }: GroupDependencies,
  channelId: string,
  actorId: string,
  action: "channel.setOverride" | "channel.removeOverride",
  target: Target,
  edit: (before: readonly OverrideSubdocument[], channel: ChannelDocument) => OverrideSubdocument[],
) {
  const { before, after } = await moves.change(channelId, edit);
  const bitsIn = (channel: ChannelDocument): Record<string, unknown> => {
    const { allow = 0, deny = 0 } = channel.overrides?.find(isFor(target)) ?? {};
    return { target, allow, deny };
  };
  await audit(after.groupId!, actorId, action, {
    targetId: channelId,
    before: bitsIn(before),
    after: bitsIn(after),
  });
  const now = (await channels.find(channelId)) ?? after;
  return { channel: presentChannel(now), overrides: presentOverrides(now) };
}

/** @throws {ServiceError} FORBIDDEN when the actor lacks one of the changed permissions in the channel */
function assertCanGrant(
  before: Pick<OverrideSubdocument, "allow" | "deny"> = { allow: 0, deny: 0 },
  after: Pick<OverrideSubdocument, "allow" | "deny">,
  { permissions }: Access,
): void {
  const bits = changedBits(before.allow, after.allow) | changedBits(before.deny, after.deny);
  if (!canGrant(permissions, bits)) throw serviceError("FORBIDDEN");
}

/**
 * @throws {ServiceError} FORBIDDEN for a role or member at or above the actor's highest role; ROLE_NOT_FOUND, MEMBER_NOT_FOUND
 */
async function assertCanTarget(
  dependencies: GroupDependencies,
  target: Target,
  { groupId }: Access,
  actorId: string,
  existence: "exists" | "may be gone",
): Promise<void> {
  if (groupId === null) throw serviceError("FORBIDDEN");
  if (target.type === "everyone") return;
  const actor = await requireActor(dependencies, groupId, actorId);
  if (target.type === "role") {
    const role = await dependencies.roles.find(groupId, target.id);
    if (role === null && existence === "exists") throw serviceError("ROLE_NOT_FOUND");
    if (role !== null && !canManageRole(actor.subject, rankOf(role))) throw serviceError("FORBIDDEN");
    return;
  }
  if (target.id === actorId) return;
  const member = await loadMember(dependencies, groupId, target.id);
  if (member === null && existence === "exists") throw serviceError("MEMBER_NOT_FOUND");
  if (member !== null && !canManageMember(actor.subject, member.subject)) throw serviceError("FORBIDDEN");
}

function isFor(target: Target): (override: OverrideSubdocument) => boolean {
  return ({ type, id }) => type === target.type && (target.type === "everyone" || id === target.id);
}

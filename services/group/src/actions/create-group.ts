import { LIMITS, userRoom } from "@fanfare/contract";
import { newId, serviceError, type Handler } from "@fanfare/kernel";
import type { ChannelDocument } from "../channel.model.ts";
import type { GroupDependencies } from "../group.dependencies.ts";
import { assertCanCreateGroups, assertCanOwnMore } from "../group.policy.ts";
import { presentChannel, presentGroup } from "../group.presenter.ts";
import type { GroupDocument } from "../group.repository.ts";

const FIRST_CHANNEL = "general";

export function createGroup(dependencies: GroupDependencies): Handler<"group.create"> {
  const { node, groups, channels, members, membership } = dependencies;
  return async ({ params, actor }) => {
    const policy = await node.policy.get();
    assertCanCreateGroups(policy, actor);
    await assertCanOwnMore(policy, groups, actor.userId);
    const max = LIMITS.groupsPerUser;
    if ((await members.listGroupIds(actor.userId)).length >= max) {
      throw serviceError("LIMIT_REACHED", { limit: "groupsPerUser", max });
    }
    const createdAt = new Date();
    const group: GroupDocument = {
      _id: newId(),
      name: params.name,
      ownerId: actor.userId,
      memberCount: 1,
      createdAt,
    };
    const channel: ChannelDocument = {
      _id: newId(),
      groupId: group._id,
      kind: "text",
      name: FIRST_CHANNEL,
      position: 0,
      createdAt,
    };
    const groupId = group._id;
    await Promise.all([groups.begin(group), channels.insert(channel)]);
    await members.insert(groupId, actor.userId, { joinedAt: createdAt });
    // It shows itself last: half a group is never seen, and a sweep removes it.
    const { _id, ...content } = group;
    if ((await groups.finish(groupId, content)) === null)
      throw serviceError("UNAVAILABLE", { retryAfterMs: 0 });
    await membership.settleRooms(groupId, actor.userId, true);
    const result = { group: presentGroup(group), channels: [presentChannel(channel)] };
    node.publish(userRoom(actor.userId), "group.joined", result);
    return result;
  };
}

import type { Handler } from "@fanfare/kernel";
import { takeOutOfDirect } from "../direct-departure.ts";
import type { GroupDependencies } from "../group.dependencies.ts";

const BATCH = 1000;

export function listOwned({ groups }: GroupDependencies): Handler<"group.listOwned"> {
  return async ({ params: { userId } }) => ({ groupIds: await groups.listOwnedIds(userId) });
}

/** A group that was given to the user in the very moment stays with them, as an owner does: those who run the instance see to it. */
export function forgetUser(dependencies: GroupDependencies): Handler<"group.forgetUser"> {
  const { members, formers, membership, directs } = dependencies;
  return async ({ params: { userId } }) => {
    for (const groupId of await members.listGroupIds(userId))
      await membership.remove(groupId, userId, "left");
    for (const channelId of await directs.listGroupDirectIds(userId))
      await takeOutOfDirect(dependencies, channelId, userId);
    for (let removed = BATCH; removed === BATCH;) removed = await formers.removeSomeOf(userId, BATCH);
    return {};
  };
}

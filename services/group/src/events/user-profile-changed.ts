import { groupRoom } from "@fanfare/contract";
import type { DomainEvents } from "@fanfare/kernel";
import type { GroupDependencies } from "../group.dependencies.ts";

/** Whoever shares a group with the user hears of the new profile, once even in several common groups. */
export function userProfileChanged({ node, members }: Pick<GroupDependencies, "node" | "members">) {
  return async ({ user }: DomainEvents["user.profileChanged"]): Promise<void> => {
    const groupIds = await members.listGroupIds(user.id);
    node.publish(groupIds.map(groupRoom), "user.updated", { user });
  };
}

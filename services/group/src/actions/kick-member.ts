import { serviceError, type Handler } from "@fanfare/kernel";
import type { GroupDependencies } from "../group.dependencies.ts";
import { refuseProtected } from "./moderate.ts";

export function kickMember({ groups, membership }: GroupDependencies): Handler<"group.kick"> {
  return async ({ params, actor }) => {
    await refuseProtected(groups, params, actor.userId);
    const removal = await membership.remove(params.groupId, params.userId, "kicked");
    if (removal === "not a member") throw serviceError("MEMBER_NOT_FOUND");
    if (removal === "is the owner") throw serviceError("FORBIDDEN");
    return {};
  };
}

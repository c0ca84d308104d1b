import type { Handler } from "@fanfare/kernel";
import { directKey } from "../direct-key.ts";
import type { GroupDependencies } from "../group.dependencies.ts";

/** What is remembered of a direct channel is remembered by its id, as that of a group by the group's. */
export function forgetDirectAccess({
  directs,
  membership,
}: GroupDependencies): Handler<"group.forgetDirectAccess"> {
  return async ({ params: { userId, otherId } }) => {
    const channel = await directs.find(directKey(userId, otherId));
    if (channel !== null) membership.forget(channel._id, null);
    return {};
  };
}

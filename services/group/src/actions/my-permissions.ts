import type { Handler } from "@fanfare/kernel";
import { needActor } from "../authority.ts";
import type { GroupDependencies } from "../group.dependencies.ts";
import { permissionsIn } from "../subjects.ts";

export function myPermissions(dependencies: GroupDependencies): Handler<"group.myPermissions"> {
  return async ({ params: { groupId }, actor }) => {
    const [own, listed] = await Promise.all([
      needActor(dependencies, groupId, actor.userId),
      dependencies.channels.listOfGroup(groupId),
    ]);
    const channels = listed
      .map((channel) => ({ channelId: channel._id, permissions: permissionsIn(own, channel) }))
      .filter(({ permissions }) => permissions !== 0);
    return { permissions: own.permissions, channels };
  };
}

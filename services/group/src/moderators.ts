import {
  type EventName,
  type EventPayload,
  groupRoom,
  hasPermission,
  type PermissionName,
  roleRoom,
  userRoom,
} from "@fanfare/contract";
import type { NodeContext } from "@fanfare/kernel";
import type { GroupDependencies } from "./group.dependencies.ts";
import { defaultPermissionsOf } from "./group.presenter.ts";

interface Publishing extends Pick<GroupDependencies, "groups" | "roles"> {
  node: Pick<NodeContext, "publish">;
}

/** Publishes to the members with a permission, by rooms that the permissions of their sockets already decide about. */
export async function publishToModerators<N extends EventName>(
  { node, groups, roles }: Publishing,
  groupId: string,
  permission: PermissionName,
  name: N,
  payload: EventPayload<N>,
): Promise<void> {
  const group = await groups.find(groupId);
  if (group === null) return;
  if (hasPermission(defaultPermissionsOf(group), permission))
    return node.publish(groupRoom(groupId), name, payload);
  const moderating = (await roles.listOfGroup(groupId)).filter(({ permissions }) =>
    hasPermission(permissions, permission),
  );
  node.publish([userRoom(group.ownerId), ...moderating.map(({ _id }) => roleRoom(_id))], name, payload);
}

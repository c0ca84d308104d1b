import { groupRoom, type Group } from "@fanfare/contract";
import { serviceError, type Handler } from "@fanfare/kernel";
import type { GroupDependencies } from "../group.dependencies.ts";
import { presentGroup } from "../group.presenter.ts";

export function setIcon(dependencies: GroupDependencies): Handler<"group.setIcon"> {
  return async ({ params: { groupId, fileId }, actor: { userId }, call }) => {
    const of = { type: "group", id: groupId } as const;
    const { url } = await call("file.usePicture", { fileId, userId, of });
    const group = await show(dependencies, groupId, userId, url);
    // What is left of it is dropped with the next one.
    await call("file.dropPictures", { of, exceptFileId: fileId }).catch(() => undefined);
    return { group };
  };
}

export function removeIcon(dependencies: GroupDependencies): Handler<"group.removeIcon"> {
  return async ({ params: { groupId }, actor: { userId }, call }) => {
    const group = await show(dependencies, groupId, userId, null);
    await call("file.dropPictures", { of: { type: "group", id: groupId } });
    return { group };
  };
}

async function show(
  { node, groups, announcer, audit }: GroupDependencies,
  groupId: string,
  userId: string,
  iconUrl: string | null,
): Promise<Group> {
  const updated = await groups.update(groupId, { iconUrl });
  if (updated === null) throw serviceError("GROUP_NOT_FOUND");
  const group = presentGroup(updated);
  await audit(groupId, userId, "group.setIcon", { after: { iconUrl } });
  node.publish(groupRoom(groupId), "group.updated", { group });
  announcer.told(groupId, group.memberCount);
  return group;
}

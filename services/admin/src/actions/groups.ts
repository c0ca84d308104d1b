import type { Handler } from "@fanfare/kernel";

export function listGroups(): Handler<"admin.listGroups"> {
  return ({ params, call }) => call("group.listAll", params);
}

export function deleteGroup(): Handler<"admin.deleteGroup"> {
  return ({ params: { groupId }, call }) => call("group.remove", { groupId });
}

/** In the group's audit log too: its owner sees who has read everything. */
export function startGroupExport(): Handler<"admin.startGroupExport"> {
  return ({ params: { groupId }, actor: { userId }, call }) =>
    call("group.beginExport", { groupId, userId, action: "admin.startGroupExport" });
}

export function startGroupImport(): Handler<"admin.startGroupImport"> {
  return async ({ params, actor, call }) => {
    const { ownerId = actor.userId } = params;
    await call("user.get", { userId: ownerId });
    return call("group.beginImport", { ownerId });
  };
}

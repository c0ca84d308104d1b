import type { Handler } from "@fanfare/kernel";

export function listUsers(): Handler<"admin.listUsers"> {
  return ({ params, call }) => call("user.listAll", params);
}

export function createUser(): Handler<"admin.createUser"> {
  return ({ params, call }) => call("user.createWithoutPassword", params);
}

export function sendPasswordReset(): Handler<"admin.sendPasswordReset"> {
  return ({ params, call }) => call("user.sendPasswordLink", params);
}

export function disableUser(): Handler<"admin.disableUser"> {
  return async ({ params: { userId }, call }) => {
    const disabled = await call("user.setDisabled", { userId, disabled: true });
    await call("bot.disconnectHeldBy", { userId });
    return disabled;
  };
}

export function enableUser(): Handler<"admin.enableUser"> {
  return ({ params: { userId }, call }) => call("user.setDisabled", { userId, disabled: false });
}

export function setAdmin(): Handler<"admin.setAdmin"> {
  return ({ params, call }) => call("user.setAdmin", params);
}

export function resetTotp(): Handler<"admin.resetTotp"> {
  return ({ params: { userId }, call }) => call("user.resetTotp", { userId });
}

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

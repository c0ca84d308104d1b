import type { Handler } from "@fanfare/kernel";

export function listUsers(): Handler<"admin.listUsers"> {
  return ({ params, services }) => services.user.listAll(params);
}

export function createUser(): Handler<"admin.createUser"> {
  return ({ params, services }) => services.user.createWithoutPassword(params);
}

export function sendPasswordReset(): Handler<"admin.sendPasswordReset"> {
  return ({ params, services }) => services.user.sendPasswordLink(params);
}

export function disableUser(): Handler<"admin.disableUser"> {
  return async ({ params: { userId }, services }) => {
    const disabled = await services.user.setDisabled({ userId, disabled: true });
    await services.bot.disconnectHeldBy({ userId });
    return disabled;
  };
}

export function enableUser(): Handler<"admin.enableUser"> {
  return ({ params: { userId }, services }) => services.user.setDisabled({ userId, disabled: false });
}

export function setAdmin(): Handler<"admin.setAdmin"> {
  return ({ params, services }) => services.user.setAdmin(params);
}

export function resetTotp(): Handler<"admin.resetTotp"> {
  return ({ params: { userId }, services }) => services.user.resetTotp({ userId });
}

export function listGroups(): Handler<"admin.listGroups"> {
  return ({ params, services }) => services.group.listAll(params);
}

export function deleteGroup(): Handler<"admin.deleteGroup"> {
  return ({ params: { groupId }, services }) => services.group.remove({ groupId });
}

/** In the group's audit log too: its owner sees who has read everything. */
export function startGroupExport(): Handler<"admin.startGroupExport"> {
  return ({ params: { groupId }, actor: { userId }, services }) =>
    services.group.beginExport({ groupId, userId, action: "admin.startGroupExport" });
}

export function startGroupImport(): Handler<"admin.startGroupImport"> {
  return async ({ params, actor, services }) => {
    const { ownerId = actor.userId } = params;
    await services.user.get({ userId: ownerId });
    return services.group.beginImport({ ownerId });
  };
}

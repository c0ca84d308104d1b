import { type Actor, type Handlers, serviceError } from "@fanfare/kernel";

export const usersAndGroupActions: Handlers = {
  "admin.listUsers": ({ params, services }) => services.user.listAll(params),

  "admin.createUser": ({ params, services }) => services.user.createWithoutPassword(params),

  "admin.sendPasswordReset": ({ params, services }) => services.user.sendPasswordLink(params),

  "admin.disableUser": async ({ params: { userId }, services }) => {
    const disabled = await services.user.setDisabled({ userId, disabled: true });
    await services.bot.disconnectHeldBy({ userId });
    return disabled;
  },

  "admin.enableUser": ({ params: { userId }, services }) =>
    services.user.setDisabled({ userId, disabled: false }),

  "admin.setAdmin": ({ params, services }) => services.user.setAdmin(params),

  "admin.resetTotp": ({ params: { userId }, services }) => services.user.resetTotp({ userId }),

  "admin.listGroups": ({ params, services }) => services.group.listAll(params),

  "admin.deleteGroup": ({ params: { groupId }, services }) => services.group.remove({ groupId }),

  "admin.listReports": ({ params, services }) => services.report.listDirect(params),

  "admin.getOpenReportCount": ({ services }) => services.report.getOpenDirectCount({}),

  "admin.closeReport": ({ params, actor: { userId }, services }) =>
    services.report.closeDirect({ ...params, userId }),

  /** Also recorded in the group's audit log, so that the owner sees who exported the group. */
  "admin.startGroupExport": ({ params: { groupId }, actor: { userId }, services }) =>
    services.group.beginExport({ groupId, userId, action: "admin.startGroupExport" }),

  "admin.startGroupImport": async ({ params, actor, services }) => {
    const { ownerId = actor.userId } = params;
    await services.user.get({ userId: ownerId });
    return services.group.beginImport({ ownerId });
  },
};

/** The audit log records these with their reasons, like every change by an admin. */
export const complianceActions: Handlers = {
  /** The gateway streams the file after this. */
  "admin.startMessageExport": async ({ params: { userId }, actor, services }) => {
    assertOther(userId, actor);
    await services.user.get({ userId }).catch(async (error: unknown) => {
      // Authors of an imported group are removed with it.
      if (!(await services.message.isHeld({ userId })).isHeld) throw error;
    });
    return {};
  },
  "admin.listHolds": async ({ params, actor, services }) => {
    const { holds, nextId } = await services.message.listHolds(params);
    return { holds: holds.filter(({ userId }) => userId !== actor.userId), nextId };
  },
  "admin.startHold": async ({ params, actor, services }) => {
    assertOther(params.userId, actor);
    const { user } = await services.user.get({ userId: params.userId });
    const name = user.username ?? user.nickname;
    return services.message.startHold({ ...params, name, byUserId: actor.userId });
  },
  "admin.endHold": ({ params: { userId, holdId }, actor, services }) => {
    assertOther(userId, actor);
    return services.message.endHold({ userId, holdId, byUserId: actor.userId });
  },
};

/** Admins must not learn of a hold on themselves or end it, so this is refused whether or not there is one. */
function assertOther(userId: string, actor: Actor): void {
  if (userId === actor.userId) throw serviceError("FORBIDDEN");
}

import type { Handlers } from "@fanfare/kernel";

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

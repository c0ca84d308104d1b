import type { Handlers } from "@fanfare/kernel";

/** Recorded in the audit log like every change by an admin, with the reason. */
export const complianceActions: Handlers = {
  /** The gateway streams the file after this. */
  "admin.startMessageExport": async ({ params: { userId }, services }) => {
    await services.user.get({ userId });
    return {};
  },
  "admin.listHolds": ({ params, services }) => services.message.listHolds(params),
  "admin.startHold": async ({ params, actor, services }) => {
    const { user } = await services.user.get({ userId: params.userId });
    const name = user.username ?? user.nickname;
    return services.message.startHold({ ...params, name, byUserId: actor.userId });
  },
  "admin.endHold": ({ params: { holdId }, actor, services }) =>
    services.message.endHold({ holdId, byUserId: actor.userId }),
};

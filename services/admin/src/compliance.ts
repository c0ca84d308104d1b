import { type Actor, type Handlers, serviceError } from "@fanfare/kernel";

/** Recorded in the audit log like every change by an admin, with the reason. */
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

/** An admin under a hold must not learn of it, nor end it. Refused whether or not there is one. */
function assertOther(userId: string, actor: Actor): void {
  if (userId === actor.userId) throw serviceError("FORBIDDEN");
}

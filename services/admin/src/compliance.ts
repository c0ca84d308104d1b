import { type Actor, type Handlers, serviceError } from "@fanfare/kernel";

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

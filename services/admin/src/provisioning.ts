import { type Handlers, type Request, toServiceError } from "@fanfare/kernel";
import { record } from "./audit.ts";
import type { AdminDependencies } from "./admin.dependencies.ts";

type Services = Request<"admin.deprovisionUser">["services"];

/** What the identity provider does by SCIM. There is no actor: it has authenticated with `SCIM_TOKEN` at the gateway. */
export function provisioningActions(dependencies: AdminDependencies): Handlers {
  const recorded = <T>(
    action: string,
    { address, ...params }: { address: string } & Record<string, unknown>,
    change: () => Promise<T>,
    describe?: (result: T) => Record<string, unknown>,
  ): Promise<T> => record(dependencies, { actorId: null, address, action, params }, change, describe);

  /** Makes users admins, or takes the role away, as their groups say. A change that isn't possible is logged. */
  const followGroups = async (
    services: Services,
    address: string,
    roles: readonly { userId: string; admin: boolean }[],
  ): Promise<void> => {
    for (const role of roles) {
      try {
        const params = { ...role, provider: "SCIM", address };
        await recorded("admin.setAdmin", params, () => services.user.setAdmin(role));
      } catch (error) {
        const { type } = toServiceError(error);
        if (type !== "LAST_ADMIN" && type !== "LIMIT_REACHED") throw error;
        dependencies.node.logger.warn({ ...role, error: type }, "admin role not changed");
      }
    }
  };

  return {
    "admin.provisionUser": ({ params, services }) =>
      recorded(
        "admin.provisionUser",
        params,
        async () => {
          const { user, connected } = await services.user.provision(params);
          // An existing account with the same address can be active.
          if (params.active === false && user.active) await disable(services, user.id);
          return { user: { ...user, active: params.active !== false && user.active }, connected };
        },
        ({ user, connected }) => ({ userId: user.id, connected }),
      ),

    "admin.updateProvisionedUser": ({ params, services }) =>
      recorded("admin.updateProvisionedUser", params, async () => {
        const { active, address, ...changes } = params;
        const { userId } = params;
        // First, because the other changes can fail, for example if a name is taken.
        if (active === false) await disable(services, userId);
        const { user } = await services.user.updateProvisioned(changes);
        if (active !== true || user.active) return { user };
        const enable = { userId, disabled: false, byProvider: true };
        const { disabledAt } = (await services.user.setDisabled(enable)).user;
        const { admin } = await services.user.isProvisionedAdmin({ userId });
        if (disabledAt === null && admin) await followGroups(services, address, [{ userId, admin }]);
        return { user: { ...user, active: disabledAt === null } };
      }),

    "admin.deprovisionUser": ({ params: { userId, address }, services }) =>
      recorded("admin.deprovisionUser", { userId, address }, async () => {
        await disable(services, userId);
        return services.user.releaseProvisioned({ userId });
      }),

    "admin.provisionGroup": ({ params, services }) =>
      recorded(
        "admin.provisionGroup",
        params,
        async () => {
          const { group, roles } = await services.user.provisionGroup(params);
          await followGroups(services, params.address, roles);
          return { group };
        },
        ({ group }) => ({ groupId: group?.id ?? null }),
      ),

    "admin.updateProvisionedGroup": ({ params, services }) =>
      recorded("admin.updateProvisionedGroup", params, async () => {
        const { group, roles } = await services.user.updateProvisionedGroup(params);
        await followGroups(services, params.address, roles);
        return { group };
      }),

    "admin.deprovisionGroup": ({ params: { groupId, address }, services }) =>
      recorded("admin.deprovisionGroup", { groupId, address }, async () => {
        const { roles } = await services.user.removeProvisionedGroup({ groupId });
        await followGroups(services, address, roles);
        return {};
      }),
  };
}

/** Can be repeated if it was interrupted. */
async function disable(services: Services, userId: string): Promise<void> {
  // Only accounts that the provider can see.
  await services.user.getProvisioned({ userId });
  await services.user.setAdmin({ userId, admin: false });
  await services.user.setDisabled({ userId, disabled: true, byProvider: true });
  await services.bot.disconnectHeldBy({ userId });
}

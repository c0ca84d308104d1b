import {
  brandingOf,
  type Handlers,
  type NodeContext,
  invalid,
  serviceError,
  type ServiceError,
} from "@fanfare/kernel";
import type { Branding, InstancePolicy, Maintenance, PolicyName, StoredPolicy } from "@fanfare/contract";
import type { AdminDependencies } from "./admin.dependencies.ts";

const LOGO = { type: "instance" } as const;

export function settingsActions(dependencies: AdminDependencies): Handlers {
  const { node, maintenance, policy } = dependencies;
  const brand = async (changes: Partial<Branding>): Promise<{ branding: Branding }> => {
    const stored = await policy.write({ branding: changes });
    node.broadcast("policy.changed", stored);
    return { branding: brandingOf(stored) };
  };
  return {
    "admin.announce": ({ params: { text } }) => {
      node.broadcast("server.announced", { text, announcedAt: new Date().toISOString() });
      return {};
    },

    /** Stored before it is broadcast: a gateway that starts in between reads it, and the others receive the event. */
    "admin.setMaintenance": async ({ params: { enabled, message = "" } }) => {
      const set: Maintenance = { enabled, message: enabled ? message : "" };
      await maintenance.write(set);
      node.broadcast("maintenance.changed", set);
      return { maintenance: set };
    },

    "admin.getMaintenance": () => maintenance.read(),

    "admin.getPolicy": async () => present(node, await policy.read()),

    "admin.readPolicy": () => policy.read(),

    /** Stored before it is broadcast: a process that starts in between reads it, and the others receive the event. */
    "admin.setPolicy": async ({ params, actor: { userId, sessionId }, services }) => {
      const names = (Object.keys(params) as PolicyName[]).filter((name) => node.policy.fixed.includes(name));
      if (names.length > 0) throw serviceError("POLICY_FIXED", { names });
      const refusal = checkUsable(node, params);
      if (refusal !== null) throw refusal;
      if (params.oidcOnly === true) {
        const { oidcProviders } = (await services.user.me({})).user;
        // Links to providers that are no longer configured are kept.
        if (!node.config.providers.some(({ id }) => oidcProviders.includes(id)))
          throw invalid(
            "oidcOnly",
            "connect your own account to the provider first: you could not log in again",
          );
      }
      if (params.requireSecondFactor !== undefined && params.requireSecondFactor !== "off") {
        // Their own change would restrict their session.
        if (!(await services.user.hasSecondFactor({ userId, sessionId })).has)
          throw serviceError("TOTP_NOT_SET_UP");
      }
      const stored = await policy.write({ values: params });
      node.broadcast("policy.changed", stored);
      return present(node, stored);
    },

    "admin.setBranding": ({ params }) => brand(params),

    "admin.setLogo": async ({ params: { fileId }, actor: { userId }, services }) => {
      const { url } = await services.file.usePicture({ fileId, userId, of: LOGO });
      const changed = await brand({ logoUrl: url });
      // A picture that couldn't be removed is removed with the next change.
      await services.file.dropPictures({ of: LOGO, exceptFileId: fileId }).catch(() => undefined);
      return changed;
    },

    "admin.removeLogo": async ({ services }) => {
      const changed = await brand({ logoUrl: null });
      await services.file.dropPictures({ of: LOGO });
      return changed;
    },
  };
}

function present(node: NodeContext, stored: StoredPolicy) {
  return { policy: node.policy.merge(stored), fixed: [...node.policy.fixed] };
}

/** @returns the error for a policy that requires settings this server doesn't have, otherwise null */
function checkUsable(
  { config }: NodeContext,
  { oidcOnly, mailDomains = [] }: Partial<InstancePolicy>,
): ServiceError | null {
  if (oidcOnly === true && config.providers.length === 0)
    return invalid("oidcOnly", "set up a provider first: OIDC_ISSUER, OIDC_PROVIDERS or SAML_PROVIDERS");
  if (mailDomains.length > 0 && config.smtp === undefined && config.environment === "production")
    return invalid("mailDomains", "set SMTP_URL first: addresses are verified by mail");
  return null;
}

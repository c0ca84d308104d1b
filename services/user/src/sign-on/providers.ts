import type { Config, Logger } from "@fanfare/kernel";
import { createOidcProvider } from "./oidc-provider.ts";
import { createSamlProvider } from "./saml-provider.ts";

export type Provider = ReturnType<typeof createOidcProvider> | ReturnType<typeof createSamlProvider>;
export type Providers = ReadonlyMap<string, Provider>;

/** The providers of single sign-on, by id. */
export function createProviders(
  { providers, publicUrl, scimOidcProvider }: Pick<Config, "providers" | "publicUrl" | "scimOidcProvider">,
  logger: Logger,
): Providers {
  return new Map(
    providers.map((settings) => {
      const context = { publicUrl, logger, sendsIds: settings.id === scimOidcProvider };
      return [
        settings.id,
        settings.protocol === "oidc"
          ? createOidcProvider(settings, context)
          : createSamlProvider(settings, context),
      ];
    }),
  );
}

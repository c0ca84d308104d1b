import { createHash } from "node:crypto";
import type { Config, Logger } from "@fanfare/kernel";
import type { ExternalIdentity } from "../external-accounts.ts";

/** For each request to a provider. */
export const PROVIDER_TIMEOUT_S = 5;

/** A user's identity at a provider of single sign-on. Its `key` is derived from the provider's own id and the user's id there. */
export interface ProviderIdentity extends ExternalIdentity {
  provider: string;
  /** When the user last authenticated at the provider; absent if the provider doesn't say. */
  authenticatedAt?: Date;
}

type ProviderSettings = Config["providers"][number];
export interface ProviderContext {
  publicUrl: string;
  logger: Logger;
  /** Whether users are also found by the ids that the provider sent by SCIM. Only one: ids of several can be equal. */
  sendsIds: boolean;
}

/** @param issuer the provider's own id, and the user's id there */
export function identityKey(issuer: string, userId: string): string {
  return createHash("sha256")
    .update(JSON.stringify([issuer, userId]))
    .digest("base64url");
}

/** What a provider says about the groups of a user. */
interface GroupsClaim {
  /** Of the claim or attribute. */
  name: string;
  /** Absent if the provider hasn't sent it. */
  value?: unknown;
  /** Whether the provider has the groups elsewhere, as Entra ID does for users with many. */
  isElsewhere: boolean;
}

/** @returns undefined when the provider doesn't decide it, or has the groups elsewhere. A missing or unusable claim grants nothing. */
export function isAdminOf(
  { id, adminGroups }: Pick<ProviderSettings, "id" | "adminGroups">,
  { name, value, isElsewhere }: GroupsClaim,
  logger: Logger,
): boolean | undefined {
  if (adminGroups === undefined) return undefined;
  if (value === undefined)
    logger.warn(
      { provider: id, claim: name },
      isElsewhere ? "too many groups for the claim, admin role not changed" : "groups claim missing",
    );
  if (value === undefined && isElsewhere) return undefined;
  // Some providers send a single group as a string.
  const groups: unknown[] = value === undefined ? [] : [value].flat();
  if (groups.some((group) => typeof group !== "string"))
    logger.warn({ provider: id, claim: name }, "groups claim is not a list of names");
  return groups.some((group) => typeof group === "string" && adminGroups.includes(group));
}

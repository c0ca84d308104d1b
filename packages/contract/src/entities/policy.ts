import { z } from "zod";
import { color, entity, instanceName, landingText } from "./primitives.ts";
import { LIMITS } from "../limits.ts";
import { ReachSchema } from "./user.ts";

const mailDomain = z
  .string()
  .trim()
  .toLowerCase()
  .max(LIMITS.mailDomainMaxChars)
  .regex(
    /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z0-9-]*[a-z0-9]$/,
    "must be a domain such as example.org",
  );

/** null: no limit on this instance. LIMITS apply in any case. */
const bytes = z.int().min(0).nullable();
const upTo = (max: number) => z.int().min(1).max(max).nullable();

/** Who can join this instance, and what users can do besides their permissions in groups. */
export const InstancePolicySchema = entity("InstancePolicy", {
  registration: z
    .enum(["open", "invite", "closed"])
    .describe(
      "open: anyone can create an account; invite: requires a group invite by an account; closed: only admins create accounts",
    ),
  guests: z.boolean().describe("whether anyone can join as a guest, without an account"),
  mailDomains: z
    .array(mailDomain)
    .max(LIMITS.mailDomainsPerInstance)
    .describe("New accounts need a verified address in one of these domains; empty: any or no address."),
  oidcOnly: z.boolean().describe("whether single sign-on (OpenID Connect or SAML) is the only way to log in"),
  groupCreation: z
    .enum(["everyone", "accounts", "admins"])
    .describe("who can create groups; everyone: guests too"),
  directory: z
    .boolean()
    .describe("whether groups can be listed for all users of this instance; each group chooses for itself"),
  requireSecondFactor: z
    .enum(["off", "admins", "accounts"])
    .describe(
      "who needs a second factor: off: optional for all; accounts: all users with an account. Sessions without one can only set it up. " +
        "Guests, bots and sessions opened by single sign-on or a passkey are exempt.",
    ),
  sessionMaxHours: upTo(LIMITS.sessionMaxHours).describe(
    "sessions end this long after the login, except those of guests and bots; null: they can last forever",
  ),
  sessionIdleMinutes: z
    .int()
    .min(LIMITS.sessionIdleMinMinutes)
    .max(LIMITS.sessionIdleMaxMinutes)
    .nullable()
    .describe(
      "sessions end when nothing was changed or sent, and no token refreshed, for this long, except those of guests and bots. " +
        "null: after 30 days without a refresh, as for all sessions",
    ),
  directMessages: ReachSchema.shape.directFrom.describe(
    "who can open direct channels with a user, at most: friends count as group mates. Guests only reach members of shared groups.",
  ),
  fileQuotaUserBytes: bytes.describe(
    "all files of one user; admins change it for one of them by `file.setQuota`. null: no limit",
  ),
  fileQuotaGuestBytes: bytes.describe("all files of one guest, if that is less"),
  fileQuotaGroupBytes: bytes.describe("all files of one group; `file.setQuota` as for users"),
  fileQuotaInstanceBytes: bytes.describe("all files of this instance"),
  usersPerInstance: upTo(Number.MAX_SAFE_INTEGER).describe("accounts and guests together; null: no limit"),
  groupsOwnedPerUser: upTo(LIMITS.groupsPerUser).describe("null: as many as a user can be a member of"),
  membersPerGroup: upTo(LIMITS.membersPerGroup).describe(`null: ${LIMITS.membersPerGroup}`),
  channelsPerGroup: upTo(LIMITS.channelsPerGroup).describe(
    `sections included; null: ${LIMITS.channelsPerGroup}`,
  ),
});
export type InstancePolicy = z.output<typeof InstancePolicySchema>;
export type PolicyName = keyof InstancePolicy;

export const PolicyNameSchema = InstancePolicySchema.keyof();

/** What visitors of this instance see instead of Fanfare's name and looks. */
export const BrandingSchema = entity("Branding", {
  name: instanceName,
  accentColor: color
    .nullable()
    .describe("clients use shades of it that are readable on their surfaces; null: theirs"),
  landingText: landingText.describe("below the name on the login page; empty: the client's own text"),
  logoUrl: z.string().nullable().describe("path on this server of a square picture; null: Fanfare's"),
});
export type Branding = z.output<typeof BrandingSchema>;

/** The values set by admins; the environment and defaults determine the others. */
export const StoredPolicySchema = z.object({
  revision: z.int().min(0).describe("increases with every change"),
  values: InstancePolicySchema.partial(),
  branding: BrandingSchema.partial().optional(),
});
export type StoredPolicy = z.output<typeof StoredPolicySchema>;

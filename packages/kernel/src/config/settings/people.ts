import { z } from "zod";
import { InstancePolicySchema, LIMITS } from "@fanfare/contract";
import { httpUrl, ldapUrl, list, notes, oneOf, onOrOff, serverUrl, wholeNumber } from "../values.ts";
import { groupsClaim, oidcProviders, providerName, samlProviders, scopes } from "./providers.ts";

export const mail = {
  SMTP_URL: serverUrl(["smtp", "smtps"]).optional().register(notes, {
    description: "SMTP server that sends emails.",
    defaultText: "no emails; in development they are written to the log",
    required: "with `MAIL_FROM`",
    example: "smtp://user:password@mail.example.org:587",
    secret: true,
  }),
  MAIL_FROM: z.string().regex(/@/, "must contain an email address").optional().register(notes, {
    description: "Sender of emails.",
    required: "with `SMTP_URL`",
    example: "Fanfare <chat@example.org>",
  }),
};

export const login = {
  OIDC_ISSUER: httpUrl.optional().register(notes, {
    description:
      "URL of the OpenID Connect provider; https in production. Register `PUBLIC_URL/auth/oidc/callback` as a redirect URL there.",
    defaultText: "no single sign-on",
    required: "with `OIDC_CLIENT_ID`",
    example: "https://login.example.org",
  }),
  OIDC_CLIENT_ID: z.string().optional().register(notes, {
    description: "OAuth client ID registered with the provider.",
    required: "with `OIDC_ISSUER`",
    example: "fanfare",
  }),
  OIDC_CLIENT_SECRET: z.string().optional().register(notes, {
    description: "OAuth client secret.",
    required: "with `OIDC_ISSUER`",
    example: "the-secret-that-the-provider-shows",
    secret: true,
  }),
  OIDC_NAME: providerName.optional().register(notes, {
    description: "Name on the login button.",
    defaultText: "single sign-on",
    example: "Example Inc.",
  }),
  OIDC_ADMIN_GROUPS: list
    .pipe(
      z.array(
        // A distinguished name has commas, so its parts would be taken for names.
        z.string().regex(/^[^=]*$/, "must be names without =; adminGroups in OIDC_PROVIDERS can have any"),
      ),
    )
    .optional()
    .register(notes, {
      description:
        "Groups at the provider whose members are admins of this server, separated by commas. A login there makes the user an admin or takes " +
        "the role away, except from the last admin. Until then, open sessions and other ways to log in keep the role.",
      defaultText: "admins are only chosen here",
      example: "chat-admins",
    }),
  OIDC_GROUPS_CLAIM: groupsClaim.register(notes, {
    description:
      "Claim with the names of the user's groups. With `OIDC_ADMIN_GROUPS`, a login without this claim takes the admin role away.",
    example: "roles",
  }),
  OIDC_SCOPES: scopes.register(notes, {
    description:
      "Requested scopes, separated by spaces. Some providers only send groups with a scope for them.",
    example: "openid email profile groups",
  }),
  OIDC_PROVIDERS: oidcProviders.optional().register(notes, {
    description:
      "Further providers, as JSON; `adminGroups` (a list), `groupsClaim` and `scopes` are optional. Redirect URL: `PUBLIC_URL/auth/oidc/callback/<id>`. " +
      "Only add providers you trust: a login there with a verified address opens the account that has verified the same address.",
    example:
      '[{"id":"google","name":"Google","issuer":"https://accounts.google.com","clientId":"fanfare","clientSecret":"the-secret"}]',
    secret: true,
  }),
  SAML_PROVIDERS: samlProviders.optional().register(notes, {
    description:
      "SAML 2.0 providers, as JSON; docs/run/saml.md describes all options. `metadata` is the URL or the XML of the provider's metadata; `entityId`, `ssoUrl` and " +
      "`certificates` (a list) replace it. Its addresses count as verified, so only add providers you trust.",
    defaultText: "no SAML login",
    example: '[{"id":"work","name":"Example Inc.","metadata":"https://login.example.org/saml/metadata"}]',
  }),
};

const SCIM_TOKEN_MIN_CHARS = 32;
export const provisioning = {
  SCIM_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]+$/, "must have no spaces and only ASCII characters")
    .min(SCIM_TOKEN_MIN_CHARS, `must have at least ${SCIM_TOKEN_MIN_CHARS} characters`)
    .optional()
    .register(notes, {
      description:
        "Secret with which an identity provider creates, changes and disables users, at `PUBLIC_URL/scim/v2`. It gives access to every account. " +
        "`openssl rand -hex 32` creates one.",
      defaultText: "no provisioning",
      example: "replace-me-by-32-or-more-random-characters",
      secret: true,
    }),
  SCIM_OIDC_PROVIDER: z
    .string()
    .optional()
    .register(notes, {
      description:
        "Single sign-on provider that has `SCIM_TOKEN`: its logins find accounts by the `externalId` that it has sent. `default` is the one of " +
        "`OIDC_ISSUER`; others are named by their id in `OIDC_PROVIDERS` or `SAML_PROVIDERS`.",
      defaultText: "logins find accounts by verified addresses only",
      example: "default",
    }),
};

const LDAP_FILTER_RULE = "must be a filter in parentheses with {name}, such as (uid={name})";
/** Defaults fit OpenLDAP; the descriptions name what Active Directory calls it. */
export const directory = {
  LDAP_URL: ldapUrl.optional().register(notes, {
    description: "LDAP server whose users can log in with their passwords there.",
    defaultText: "no LDAP login",
    required: "with `LDAP_BASE_DN` or `LDAP_BIND_DN`",
    example: "ldaps://ldap.example.org",
  }),
  LDAP_STARTTLS: onOrOff.default(false).register(notes, {
    description:
      "Whether an `ldap://` connection is encrypted with STARTTLS. Production requires this or `ldaps://`.",
    example: "on",
  }),
  LDAP_BASE_DN: z.string().optional().register(notes, {
    description: "Entry below which users are searched.",
    required: "with `LDAP_URL`",
    example: "ou=people,dc=example,dc=org",
  }),
  LDAP_BIND_DN: z.string().optional().register(notes, {
    description: "Account that searches.",
    defaultText: "anonymous search",
    required: "with `LDAP_BIND_PASSWORD` or `LDAP_STARTTLS`",
    example: "cn=fanfare,dc=example,dc=org",
  }),
  LDAP_BIND_PASSWORD: z.string().optional().register(notes, {
    description: "Its password.",
    required: "with `LDAP_BIND_DN`",
    example: "the-password-of-the-search-account",
    secret: true,
  }),
  LDAP_FILTER: z
    .string()
    .regex(/^\(.*\{name\}.*\)$/s, LDAP_FILTER_RULE)
    .default("(|(uid={name})(mail={name}))")
    .register(notes, {
      description: "Finds the user of a typed name, and decides who can log in.",
      example: "(&(sAMAccountName={name})(memberOf=cn=chat,dc=example,dc=org))",
    }),
  LDAP_ADMIN_FILTER: z
    .string()
    .regex(/^\(.*\)$/s, "must be a filter in parentheses")
    .optional()
    .register(notes, {
      description:
        "Users who match it are admins of this server. A login with the directory's password makes the user an admin or takes the role away, " +
        "except from the last admin. Until then, open sessions and other ways to log in keep the role.",
      defaultText: "admins are only chosen here",
      example: "(memberOf=cn=chat-admins,dc=example,dc=org)",
    }),
  LDAP_ID_ATTRIBUTE: z.string().default("entryUUID").register(notes, {
    description: "Attribute that identifies a user and never changes. Active Directory: `objectGUID`.",
    example: "objectGUID",
  }),
  LDAP_USERNAME_ATTRIBUTE: z.string().default("uid").register(notes, {
    description: "Attribute with the username of new accounts.",
    example: "sAMAccountName",
  }),
  LDAP_NICKNAME_ATTRIBUTE: z.string().default("cn").register(notes, {
    description: "Attribute with the display name of new accounts.",
    example: "displayName",
  }),
  LDAP_EMAIL_ATTRIBUTE: z.string().default("mail").register(notes, {
    description: "Attribute with the address. It counts as verified, so users must not be able to change it.",
    example: "mail",
  }),
};

const { registration, mailDomains, requireSecondFactor, groupCreation, directMessages } =
  InstancePolicySchema.shape;

/** Access and user permissions. Each setting fixes a value of the instance policy, so admins can no longer change it. */
export const access = {
  REGISTRATION: oneOf(registration.options).optional().register(notes, {
    description:
      "Who can create an account. `open`: anyone. `invite`: people with an invite to a group. `closed`: only admins create accounts.",
    defaultText: "set by admins; `open` by default",
    example: "closed",
  }),
  GUESTS: onOrOff.optional().register(notes, {
    description: "Whether people can join as guests, without an account.",
    defaultText: "set by admins; `off` by default in production, `on` in development",
    example: "off",
  }),
  MAIL_DOMAINS: list.pipe(z.array(mailDomains.element)).optional().register(notes, {
    description:
      "Allowed email domains, separated by commas. New accounts need a verified address in one of them.",
    defaultText: "set by admins; any or no address by default",
    example: "example.org,example.com",
  }),
  OIDC_ONLY: onOrOff.optional().register(notes, {
    description:
      "Whether single sign-on (OpenID Connect or SAML) is the only way to log in. If the provider fails, set it to `off` to log in with passwords.",
    defaultText: "set by admins; `off` by default",
    example: "on",
  }),
  REQUIRE_SECOND_FACTOR: oneOf(requireSecondFactor.options)
    .optional()
    .register(notes, {
      description:
        "Who must set up two-step verification before they can do anything else: `admins`, `accounts` (all users with an account) or `off`. " +
        "Users who log in with single sign-on or a passkey are exempt.",
      defaultText: "set by admins; `off` by default",
      example: "admins",
    }),
  SESSION_MAX_HOURS: wholeNumber(1, LIMITS.sessionMaxHours).optional().register(notes, {
    description: "Hours after which users must log in again. Guests and bots are exempt.",
    defaultText: "set by admins; no limit by default",
    example: "168",
  }),
  SESSION_IDLE_MINUTES: wholeNumber(LIMITS.sessionIdleMinMinutes, LIMITS.sessionIdleMaxMinutes)
    .optional()
    .register(notes, {
      description: "Minutes without use after which users must log in again. Guests and bots are exempt.",
      defaultText: "set by admins; 30 days without a visit by default",
      example: "480",
    }),
  GROUP_CREATION: oneOf(groupCreation.options).optional().register(notes, {
    description: "Who can create groups. `everyone` includes guests.",
    defaultText: "set by admins; `everyone` by default",
    example: "admins",
  }),
  DIRECTORY: onOrOff.optional().register(notes, {
    description:
      "Whether there is a directory of groups that all users can find and join. Only groups whose managers choose to be listed appear in it.",
    defaultText: "set by admins; `on` by default",
    example: "off",
  }),
  DIRECT_MESSAGES: oneOf(directMessages.options)
    .optional()
    .register(notes, {
      description:
        "Who can start a direct message with a user: `everyone`, `groupMates` (members of a shared group, and friends) or `friends`. Users can " +
        "restrict it further for themselves. Guests can only message members of shared groups. Existing conversations continue.",
      defaultText: "set by admins; `everyone` by default",
      example: "groupMates",
    }),
  USERS_PER_INSTANCE: wholeNumber(1).optional().register(notes, {
    description: "Maximum number of accounts and guests.",
    defaultText: "set by admins; no limit by default",
    example: "500",
  }),
  GROUPS_OWNED_PER_USER: wholeNumber(1, LIMITS.groupsPerUser).optional().register(notes, {
    description: "Maximum number of groups that a user can own.",
    defaultText: "set by admins; no limit by default",
    example: "5",
  }),
  MEMBERS_PER_GROUP: wholeNumber(1, LIMITS.membersPerGroup).optional().register(notes, {
    description: "Maximum number of members of a group.",
    defaultText: "set by admins; no limit by default",
    example: "1000",
  }),
  CHANNELS_PER_GROUP: wholeNumber(1, LIMITS.channelsPerGroup).optional().register(notes, {
    description: "Maximum number of channels and sections of a group.",
    defaultText: "set by admins; no limit by default",
    example: "50",
  }),
};

export const TOKEN_SECRET_MIN_CHARS = 32;

export const secrets = {
  TOKEN_SECRET: z
    .string()
    .min(TOKEN_SECRET_MIN_CHARS, `must have at least ${TOKEN_SECRET_MIN_CHARS} characters`)
    .optional()
    .register(notes, {
      description:
        "Secret that signs tokens and encrypts secrets in the database. It must be the same in all processes. `openssl rand -hex 32` creates one.",
      defaultText: "one is generated and stored in `DATA_DIR`",
      required: "in production, and with `NATS_URL`",
      example: "replace-me-by-32-or-more-random-characters",
      secret: true,
    }),
  TOKEN_SECRET_PREVIOUS: z.string().min(1).optional().register(notes, {
    description:
      "Previous value of `TOKEN_SECRET` during a change. Its tokens remain valid, and data encrypted with it can be read.",
    defaultText: "none",
    example: "what-token-secret-was-until-now",
    secret: true,
  }),
};

import { z } from "zod";
import { InstancePolicySchema, LIMITS } from "@fanfare/contract";
import { httpUrl, list, oneOf, onOrOff, serverUrl, wholeNumber } from "../values.ts";
import { notes } from "./notes.ts";

export const mail = {
  SMTP_URL: serverUrl(["smtp", "smtps"]).optional().register(notes, {
    description: "How mails go out.",
    otherwise: "none go out; in development they are shown in the log",
    required: "with `MAIL_FROM`",
    example: "smtp://user:password@mail.example.org:587",
    secret: true,
  }),
  MAIL_FROM: z.string().regex(/@/, "must have an e-mail address").optional().register(notes, {
    description: "Whom mails are from.",
    required: "with `SMTP_URL`",
    example: "Fanfare <chat@example.org>",
  }),
};

const WITH_VAPID = "with any of the settings `VAPID_*`";
export const push = {
  VAPID_PUBLIC_KEY: z.string().optional().register(notes, {
    description:
      "What browsers know the sender of pushes by. `npx web-push generate-vapid-keys` makes a pair.",
    otherwise: "no pushes; a single instance in development makes a pair",
    required: WITH_VAPID,
    example: "the-public-key-of-the-pair",
  }),
  VAPID_PRIVATE_KEY: z.string().optional().register(notes, {
    description: "The other of the pair. Who changes it ends every subscription.",
    required: WITH_VAPID,
    example: "the-private-key-of-the-pair",
    secret: true,
  }),
  VAPID_SUBJECT: z
    .string()
    .regex(/^(mailto:|https:\/\/)./, "must start with mailto: or https://")
    .optional()
    .register(notes, {
      description: "Where those who run push services reach those who run this instance.",
      required: WITH_VAPID,
      example: "mailto:admin@example.org",
    }),
};

const WITH_OIDC = "with any of the settings `OIDC_*`";
export const login = {
  OIDC_ISSUER: httpUrl.optional().register(notes, {
    description:
      "The OpenID Connect provider that people can log in by; https in production. Register `PUBLIC_URL/auth/oidc/callback` there.",
    otherwise: "nobody logs in by OpenID Connect",
    required: WITH_OIDC,
    example: "https://login.example.org",
  }),
  OIDC_CLIENT_ID: z.string().optional().register(notes, {
    description: "Who this instance is there.",
    required: WITH_OIDC,
    example: "fanfare",
  }),
  OIDC_CLIENT_SECRET: z.string().optional().register(notes, {
    description: "What it proves that with.",
    required: WITH_OIDC,
    example: "the-secret-that-the-provider-shows",
    secret: true,
  }),
};

const { registration, mailDomains, requireSecondFactor, groupCreation, directMessages } =
  InstancePolicySchema.shape;

/** Who gets in, and what people can do. Each sets a value of the instance's policy, which admins can then no longer change. */
export const access = {
  REGISTRATION: oneOf(registration.options).optional().register(notes, {
    description:
      "`open`: anyone can make an account. `invite`: those with an invite to a group. `closed`: only admins make accounts.",
    otherwise: "what admins set; `open` by default",
    example: "closed",
  }),
  GUESTS: onOrOff.optional().register(notes, {
    description: "Whether anyone can join as a guest, without an account.",
    otherwise: "what admins set; `off` by default in production, `on` in development",
    example: "off",
  }),
  MAIL_DOMAINS: list.pipe(z.array(mailDomains.element)).optional().register(notes, {
    description:
      "Domains, with commas in between: new accounts need a verified e-mail address in one of them.",
    otherwise: "what admins set; any or no address by default",
    example: "example.org,example.com",
  }),
  OIDC_ONLY: onOrOff.optional().register(notes, {
    description:
      "Whether OpenID Connect is the only way to log in: passwords are not accepted then. `off` is the way back in when the provider fails.",
    otherwise: "what admins set; `off` by default",
    example: "on",
  }),
  REQUIRE_SECOND_FACTOR: oneOf(requireSecondFactor.options)
    .optional()
    .register(notes, {
      description:
        "Who has to set up a second factor before they can do anything else: `admins`, `accounts` (all users with an account), or `off`. " +
        "Sessions opened by OpenID Connect are exempt: the provider is responsible for its second factor.",
      otherwise: "what admins set; `off` by default",
      example: "admins",
    }),
  GROUP_CREATION: oneOf(groupCreation.options).optional().register(notes, {
    description: "Who can create groups. `everyone`: guests too.",
    otherwise: "what admins set; `everyone` by default",
    example: "admins",
  }),
  DIRECT_MESSAGES: oneOf(directMessages.options)
    .optional()
    .register(notes, {
      description:
        "Who can open direct channels with a user: `everyone`, `groupMates` (members of a shared group, and friends), or `friends`. Users can " +
        "narrow it for themselves. Guests only reach members of shared groups. Existing channels stay.",
      otherwise: "what admins set; `everyone` by default",
      example: "groupMates",
    }),
  USERS_PER_INSTANCE: wholeNumber(1).optional().register(notes, {
    description: "How many accounts and guests the instance has at most.",
    otherwise: "what admins set; no limit by default",
    example: "500",
  }),
  GROUPS_OWNED_PER_USER: wholeNumber(1, LIMITS.groupsPerUser).optional().register(notes, {
    description: "How many groups one user owns at most.",
    otherwise: "what admins set; no limit by default",
    example: "5",
  }),
  MEMBERS_PER_GROUP: wholeNumber(1, LIMITS.membersPerGroup).optional().register(notes, {
    description: "How many members one group has at most.",
    otherwise: "what admins set; no limit by default",
    example: "1000",
  }),
  CHANNELS_PER_GROUP: wholeNumber(1, LIMITS.channelsPerGroup).optional().register(notes, {
    description: "How many channels and sections one group has at most.",
    otherwise: "what admins set; no limit by default",
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
        "What tokens are signed with, and secrets in the database sealed with; the same in every process. `openssl rand -hex 32` makes one.",
      otherwise: "one is made and kept in `DATA_DIR`",
      required: "in production, and with `NATS_URL`",
      example: "replace-me-by-32-or-more-random-characters",
      secret: true,
    }),
  TOKEN_SECRET_PREVIOUS: z.string().min(1).optional().register(notes, {
    description:
      "The one before, while it is being changed: tokens signed with it are good, and what is sealed with it can be read.",
    otherwise: "none",
    example: "what-token-secret-was-until-now",
    secret: true,
  }),
};

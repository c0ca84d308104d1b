import { InstancePolicySchema, LIMITS } from "@fanfare/contract";
import { z } from "zod";
import { list, oneOf, onOrOff, wholeNumber } from "../values.ts";
import { notes } from "./notes.ts";

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

import { InstancePolicySchema } from "@fanfare/contract";
import { z } from "zod";
import { list, oneOf, onOrOff } from "../values.ts";
import { notes } from "./notes.ts";

const { registration, mailDomains, groupCreation, directMessages } = InstancePolicySchema.shape;

/** Who gets in, and what people can do. Each sets a value of the instance's policy, which admins can then no longer change. */
export const access = {
  REGISTRATION: oneOf(registration.options).optional().register(notes, {
    description:
      "`open`: anyone can make an account. `invite`: those with an invite to a group. `closed`: only admins make accounts.",
    otherwise: "what admins set; `open` at first",
    example: "closed",
  }),
  GUESTS: onOrOff.optional().register(notes, {
    description: "Whether anyone can join as a guest, without an account.",
    otherwise: "what admins set; `off` at first in production, `on` in development",
    example: "off",
  }),
  MAIL_DOMAINS: list.pipe(z.array(mailDomains.element)).optional().register(notes, {
    description:
      "Domains, with commas in between: new accounts need a verified e-mail address in one of them.",
    otherwise: "what admins set; any or no address at first",
    example: "example.org,example.com",
  }),
  OIDC_ONLY: onOrOff.optional().register(notes, {
    description:
      "Whether OpenID Connect is the only way to log in: passwords are not accepted then. `off` is the way back in when the provider fails.",
    otherwise: "what admins set; `off` at first",
    example: "on",
  }),
  GROUP_CREATION: oneOf(groupCreation.options).optional().register(notes, {
    description: "Who can create groups. `everyone`: guests too.",
    otherwise: "what admins set; `everyone` at first",
    example: "admins",
  }),
  DIRECT_MESSAGES: oneOf(directMessages.options)
    .optional()
    .register(notes, {
      description:
        "Who can open direct channels with a user: `everyone`, `groupMates` (members of a shared group, and friends), or `friends`. Users can " +
        "narrow it for themselves. Guests only reach members of shared groups. Existing channels stay.",
      otherwise: "what admins set; `everyone` at first",
      example: "groupMates",
    }),
};

import { z } from "zod";
import { internal } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";

const text = z.string().max(LIMITS.scimTextMaxChars);
/** null: the provider has none. */
const optionalText = text.nullable();

const attributes = {
  userName: text.min(1).describe("the name at the provider, often an email address; not the username here"),
  externalId: optionalText.describe("the id at the provider"),
  displayName: optionalText,
  givenName: optionalText,
  familyName: optionalText,
  formattedName: optionalText,
  email: e.email.nullable().describe("counts as verified"),
  active: z.boolean(),
};
const provisionedUser = z.object({ ...attributes, id: e.id, createdAt: e.time });
const changes = z.object(attributes).partial();

const oneUser = z.object({ user: provisionedUser });
const filter = z.object({
  attribute: z.enum(["id", "userName", "externalId", "email", "active"]),
  value: z.union([text, z.boolean()]),
});

export type ProvisionedUser = z.output<typeof provisionedUser>;
export type ProvisionedChanges = z.output<typeof changes>;
export type ProvisionedFilter = z.output<typeof filter>;

const NAME_ERRORS = ["USERNAME_TAKEN", "EMAIL_TAKEN", "EMAIL_DOMAIN_NOT_ALLOWED"] as const;
const DISABLE_ERRORS = ["USER_NOT_FOUND", "LAST_ADMIN"] as const;

const newUser = changes.required({ userName: true });
const provisioned = oneUser.extend({ connected: z.boolean().describe("false: the account was created") });
const NEW_USER_ERRORS = [...NAME_ERRORS, "LIMIT_REACHED"] as const;
const changedUser = e.ofUser.extend(changes.shape);
const byProvider = { address: z.string().describe("the provider's IP address, for the audit log") };

/** Accounts that an identity provider creates and changes by SCIM. */
export const userActions = {
  getProvisioned: internal({
    summary: "An account as the identity provider sees it.",
    params: e.ofUser,
    result: oneUser,
    errors: ["USER_NOT_FOUND"],
  }),
  listProvisioned: internal({
    summary: "A page of accounts that match all filters, oldest first.",
    params: z.object({
      filters: z.array(filter).max(LIMITS.scimFilters),
      offset: z.int().min(0),
      limit: z.int().min(0).max(LIMITS.pageMaxItems),
    }),
    result: z.object({ users: z.array(provisionedUser), total: z.int() }),
  }),
  provision: internal({
    summary:
      "Create an account without a password, or connect the one that has verified the same address and isn't connected.",
    params: newUser,
    result: provisioned,
    errors: NEW_USER_ERRORS,
  }),
  updateProvisioned: internal({
    summary: "Change what the identity provider knows of an account, except whether it is active.",
    params: changedUser.omit({ active: true }),
    result: oneUser,
    errors: ["USER_NOT_FOUND", ...NAME_ERRORS],
  }),
  releaseProvisioned: internal({
    summary: "Hide an account from the identity provider.",
    params: e.ofUser,
    errors: ["USER_NOT_FOUND"],
  }),
};

/** Recorded in the audit log. */
export const adminActions = {
  provisionUser: internal({
    summary: "Like user.provision, by an identity provider.",
    params: newUser.extend(byProvider),
    result: provisioned,
    errors: NEW_USER_ERRORS,
  }),
  updateProvisionedUser: internal({
    summary:
      "Like user.updateProvisioned, by an identity provider. It can also disable and enable the account.",
    params: changedUser.extend(byProvider),
    result: oneUser,
    errors: [...DISABLE_ERRORS, ...NAME_ERRORS],
  }),
  deprovisionUser: internal({
    summary:
      "Disable an account that was deleted at the identity provider, and hide it there. Its messages stay.",
    params: e.ofUser.extend(byProvider),
    errors: DISABLE_ERRORS,
  }),
};

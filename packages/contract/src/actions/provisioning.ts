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

const groupAttributes = {
  displayName: text.min(1),
  externalId: optionalText.describe("the id at the provider"),
};
const userIds = z.array(e.id).max(LIMITS.scimMembers);
const memberChanges = z.object({
  keep: z.boolean().describe("whether members that aren't named stay"),
  add: userIds,
  remove: userIds,
});
const provisionedGroup = z.object({
  ...groupAttributes,
  id: e.id,
  createdAt: e.time,
  members: z
    .array(z.object({ id: e.id, displayName: z.string() }))
    .nullable()
    .describe("null if they weren't asked for"),
});
const groupFilter = z.object({
  attribute: z.enum(["id", "displayName", "externalId", "member"]),
  value: text,
});
const ofProvisionedGroup = z.object({ groupId: e.id });
const changedGroup = z.object({
  ...z.object(groupAttributes).partial().shape,
  members: memberChanges,
});
const newGroup = changedGroup.required({ displayName: true });
const roles = z
  .array(e.ofUser.extend({ admin: z.boolean() }))
  .describe("users whose admin role differs from what the provider's groups say");
const savedGroup = z.object({
  group: provisionedGroup.nullable().describe("null: another one has the displayName or externalId"),
});
const savedWithRoles = savedGroup.extend({ roles });

export type ProvisionedGroup = z.output<typeof provisionedGroup>;
export type ProvisionedGroupChanges = z.output<typeof changedGroup>;
export type ProvisionedGroupFilter = z.output<typeof groupFilter>;

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
  isProvisionedAdmin: internal({
    summary: "Whether an account is in a group of the identity provider whose members are admins.",
    params: e.ofUser,
    result: z.object({ admin: z.boolean() }),
  }),
  getProvisionedGroup: internal({
    summary: "A group of the identity provider.",
    params: ofProvisionedGroup.extend({ withMembers: z.boolean() }),
    result: z.object({ group: provisionedGroup }),
    errors: ["GROUP_NOT_FOUND"],
  }),
  listProvisionedGroups: internal({
    summary: "A page of groups of the identity provider that match all filters, oldest first.",
    params: z.object({
      filters: z.array(groupFilter).max(LIMITS.scimFilters),
      offset: z.int().min(0),
      limit: z.int().min(0).max(LIMITS.pageMaxItems),
      withMembers: z.boolean(),
    }),
    result: z.object({ groups: z.array(provisionedGroup), total: z.int() }),
  }),
  provisionGroup: internal({
    summary: "Create a group of the identity provider.",
    params: newGroup,
    result: savedWithRoles,
  }),
  updateProvisionedGroup: internal({
    summary: "Change a group of the identity provider and its members.",
    params: changedGroup.extend(ofProvisionedGroup.shape),
    result: savedWithRoles,
    errors: ["GROUP_NOT_FOUND"],
  }),
  removeProvisionedGroup: internal({
    summary: "Delete a group of the identity provider. Its members stay.",
    params: ofProvisionedGroup,
    result: z.object({ roles }),
    errors: ["GROUP_NOT_FOUND"],
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
  provisionGroup: internal({
    summary: "Like user.provisionGroup, by an identity provider. Makes members of groups of admins admins.",
    params: newGroup.extend(byProvider),
    result: savedGroup,
  }),
  updateProvisionedGroup: internal({
    summary: "Like user.updateProvisionedGroup, by an identity provider. Members get or lose the admin role.",
    params: changedGroup.extend(ofProvisionedGroup.shape).extend(byProvider),
    result: savedGroup,
    errors: ["GROUP_NOT_FOUND"],
  }),
  deprovisionGroup: internal({
    summary: "Like user.removeProvisionedGroup, by an identity provider. Members lose the admin role.",
    params: ofProvisionedGroup.extend(byProvider),
    errors: ["GROUP_NOT_FOUND"],
  }),
};

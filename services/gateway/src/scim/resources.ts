import type { ProvisionedGroup, ProvisionedUser } from "@fanfare/contract";
import { SCIM_PAGE_MAX_ITEMS } from "../constants.ts";
import { GROUP_SCHEMA, USER_SCHEMA } from "./filter.ts";

const CORE = "urn:ietf:params:scim:schemas:core:2.0";
const LIST = "urn:ietf:params:scim:api:messages:2.0:ListResponse";

export function listOf(resources: readonly object[], totalResults: number, startIndex = 1) {
  return {
    schemas: [LIST],
    totalResults,
    startIndex,
    itemsPerPage: resources.length,
    Resources: resources,
  };
}

/** @param base `PUBLIC_URL/scim/v2` */
export function presentUser(base: string, user: ProvisionedUser) {
  const { id, userName, externalId, displayName, email, active, createdAt } = user;
  const name = {
    ...(user.formattedName !== null && { formatted: user.formattedName }),
    ...(user.givenName !== null && { givenName: user.givenName }),
    ...(user.familyName !== null && { familyName: user.familyName }),
  };
  return {
    schemas: [USER_SCHEMA],
    id,
    ...(externalId !== null && { externalId }),
    userName,
    displayName,
    ...(Object.keys(name).length > 0 && { name }),
    emails: email === null ? [] : [{ value: email, type: "work", primary: true }],
    active,
    meta: { resourceType: "User", created: createdAt, location: `${base}/Users/${id}` },
  };
}

/** @param base `PUBLIC_URL/scim/v2` */
export function presentGroup(
  base: string,
  { id, displayName, externalId, members, createdAt }: ProvisionedGroup,
) {
  return {
    schemas: [GROUP_SCHEMA],
    id,
    ...(externalId !== null && { externalId }),
    displayName,
    ...(members !== null && {
      members: members.map((member) => ({
        value: member.id,
        display: member.displayName,
        type: "User",
        $ref: `${base}/Users/${member.id}`,
      })),
    }),
    meta: { resourceType: "Group", created: createdAt, location: `${base}/Groups/${id}` },
  };
}

const meta = (base: string, resourceType: string, path: string) => ({
  meta: { resourceType, location: `${base}/${path}` },
});

export const providerConfig = (base: string) => ({
  schemas: [`${CORE}:ServiceProviderConfig`],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: SCIM_PAGE_MAX_ITEMS },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: false },
  authenticationSchemes: [
    {
      type: "oauthbearertoken",
      name: "Bearer token",
      description: "The value of SCIM_TOKEN in the Authorization header.",
      primary: true,
    },
  ],
  ...meta(base, "ServiceProviderConfig", "ServiceProviderConfig"),
});

const resourceType = (base: string, name: "User" | "Group", schema: string) => ({
  schemas: [`${CORE}:ResourceType`],
  id: name,
  name,
  endpoint: `/${name}s`,
  schema,
  ...meta(base, "ResourceType", `ResourceTypes/${name}`),
});

export const resourceTypes = (base: string) => [
  resourceType(base, "User", USER_SCHEMA),
  resourceType(base, "Group", GROUP_SCHEMA),
];

const attribute = (name: string, description: string, more: object = {}) => ({
  name,
  type: "string",
  multiValued: false,
  description,
  required: false,
  caseExact: false,
  mutability: "readWrite",
  returned: "default",
  uniqueness: "none",
  ...more,
});

const userSchema = (base: string) => ({
  schemas: [`${CORE}:Schema`],
  id: USER_SCHEMA,
  name: "User",
  description: "An account.",
  attributes: [
    attribute("userName", "The name at the identity provider.", { required: true, uniqueness: "server" }),
    attribute("displayName", "The nickname that others see."),
    attribute("name", "Used as the nickname if there is no displayName.", {
      type: "complex",
      subAttributes: [
        attribute("formatted", "The full name."),
        attribute("givenName", "The given name."),
        attribute("familyName", "The family name."),
      ],
    }),
    attribute(
      "emails",
      "One address is kept: the primary one, otherwise that of type work. It counts as verified.",
      {
        type: "complex",
        multiValued: true,
        subAttributes: [
          attribute("value", "The address.", { uniqueness: "server" }),
          attribute("type", "Always work."),
          attribute("primary", "Always true.", { type: "boolean" }),
        ],
      },
    ),
    attribute("active", "false ends all sessions and blocks logging in.", { type: "boolean" }),
  ],
  ...meta(base, "Schema", `Schemas/${USER_SCHEMA}`),
});

const groupSchema = (base: string) => ({
  schemas: [`${CORE}:Schema`],
  id: GROUP_SCHEMA,
  name: "Group",
  description: "A group at the identity provider. The members of some are admins.",
  attributes: [
    attribute("displayName", "The name at the identity provider.", { required: true, uniqueness: "server" }),
    attribute("members", "The users in the group.", {
      type: "complex",
      multiValued: true,
      subAttributes: [
        attribute("value", "The id of a user.", { mutability: "immutable" }),
        attribute("display", "The nickname of the user.", { mutability: "readOnly" }),
        attribute("type", "Always User.", { mutability: "immutable" }),
        attribute("$ref", "The address of the user.", { type: "reference", referenceTypes: ["User"] }),
      ],
    }),
  ],
  ...meta(base, "Schema", `Schemas/${GROUP_SCHEMA}`),
});

export const schemas = (base: string) => [userSchema(base), groupSchema(base)];

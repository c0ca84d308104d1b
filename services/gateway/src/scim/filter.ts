import { LIMITS, type ProvisionedFilter, type ProvisionedGroupFilter } from "@fanfare/contract";
import { SCIM_FILTER_MAX_CHARS, SCIM_PAGE_MAX_ITEMS } from "../constants.ts";
import { badRequest, notFound } from "./scim-error.ts";

export const USER_SCHEMA = "urn:ietf:params:scim:schemas:core:2.0:User";
export const GROUP_SCHEMA = "urn:ietf:params:scim:schemas:core:2.0:Group";
const PREFIX = new RegExp(`^(?:${USER_SCHEMA}|${GROUP_SCHEMA}):`.toLowerCase());

/** Attributes by their lower-case names: attribute names of SCIM are case-insensitive. */
type Attributes<A extends string> = Readonly<Record<string, A>>;
const USER_ATTRIBUTES: Attributes<ProvisionedFilter["attribute"]> = {
  id: "id",
  username: "userName",
  externalid: "externalId",
  active: "active",
  emails: "email",
  "emails.value": "email",
};
const GROUP_ATTRIBUTES: Attributes<ProvisionedGroupFilter["attribute"]> = {
  id: "id",
  displayname: "displayName",
  externalid: "externalId",
  members: "member",
  "members.value": "member",
};

/** A condition: attribute, operator, and a JSON string or a word. Strings are matched as a whole, without backtracking. */
const CONDITION =
  /^\s*([\w.:$-]+(?:\[[^\]"]*"[^"\]]*"\s*\](?:\.\w+)?)?)\s+(\w+)\s+("(?:[^"\\]|\\.)*"|[^\s"]+)/;
const AND = /^\s+and\s+/i;

/** The name of an attribute in lower case, without the schema of users or groups. */
export function plainName(name: string): string {
  return name.toLowerCase().replace(PREFIX, "");
}

interface Condition<A extends string> {
  attribute: A;
  value: string;
}

/** @throws {ScimError} invalidFilter */
export const parseUserFilter = (text: string): ProvisionedFilter[] =>
  parseFilter(text, USER_ATTRIBUTES, "userName, externalId, emails.value, id and active").map((condition) =>
    condition.attribute === "active"
      ? { ...condition, value: booleanOf(condition.value) }
      : textOf(condition),
  );

/** @throws {ScimError} invalidFilter */
export const parseGroupFilter = (text: string): ProvisionedGroupFilter[] =>
  parseFilter(text, GROUP_ATTRIBUTES, "displayName, externalId, members.value and id").map(textOf);

/** Parses conditions with `eq`, joined by `and`: what identity providers send. */
function parseFilter<A extends string>(
  text: string,
  attributes: Attributes<A>,
  names: string,
): Condition<A>[] {
  const unsupported = () =>
    badRequest(
      "invalidFilter",
      `Filters can compare ${names} with eq, and join up to ${LIMITS.scimFilters} conditions with and.`,
    );
  if (text.length > SCIM_FILTER_MAX_CHARS)
    throw badRequest("invalidFilter", `A filter must have at most ${SCIM_FILTER_MAX_CHARS} characters.`);
  const filters: Condition<A>[] = [];
  let rest = text;
  do {
    const [matched = "", name = "", operator = "", value = ""] = CONDITION.exec(rest) ?? [];
    rest = rest.slice(matched.length);
    const attribute = attributeOf(name, attributes);
    if (attribute === undefined || operator.toLowerCase() !== "eq" || filters.length === LIMITS.scimFilters)
      throw unsupported();
    filters.push({ attribute, value });
    const [and] = AND.exec(rest) ?? [];
    if (and === undefined) break;
    rest = rest.slice(and.length);
  } while (rest !== "");
  if (rest.trim() !== "") throw unsupported();
  return filters;
}

function attributeOf<A extends string>(name: string, attributes: Attributes<A>): A | undefined {
  // Users have one address here, so its type doesn't matter.
  const plain = plainName(name).replace(
    /^emails\[\s*(?:type\s+eq\s+"work"|primary\s+eq\s+"true")\s*\]/,
    "emails",
  );
  return Object.hasOwn(attributes, plain) ? attributes[plain] : undefined;
}

function booleanOf(text: string): boolean {
  const [, word = ""] = /^"?(true|false)"?$/i.exec(text) ?? [];
  if (word === "") throw badRequest("invalidFilter", "active must be compared with true or false.");
  return word.toLowerCase() === "true";
}

function textOf<A extends string>({ attribute, value: text }: Condition<A>): Condition<A> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "string" && value.length <= LIMITS.scimTextMaxChars) return { attribute, value };
  } catch {
    // Reported below.
  }
  throw badRequest("invalidFilter", `${attribute} must be compared with a string in double quotes.`);
}

export interface Page {
  Querystring: { filter?: unknown; startIndex?: unknown; count?: unknown };
}

/**
 * What a list is asked for.
 * @throws {ScimError} invalidFilter, invalidValue
 */
export function pageOf({ filter, startIndex, count }: Page["Querystring"]) {
  if (filter !== undefined && typeof filter !== "string")
    throw badRequest("invalidFilter", "filter must be given once.");
  return {
    filter,
    offset: Math.max(1, numberOf("startIndex", startIndex, 1)) - 1,
    limit: Math.min(SCIM_PAGE_MAX_ITEMS, Math.max(0, numberOf("count", count, SCIM_PAGE_MAX_ITEMS))),
  };
}

/** @throws {ScimError} 404 */
export function idOf(id: string): string {
  if (!/^[0-9a-f]{24}$/.test(id)) throw notFound();
  return id;
}

/** @throws {ScimError} invalidValue */
function numberOf(name: string, given: unknown, byDefault: number): number {
  if (given === undefined) return byDefault;
  const number = Number(given);
  if (typeof given !== "string" || !/^-?\d{1,9}$/.test(given))
    throw badRequest("invalidValue", `${name} must be a whole number.`);
  return number;
}

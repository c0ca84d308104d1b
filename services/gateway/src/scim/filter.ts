import { LIMITS, type ProvisionedFilter } from "@fanfare/contract";
import { SCIM_FILTER_MAX_CHARS } from "./constants.ts";
import { badRequest } from "./scim-error.ts";

export const USER_SCHEMA = "urn:ietf:params:scim:schemas:core:2.0:User";
const PREFIX = `${USER_SCHEMA}:`.toLowerCase();

/** Attributes by their lower-case names: attribute names of SCIM are case-insensitive. */
const ATTRIBUTES: Readonly<Record<string, ProvisionedFilter["attribute"]>> = {
  id: "id",
  username: "userName",
  externalid: "externalId",
  active: "active",
  emails: "email",
  "emails.value": "email",
};

/** A condition: attribute, operator, and a JSON string or a word. Strings are matched as a whole, without backtracking. */
const CONDITION =
  /^\s*([\w.:$-]+(?:\[[^\]"]*"[^"\]]*"\s*\](?:\.\w+)?)?)\s+(\w+)\s+("(?:[^"\\]|\\.)*"|[^\s"]+)/;
const AND = /^\s+and\s+/i;

/** The name of an attribute in lower case, without the schema of users. */
export function plainName(name: string): string {
  const lower = name.toLowerCase();
  return lower.startsWith(PREFIX) ? lower.slice(PREFIX.length) : lower;
}

/**
 * Parses conditions with `eq`, joined by `and`: what identity providers send.
 * @throws {ScimError} invalidFilter
 */
export function parseFilter(text: string): ProvisionedFilter[] {
  if (text.length > SCIM_FILTER_MAX_CHARS)
    throw badRequest("invalidFilter", `A filter must have at most ${SCIM_FILTER_MAX_CHARS} characters.`);
  const filters: ProvisionedFilter[] = [];
  let rest = text;
  do {
    const [matched = "", name = "", operator = "", value = ""] = CONDITION.exec(rest) ?? [];
    rest = rest.slice(matched.length);
    const attribute = attributeOf(name);
    if (attribute === undefined || operator.toLowerCase() !== "eq" || filters.length === LIMITS.scimFilters)
      throw unsupported();
    filters.push({ attribute, value: valueOf(attribute, value) });
    const [and] = AND.exec(rest) ?? [];
    if (and === undefined) break;
    rest = rest.slice(and.length);
  } while (rest !== "");
  if (rest.trim() !== "") throw unsupported();
  return filters;
}

const attributeOf = (name: string): ProvisionedFilter["attribute"] | undefined => {
  // Users have one address here, so its type doesn't matter.
  const plain = plainName(name).replace(
    /^emails\[\s*(?:type\s+eq\s+"work"|primary\s+eq\s+"true")\s*\]/,
    "emails",
  );
  return Object.hasOwn(ATTRIBUTES, plain) ? ATTRIBUTES[plain] : undefined;
};

function valueOf(attribute: ProvisionedFilter["attribute"], text: string): string | boolean {
  if (attribute === "active") {
    const [, word = ""] = /^"?(true|false)"?$/i.exec(text) ?? [];
    if (word === "") throw badRequest("invalidFilter", "active must be compared with true or false.");
    return word.toLowerCase() === "true";
  }
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "string" && value.length <= LIMITS.scimTextMaxChars) return value;
  } catch {
    // Reported below.
  }
  throw badRequest("invalidFilter", `${attribute} must be compared with a string in double quotes.`);
}

const unsupported = () =>
  badRequest(
    "invalidFilter",
    `Filters can compare userName, externalId, emails.value, id and active with eq, and join up to ${LIMITS.scimFilters} conditions with and.`,
  );

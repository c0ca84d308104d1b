import type { ProvisionedChanges } from "@fanfare/contract";
import { SCIM_MAX_OPERATIONS } from "../constants.ts";
import { plainName } from "./filter.ts";
import { badRequest } from "./scim-error.ts";

type Fields = Record<string, unknown>;
type TextName = Exclude<keyof ProvisionedChanges, "active" | "email">;

const TEXTS: Readonly<Record<string, TextName>> = {
  username: "userName",
  externalid: "externalId",
  displayname: "displayName",
  "name.givenname": "givenName",
  "name.familyname": "familyName",
  "name.formatted": "formattedName",
};
/** Those that have another name in SCIM than in the contract. */
const NAMES: Partial<Record<TextName, string>> = {
  givenName: "name.givenName",
  familyName: "name.familyName",
  formattedName: "name.formatted",
};
const REQUIRED: Readonly<Record<string, string>> = { username: "userName", active: "active" };
/** Paths of the one address that is stored, and of any other. */
const WORK_EMAIL = /^emails\[\s*(?:type\s+eq\s+"work"|primary\s+eq\s+"?true"?)\s*\](?:\.value)?$/;
const OTHER_EMAIL = /^emails\[/;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * The attributes in the body of a POST or PUT. Unknown attributes are ignored, as is `password`: these users sign in at the
 * provider.
 * @throws {ScimError} invalidSyntax, invalidValue
 */
export function changesOfResource(body: unknown): ProvisionedChanges & { userName: string } {
  if (!isFields(body)) throw badRequest("invalidSyntax", "The body must be a JSON object.");
  const changes: ProvisionedChanges = {};
  for (const [name, value] of Object.entries(body)) apply(changes, plainName(name), value);
  const { userName } = changes;
  if (userName === undefined) throw badRequest("invalidValue", "userName is required.");
  return { ...changes, userName };
}

/**
 * The attributes that a PATCH changes. Entra ID capitalizes their names, sends booleans as text, and attributes without a path as
 * an object whose keys can be paths.
 * @throws {ScimError} invalidSyntax, invalidPath, invalidValue
 */
export function changesOfPatch(body: unknown): ProvisionedChanges {
  const changes: ProvisionedChanges = {};
  for (const { kind, path, value } of operationsOf(body))
    apply(changes, path, kind === "remove" ? null : value, kind === "add");
  return changes;
}

interface Operation {
  kind: "add" | "replace" | "remove";
  /** In lower case, without the schema. */
  path: string;
  value: unknown;
}

/** The operations of a PATCH, with one for each attribute. */
export function* operationsOf(body: unknown): Iterable<Operation> {
  const operations = isFields(body)
    ? Object.entries(body).find(([name]) => /^operations$/i.test(name))?.[1]
    : null;
  if (!Array.isArray(operations) || operations.length === 0 || operations.length > SCIM_MAX_OPERATIONS)
    throw badRequest("invalidSyntax", `Operations must be a list of 1 to ${SCIM_MAX_OPERATIONS} operations.`);
  for (const operation of operations as unknown[]) {
    const { op, path, value } = isFields(operation) ? operation : {};
    const kind = typeof op === "string" ? op.toLowerCase() : "";
    if (kind !== "add" && kind !== "replace" && kind !== "remove")
      throw badRequest("invalidSyntax", "op must be add, replace or remove.");
    if (path !== undefined && path !== null && typeof path !== "string")
      throw badRequest("invalidPath", "path must be a string.");
    if (typeof path === "string" && path !== "") {
      yield { kind, path: plainName(path.trim()), value };
    } else {
      if (kind === "remove") throw badRequest("invalidPath", "remove needs a path.");
      if (!isFields(value)) throw badRequest("invalidValue", "Without a path, value must be an object.");
      for (const [name, part] of Object.entries(value)) yield { kind, path: plainName(name), value: part };
    }
  }
}

/**
 * A text, or null. Some providers send an empty string to remove a value.
 * @throws {ScimError} that names the attribute and what was sent instead
 */
export function textOf(name: string, value: unknown): string | null {
  if (value !== null && typeof value !== "string")
    throw badRequest("invalidValue", `${name} must be a string, not ${kindOf(value)}.`);
  return value === "" ? null : value;
}

function kindOf(value: unknown): string {
  if (value === undefined) return "absent";
  if (Array.isArray(value)) return "a list";
  return value !== null && typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/**
 * @param value null removes the attribute
 * @param isAdded whether it leaves other values of the attribute in place
 */
function apply(changes: ProvisionedChanges, path: string, value: unknown, isAdded = false): void {
  if (value === null && Object.hasOwn(REQUIRED, path))
    throw badRequest("invalidValue", `${REQUIRED[path]} can't be removed.`);
  if (Object.hasOwn(TEXTS, path)) {
    const name = TEXTS[path]!;
    const text = textOf(NAMES[name] ?? name, value);
    Object.assign(changes, { [name]: text === null && path === "username" ? "" : text });
  } else if (path === "active") changes.active = booleanOf(value);
  else if (path === "emails" || path === "emails.value") {
    const email = emailOf(value, isAdded);
    if (email !== undefined) changes.email = email;
  } else if (WORK_EMAIL.test(path)) changes.email = emailOf(value) ?? null;
  else if (OTHER_EMAIL.test(path) && !/\btype\s+eq\s/.test(path))
    throw badRequest("invalidPath", 'Emails can be selected with type eq "work" or primary eq true.');
  else if (path === "name") {
    const parts = value === null ? { givenName: null, familyName: null, formatted: null } : value;
    if (!isFields(parts)) throw badRequest("invalidValue", `name must be an object, not ${kindOf(parts)}.`);
    for (const [name, part] of Object.entries(parts)) apply(changes, `name.${name.toLowerCase()}`, part);
  }
}

function booleanOf(value: unknown): boolean {
  const text = typeof value === "string" ? value.toLowerCase() : value;
  if (text === true || text === "true") return true;
  if (text === false || text === "false") return false;
  throw badRequest("invalidValue", `active must be true or false, not ${kindOf(value)}.`);
}

const isPrimary = ({ primary }: Fields): boolean =>
  primary === true || (typeof primary === "string" && primary.toLowerCase() === "true");

/**
 * The primary address, otherwise that for work, otherwise the first.
 * @param isAdded an address of another type doesn't replace the one for work
 * @returns undefined when the one that is kept doesn't change
 */
function emailOf(value: unknown, isAdded = false): string | null | undefined {
  if (value === null || value === "") return null;
  const given: unknown[] = Array.isArray(value) ? value : [value];
  if (given.length === 0) return isAdded ? undefined : null;
  const emails: Fields[] = given.map((email) => (isFields(email) ? email : { value: email }));
  const other = isAdded ? emails.find(({ type }) => type === undefined) : emails[0];
  const chosen = emails.find(isPrimary) ?? emails.find(({ type }) => type === "work") ?? other;
  if (chosen === undefined) return undefined;
  return textOf("emails.value", chosen.value);
}

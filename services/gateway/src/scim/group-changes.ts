import { LIMITS, type ProvisionedGroupChanges } from "@fanfare/contract";
import { isFields, operationsOf, textOf } from "./changes.ts";
import { plainName } from "./filter.ts";
import { badRequest } from "./scim-error.ts";

const MEMBER = /^members\[\s*value\s+eq\s+"([^"]*)"\s*\]$/;
const EVERYONE = { keep: true, add: [], remove: [] };

/**
 * The attributes and members in the body of a POST or PUT. Unknown attributes are ignored.
 * @throws {ScimError} invalidSyntax, invalidValue
 */
export function changesOfGroup(body: unknown): ProvisionedGroupChanges & { displayName: string } {
  if (!isFields(body)) throw badRequest("invalidSyntax", "The body must be a JSON object.");
  const changes: ProvisionedGroupChanges = { members: { ...EVERYONE, keep: false } };
  for (const [name, value] of Object.entries(body)) apply(changes, "replace", plainName(name), value);
  const { displayName } = changes;
  if (displayName === undefined) throw badRequest("invalidValue", "displayName is required.");
  return { ...changes, displayName };
}

/**
 * What a PATCH changes. Entra ID and Okta add and remove single members; Okta also sends attributes without a path.
 * @throws {ScimError} invalidSyntax, invalidPath, invalidValue
 */
export function groupChangesOfPatch(body: unknown): ProvisionedGroupChanges {
  const changes: ProvisionedGroupChanges = { members: EVERYONE };
  for (const { kind, path, value } of operationsOf(body)) apply(changes, kind, path, value);
  return changes;
}

function apply(
  changes: ProvisionedGroupChanges,
  kind: "add" | "replace" | "remove",
  path: string,
  value: unknown,
): void {
  const [, member] = MEMBER.exec(path) ?? [];
  if (path === "displayname") {
    if (kind === "remove" || value === null)
      throw badRequest("invalidValue", "displayName can't be removed.");
    changes.displayName = textOf("displayName", value) ?? "";
  } else if (path === "externalid") {
    changes.externalId = kind === "remove" ? null : textOf("externalId", value);
  } else if (member !== undefined) {
    if (kind !== "remove") throw badRequest("invalidPath", "Only remove can select members with value eq.");
    changes.members = changed(changes.members, kind, [member]);
  } else if (path === "members") {
    const all = kind === "remove" && (value === undefined || value === null);
    changes.members = all
      ? changed(changes.members, "replace", [])
      : changed(changes.members, kind, idsOf(value));
  } else if (path.startsWith("members")) {
    throw badRequest("invalidPath", 'Members can be selected with members[value eq "<id>"].');
  }
}

/** The changes of several operations, one after the other. */
function changed(
  { keep, add, remove }: ProvisionedGroupChanges["members"],
  kind: "add" | "replace" | "remove",
  userIds: readonly string[],
): ProvisionedGroupChanges["members"] {
  const named = new Set(userIds);
  if (kind === "replace") return { keep: false, add: [...named], remove: [] };
  const others = { add: add.filter((id) => !named.has(id)), remove: remove.filter((id) => !named.has(id)) };
  return kind === "add"
    ? { keep, add: [...others.add, ...named], remove: others.remove }
    : // Users that aren't visible here can't be members.
      { keep, add: others.add, remove: [...others.remove, ...[...named].filter(isId)] };
}

const isId = (text: string): boolean => /^[0-9a-f]{24}$/.test(text);

function idsOf(value: unknown): string[] {
  if (value === null) return [];
  const given: unknown[] = Array.isArray(value) ? value : [value];
  if (given.length > LIMITS.scimMembers)
    throw badRequest("invalidValue", `members must have at most ${LIMITS.scimMembers} items.`);
  return given.map((member) => {
    const id = isFields(member) ? member.value : member;
    if (typeof id !== "string")
      throw badRequest("invalidValue", "members must be a list of objects with a value, the id of a user.");
    return id;
  });
}

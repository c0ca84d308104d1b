import {
  type ProvisionedGroup,
  type Services,
  LIMITS,
  type ProvisionedGroupChanges,
} from "@fanfare/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Calls } from "../calls.ts";
import { SCIM_GROUP_BODY_MAX_BYTES } from "../constants.ts";
import { idOf, type Page, pageOf, parseGroupFilter, plainName } from "./filter.ts";
import { listOf, presentGroup } from "./resources.ts";
import { ScimError, badRequest } from "./scim-error.ts";
import { isFields, operationsOf, textOf } from "./changes.ts";

interface OneGroup {
  Params: { id: string };
  Querystring: { excludedAttributes?: unknown; attributes?: unknown };
}

interface GroupRouteOptions {
  services: Services;
  calls: Calls;
  base: string;
  addressOf: (request: FastifyRequest) => string;
  send: (reply: FastifyReply, resource: object, status?: number) => FastifyReply;
}

/** `/Groups`: the members of some are admins here (`adminGroups` of the provider), all others have no effect. */
export function serveGroups(
  scope: FastifyInstance,
  { services, calls, base, addressOf, send }: GroupRouteOptions,
): void {
  const options = { bodyLimit: SCIM_GROUP_BODY_MAX_BYTES };
  const sendGroup = (reply: FastifyReply, group: ProvisionedGroup | null, status = 200): FastifyReply => {
    if (group === null) {
      const detail = "Another group has this displayName or externalId.";
      throw new ScimError(409, detail, { scimType: "uniqueness" });
    }
    const resource = presentGroup(base, group);
    return send(reply.header("location", resource.meta.location), resource, status);
  };

  scope.get<Page & OneGroup>("/Groups", async ({ query }, reply) => {
    const { filter, offset, limit } = pageOf(query);
    const { groups, total } = await services.user.listProvisionedGroups({
      filters: filter === undefined ? [] : parseGroupFilter(filter),
      offset,
      limit,
      withMembers: asksForMembers(query),
    });
    const resources = groups.map((group) => presentGroup(base, group));
    return send(reply, listOf(resources, total, offset + 1));
  });
  scope.post("/Groups", options, async (request, reply) => {
    const params = { ...changesOfGroup(request.body), address: addressOf(request) };
    const { group } = await calls.change(() => services.admin.provisionGroup(params));
    return sendGroup(reply, group, 201);
  });
  scope.get<OneGroup>("/Groups/:id", async ({ params, query }, reply) => {
    const asked = { groupId: idOf(params.id), withMembers: asksForMembers(query) };
    return sendGroup(reply, (await services.user.getProvisionedGroup(asked)).group);
  });
  scope.put<OneGroup>("/Groups/:id", options, async (request, reply) => {
    // A PUT removes an id that is left out.
    const changes = { externalId: null, ...changesOfGroup(request.body) };
    const params = { ...changes, groupId: idOf(request.params.id), address: addressOf(request) };
    return sendGroup(reply, (await calls.change(() => services.admin.updateProvisionedGroup(params))).group);
  });
  scope.patch<OneGroup>("/Groups/:id", options, async (request, reply) => {
    const changes = groupChangesOfPatch(request.body);
    const params = { ...changes, groupId: idOf(request.params.id), address: addressOf(request) };
    return sendGroup(reply, (await calls.change(() => services.admin.updateProvisionedGroup(params))).group);
  });
  scope.delete<OneGroup>("/Groups/:id", async (request, reply) => {
    const params = { groupId: idOf(request.params.id), address: addressOf(request) };
    await calls.change(() => services.admin.deprovisionGroup(params));
    return reply.code(204).send();
  });
}

/** Entra ID doesn't ask for them: they can be many. */
function asksForMembers({ attributes, excludedAttributes }: OneGroup["Querystring"]): boolean {
  // A parameter that is given twice is a list.
  const names = (value: unknown) => (typeof value === "string" ? value.toLowerCase().split(/\s*,\s*/) : []);
  if (names(excludedAttributes).includes("members")) return false;
  return attributes === undefined || names(attributes).some((name) => name.startsWith("members"));
}

const MEMBER = /^members\[\s*value\s+eq\s+"([^"]*)"\s*\]$/;
const EVERYONE = { keep: true, add: [], remove: [] };

/**
 * The attributes and members in the body of a POST or PUT. Unknown attributes are ignored.
 * @throws {ScimError} invalidSyntax, invalidValue
 */
function changesOfGroup(body: unknown): ProvisionedGroupChanges & { displayName: string } {
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
function groupChangesOfPatch(body: unknown): ProvisionedGroupChanges {
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

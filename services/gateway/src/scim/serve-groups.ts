import type { ProvisionedGroup, Services } from "@fanfare/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Calls } from "../calls.ts";
import { SCIM_GROUP_BODY_MAX_BYTES } from "./constants.ts";
import { idOf, type Page, pageOf, parseGroupFilter } from "./filter.ts";
import { changesOfGroup, groupChangesOfPatch } from "./group-changes.ts";
import { listOf, presentGroup } from "./resources.ts";
import { ScimError } from "./scim-error.ts";

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

import { ACTIONS, type ProvisionedChanges } from "@fanfare/contract";
import { hashSecret, matchesHash, serviceError, toServiceError } from "@fanfare/kernel";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { bearerToken, clientAddress } from "../identify.ts";
import type { RouteOptions } from "../http-server.ts";
import { API_HEADERS } from "../responses.ts";
import { changesOfPatch, changesOfResource } from "./changes.ts";
import { SCIM_RATE_LIMIT } from "../constants.ts";
import { idOf, type Page, pageOf, parseUserFilter } from "./filter.ts";
import { listOf, presentUser, providerConfig, resourceTypes, schemas } from "./resources.ts";
import { badRequest, notFound, ScimError, toScimError } from "./scim-error.ts";
import { serveGroups } from "./serve-groups.ts";

const PATH = "/scim/v2";
const TYPE = "application/scim+json; charset=utf-8";

interface OneUser {
  Params: { id: string };
}

/**
 * SCIM 2.0 (RFC 7643 and 7644), by which an identity provider creates, changes and disables users, and puts them into groups. The routes exist only with
 * `SCIM_TOKEN`.
 */
export async function serveScim(app: FastifyInstance, { node, calls, limits }: RouteOptions): Promise<void> {
  const { config, services, logger } = node;
  if (config.scimToken === undefined) return;
  const tokenHash = hashSecret(config.scimToken);
  const base = `${config.publicUrl}${PATH}`;
  const limiter = limits.exact("scim", SCIM_RATE_LIMIT);
  const addressOf = ({ raw }: FastifyRequest): string => clientAddress(raw, config.trustProxy);
  const send = (reply: FastifyReply, resource: object, status = 200): FastifyReply =>
    // A string: Fastify would validate the type of an object as JSON.
    reply.code(status).type(TYPE).send(JSON.stringify(resource));
  const sendUser = (reply: FastifyReply, user: Parameters<typeof presentUser>[1], status = 200) => {
    const resource = presentUser(base, user);
    return send(reply.header("location", resource.meta.location), resource, status);
  };
  const update = async (
    request: FastifyRequest,
    reply: FastifyReply,
    { userId, ...changes }: ProvisionedChanges & { userId: string },
  ) => {
    const params = { ...withoutInvalid(changes), userId, address: addressOf(request) };
    return sendUser(reply, (await calls.change(() => services.admin.updateProvisionedUser(params))).user);
  };

  await app.register(
    async (scope) => {
      const parseJson = app.getDefaultJsonParser("error", "error");
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser<string>(
        ["application/scim+json", "application/json"],
        { parseAs: "string" },
        (request, body, done) => {
          // Some providers send a content type with DELETE, but no body.
          if (body === "") done(null, undefined);
          else void parseJson(request, body, done);
        },
      );
      // Before the body is read, so that only the provider can cause work.
      scope.addHook("onRequest", async (request, reply) => {
        reply.headers({ ...API_HEADERS, "cache-control": "no-store" });
        const retryAfterMs = await limiter.take(addressOf(request), Date.now());
        if (retryAfterMs > 0) throw serviceError("RATE_LIMITED", { retryAfterMs });
        if (matchesHash(bearerToken(request) ?? "", tokenHash)) return;
        reply.header("www-authenticate", "Bearer");
        throw new ScimError(401, "The bearer token must be the value of SCIM_TOKEN.");
      });
      scope.setErrorHandler((thrown: unknown, request, reply) => {
        const found = ofFastify(thrown);
        const error = toScimError(found);
        if (!(found instanceof ScimError) && toServiceError(found).type === "INTERNAL")
          logger.error({ err: thrown, requestId: request.id }, "SCIM request failed");
        if (error.retryAfterMs !== undefined)
          reply.header("retry-after", Math.ceil(error.retryAfterMs / 1000));
        return send(reply, error, error.status);
      });

      scope.get("/ServiceProviderConfig", (_request, reply) => send(reply, providerConfig(base)));
      const described = [
        { path: "/ResourceTypes", all: resourceTypes(base) },
        { path: "/Schemas", all: schemas(base) },
      ];
      for (const { path, all } of described) {
        scope.get(path, (_request, reply) => send(reply, listOf(all, all.length)));
        for (const one of all)
          scope.get(`${path}/${one.id.replaceAll(":", "::")}`, (_request, reply) => send(reply, one));
      }
      serveGroups(scope, { services, calls, base, addressOf, send });

      scope.get<Page>("/Users", async ({ query }, reply) => {
        const { filter, offset, limit } = pageOf(query);
        const filters = filter === undefined ? [] : parseUserFilter(filter);
        const { users, total } = await services.user.listProvisioned({ filters, offset, limit });
        const resources = users.map((user) => presentUser(base, user));
        return send(reply, listOf(resources, total, offset + 1));
      });
      scope.post("/Users", async (request, reply) => {
        const params = { ...changesOfResource(request.body), address: addressOf(request) };
        const { user } = await calls.change(() => services.admin.provisionUser(params));
        return sendUser(reply, user, 201);
      });
      scope.get<OneUser>("/Users/:id", async ({ params }, reply) =>
        sendUser(reply, (await services.user.getProvisioned({ userId: idOf(params.id) })).user),
      );
      scope.put<OneUser>("/Users/:id", async (request, reply) => {
        const userId = idOf(request.params.id);
        // A PUT removes attributes that are left out, except those needed to log in.
        const changes = { ...WITHOUT_NAMES, ...changesOfResource(request.body) };
        return update(request, reply, { ...changes, userId });
      });
      scope.patch<OneUser>("/Users/:id", async (request, reply) => {
        const userId = idOf(request.params.id);
        return update(request, reply, { ...changesOfPatch(request.body), userId });
      });
      scope.delete<OneUser>("/Users/:id", async (request, reply) => {
        const params = { userId: idOf(request.params.id), address: addressOf(request) };
        await calls.change(() => services.admin.deprovisionUser(params));
        return reply.code(204).send();
      });
      scope.all("/*", () => {
        throw notFound();
      });
    },
    { prefix: PATH },
  );
}

const WITHOUT_NAMES = { displayName: null, givenName: null, familyName: null, formattedName: null } as const;

const { shape } = ACTIONS["user.updateProvisioned"].params;
const isValid = (name: string, value: unknown): boolean =>
  !Object.hasOwn(shape, name) || shape[name as keyof typeof shape].safeParse(value).success;

/** Users are disabled even if something else that the provider sends about them isn't valid. */
const withoutInvalid = (changes: ProvisionedChanges): ProvisionedChanges =>
  changes.active === false
    ? Object.fromEntries(Object.entries(changes).filter(([name, value]) => isValid(name, value)))
    : changes;

/** Fastify throws before a handler runs when a request can't be parsed. */
function ofFastify(thrown: unknown): unknown {
  const { statusCode } = thrown as { statusCode?: number };
  if (statusCode === 413) return new ScimError(413, "The request is too large.");
  if (statusCode === 415) return new ScimError(415, "The content type must be application/scim+json.");
  if (statusCode === 400) return badRequest("invalidSyntax", "The body is not valid JSON.");
  return thrown;
}

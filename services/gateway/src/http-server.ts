import type { IncomingMessage } from "node:http";
import type { Server, Socket } from "node:net";
import { actionDefinition, isActionName, LIMITS, PROTOCOL_VERSION, type Meta } from "@fanfare/contract";
import { accentShades } from "@fanfare/contract/accent";
import { createFileStorage } from "@fanfare/files";
import {
  PROGRAM_VERSION,
  runForRequest,
  serviceError,
  toServiceError,
  type NodeContext,
  type RateLimits,
  type ServiceError,
} from "@fanfare/kernel";
import type { Plugin } from "@fanfare/plugins";
import cors from "@fastify/cors";
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import {
  HTTP_HEADERS_TIMEOUT_MS,
  HTTP_TIMEOUT_CHECK_MS,
  UPLOAD_TIMEOUT_MS,
  HTTP_REQUEST_TIMEOUT_MS,
} from "./constants.ts";
import type { Calls } from "./calls.ts";
import {
  callerOf,
  clientAddress,
  hasForeignHost,
  type Identify,
  isAddress,
  isFromProxy,
  normalizeAddress,
} from "./identify.ts";
import type { ConnectionLimit } from "./connection-limit.ts";
import { createDeviceCookie } from "./device-cookie.ts";
import { API_HEADERS, commonHeaders, isSaneRequestId, nextRequestId, sendResponse } from "./responses.ts";
import { serveDocs, serveWebPage } from "./web-page.ts";
import { serveLiveKit, serveUnsubscribe } from "./inbound-routes.ts";
import { serveExports } from "./group-files/serve-exports.ts";
import { serveExportUploads, serveImports } from "./group-files/serve-imports.ts";
import { serveScim } from "./scim/serve-scim.ts";
import { serveFiles } from "./files/serve-files.ts";
import { servePlugins } from "./plugin-routes.ts";
import { serveSignOn } from "./sign-on-routes.ts";
import { serveWebhooks } from "./webhooks/serve-webhooks.ts";

/** What the routes need. */
export interface RouteOptions {
  node: NodeContext;
  calls: Calls;
  identify: Identify;
  limits: RateLimits;
  plugins: readonly Plugin[];
}

interface HttpServerOptions extends RouteOptions {
  /** Limit of TCP connections, shared with the other threads. */
  tcpLimit: ConnectionLimit;
  /** Called for each connection closed because of the limit. */
  onTooMany: () => void;
}

const CORS_MAX_AGE_S = 600;
async function metaOf({ config, policy }: NodeContext, plugins: readonly Plugin[]): Promise<Meta> {
  const { oidcOnly, registration, guests, mailDomains, groupCreation, directory } = await policy.get();
  const branding = await policy.branding();
  const { accentColor } = branding;
  const { hostname, origin } = new URL(config.publicUrl);
  return {
    name: "fanfare",
    version: PROGRAM_VERSION,
    protocolVersion: PROTOCOL_VERSION,
    oidcLogin: config.providers.length > 0,
    oidcProviders: config.providers.map(({ id, name }) => ({ id, name })),
    sendsMail: config.smtp !== undefined,
    passwordLogin: !oidcOnly,
    passkeyOrigin: isAddress(hostname) ? null : origin,
    registration,
    guests,
    mailDomains,
    groupCreation,
    directory,
    calls: config.livekit !== undefined,
    plugins: plugins.some(({ manifest: { page, commands } }) => page !== undefined || commands.length > 0),
    branding: { ...branding, accentShades: accentColor === null ? null : accentShades(accentColor) },
  };
}

/** Creates the server for the API and the page; it doesn't listen yet. */
export async function createHttpServer({
  tcpLimit,
  onTooMany,
  ...options
}: HttpServerOptions): Promise<FastifyInstance> {
  const { node, calls, identify } = options;
  const { config } = node;
  const failed = (error: ServiceError, request: FastifyRequest, reply: FastifyReply) =>
    sendResponse(reply, calls.refuse(error, request.id));
  const app = fastify({
    bodyLimit: LIMITS.httpBodyMaxBytes,
    // The maximum for any request; limitBodyTime allows less for everything but uploads.
    requestTimeout: UPLOAD_TIMEOUT_MS,
    http: {
      headersTimeout: HTTP_HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: HTTP_TIMEOUT_CHECK_MS,
    },
    requestIdHeader: false,
    genReqId: (request: IncomingMessage) => {
      const given = isFromProxy(request, config.trustProxy) ? request.headers["x-request-id"] : undefined;
      return isSaneRequestId(given) ? given : nextRequestId();
    },
    // Requests that the router can't parse: the path is too long or badly encoded.
    frameworkErrors: (_error, request, reply) => {
      failed(serviceError("MALFORMED_REQUEST"), request, reply);
    },
  });
  limitTcp(app.server, tcpLimit, onTooMany);

  const parseJson = app.getDefaultJsonParser("error", "error");
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<string>("application/json", { parseAs: "string" }, (request, body, done) => {
    // curl -X POST without a body is a call without parameters.
    if (body === "") done(null, {});
    else void parseJson(request, body, done);
  });

  await app.register(cors, {
    origin: [...config.corsOrigins],
    methods: ["GET", "POST"],
    exposedHeaders: ["x-request-id", "retry-after"],
    maxAge: CORS_MAX_AGE_S,
  });
  const common = commonHeaders(config);
  const ofApi = { ...common, ...API_HEADERS };
  app.addHook("onRequest", async (request, reply) => {
    reply.header("x-request-id", request.id).headers(request.url.startsWith("/api/") ? ofApi : common);
  });
  // In development the first user becomes admin, so pages of other sites must not be able to register.
  if (config.environment === "development" && isLoopback(config.host))
    app.addHook("onRequest", async (request, reply) => {
      if (!hasForeignHost(request.raw, config.publicUrl)) return;
      const refused = calls.refuse(serviceError("FORBIDDEN"), request.id);
      refused.error.message = `This instance is not reached as ${request.host}: set PUBLIC_URL to the address it has.`;
      return sendResponse(reply, refused);
    });
  // Action calls are counted separately.
  app.addHook("onRequest", async (request, reply) => {
    if (request.routeOptions.url === "/api/:action" && request.method === "POST") return;
    const address = clientAddress(request.raw, config.trustProxy);
    const isApi = request.url.startsWith("/api/") && request.method !== "OPTIONS";
    const refusal = isApi ? calls.checkRequest(address) : calls.checkPageRequest(address);
    if (refusal !== null) return failed(refusal, request, reply);
  });
  // The async context isn't kept while the body is read, so this can't be done earlier.
  app.addHook("preHandler", (request, _reply, done) => {
    runForRequest(request.id, `${request.method} ${request.routeOptions.url ?? ""}`, done, undefined);
  });
  limitBodyTime(app);
  app.setErrorHandler((error: unknown, request, reply) => failed(ofFastify(error), request, reply));

  // Before the route of the API, which opts out of the hooks for pages.
  await serveWebPage(app, node, (request, reply) =>
    failed(serviceError(namesAction(request.url) ? "MALFORMED_REQUEST" : "UNKNOWN_ACTION"), request, reply),
  );
  const devices = createDeviceCookie(node.sealerFor("device cookie"), config);
  app.get("/api/meta", () => metaOf(node, options.plugins));
  servePlugins(app, options.plugins, config.webDir);
  serveDocs(app, (request, bytes) =>
    calls.chargeResponse(clientAddress(request.raw, config.trustProxy), bytes),
  );
  await serveSignOn(app, options);
  const storage = await createFileStorage(config);
  app.addHook("onClose", async () => storage.close());
  await serveFiles(app, options, storage);
  serveExports(app, options);
  await serveImports(app, options);
  await serveExportUploads(app, options, storage);
  app.post<{ Params: { action: string } }>("/api/:action", { helmet: false }, async (request, reply) => {
    const { action } = request.params;
    // Public actions ignore the token: an expired one must not block the call that refreshes it.
    const caller = await callerOf(request, isPublic(action) ? null : identify, config);
    caller.knownDevice = (name) => devices.knownDevice(request, name);
    const response = await calls.answer("http", action, request.body ?? {}, caller);
    devices.remember(request, reply, action, response);
    return sendResponse(reply, response);
  });
  await serveWebhooks(app, options, storage);
  await serveScim(app, options);
  await serveLiveKit(app, options);
  await serveUnsubscribe(app, options);
  await app.ready();
  return app;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host.startsWith("127.");
}

/** Whether the URL is that of an action, for requests with the wrong method. */
function namesAction(url: string): boolean {
  const name = /^\/api\/([^/?]+)/.exec(url)?.[1] ?? "";
  return isActionName(name) && actionDefinition(name).transports.includes("http");
}

function isPublic(name: string): boolean {
  return isActionName(name) && actionDefinition(name).permission.rule === "public";
}

/** Fastify throws before a handler runs when a request can't be parsed. */
function ofFastify(error: unknown): ServiceError {
  const { statusCode } = error as { statusCode?: number };
  if (statusCode === 413) return serviceError("PAYLOAD_TOO_LARGE");
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return serviceError("MALFORMED_REQUEST");
  return toServiceError(error);
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** Allows more time for the body. */
    slow?: boolean;
  }
}

/** Closes connections whose request isn't complete in time. Node has only one limit for all requests. */
function limitBodyTime(app: FastifyInstance): void {
  app.addHook("onRequest", async ({ raw, routeOptions }) => {
    const { "content-length": length, "transfer-encoding": encoding } = raw.headers;
    if (routeOptions.config.slow === true || (length === undefined && encoding === undefined)) return;
    const timer = setTimeout(() => {
      if (!raw.complete) raw.destroy();
    }, HTTP_REQUEST_TIMEOUT_MS);
    raw.once("close", () => clearTimeout(timer));
  });
}

/**
 * Closes TCP connections above a limit, whether or not anything is sent on them.
 * @param onTooMany called for each closed connection
 */
function limitTcp(server: Server, open: ConnectionLimit, onTooMany: () => void): void {
  // One shared function for all connections, called with the connection as `this`.
  function onClose(this: Socket): void {
    open.release(normalizeAddress(this.remoteAddress!));
  }
  server.on("connection", (socket: Socket) => {
    // Without a remote address the connection is already closed.
    if (socket.remoteAddress === undefined) return;
    if (open.take(normalizeAddress(socket.remoteAddress))) {
      socket.on("close", onClose);
      return;
    }
    onTooMany();
    socket.destroy();
  });
}

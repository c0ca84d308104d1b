import { Readable } from "node:stream";
import type { Group, Services } from "@fanfare/contract";
import { groupFile, type GroupSource } from "@fanfare/group-file";
import {
  createServices,
  callOf,
  can,
  serviceError,
  ServiceError,
  type Actor,
  type NodeContext,
} from "@fanfare/kernel";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { dispositionOf } from "../files/download.ts";
import type { RouteOptions } from "../http-server.ts";
import { bearerToken, callerOf, type Identify } from "../identify.ts";
import { sendResponse } from "../responses.ts";
import { CHUNK_CHARS, EXPORT_IDLE_MS, EXPORTS_RETRY_MS, MAX_EXPORTS } from "./constants.ts";

type Start = "group.startExport" | "admin.startGroupExport";

/**
 * Streams a group as a file, as fast as the client receives. Permissions are checked by the action that starts the export and
 * again for each page. An aborted file lacks its last line.
 */
export function serveExports(app: FastifyInstance, options: RouteOptions): void {
  const { node, calls, identify } = options;
  let inFlight = 0;

  const sendExport = async (start: Start, request: FastifyRequest, reply: FastifyReply) => {
    if (inFlight >= MAX_EXPORTS) throw serviceError("OVERLOADED", { retryAfterMs: EXPORTS_RETRY_MS });
    const { groupId } = request.query as Record<string, unknown>;
    const caller = await callerOf(request, identify, node.config);
    const started = await calls.answer("http", start, { groupId }, caller);
    if (!started.ok) return sendResponse(reply, started);
    const { group } = started.data as { group: Group };

    inFlight += 1;
    reply.raw.once("close", () => (inFlight -= 1));
    reply.raw.setTimeout(EXPORT_IDLE_MS, () => reply.raw.destroy());
    const recheckAccess = async (): Promise<void> => {
      await stillLoggedIn(identify, bearerToken(request));
      if (start === "group.startExport") await stillOwner(node, caller.actor, group.id);
    };
    const source = groupOfServices(node.services, group.id, recheckAccess);
    return reply
      .header("content-type", "application/x-ndjson; charset=utf-8")
      .header("content-disposition", dispositionOf("attachment", `${group.name}.jsonl`))
      .header("cache-control", "no-store")
      .send(Readable.from(chunked(logged(node, groupFile(source)))));
  };
  const route = { helmet: false, exposeHeadRoute: false } as const;
  app.get("/api/group.export", route, (request, reply) => sendExport("group.startExport", request, reply));
  app.get("/api/admin.exportGroup", route, (request, reply) =>
    sendExport("admin.startGroupExport", request, reply),
  );
}

/** The export continues when the access token expires, but not when the session ends. */
async function stillLoggedIn(identify: Identify, token: string | undefined): Promise<void> {
  try {
    await identify(token);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.type !== "TOKEN_EXPIRED") throw error;
  }
}

async function stillOwner(
  { access }: Pick<NodeContext, "access">,
  actor: Actor | null,
  groupId: string,
): Promise<void> {
  if (actor === null || !can(await access.get(actor.userId, { groupId }), "ownGroup"))
    throw serviceError("FORBIDDEN");
}

/** An error in the middle of a file is only visible by its missing end, so it is logged. */
async function* logged<T>({ logger }: Pick<NodeContext, "logger">, lines: AsyncIterable<T>) {
  try {
    yield* lines;
  } catch (error) {
    logger.warn({ err: error }, "group export aborted");
    throw error;
  }
}

async function* chunked(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let chunk = "";
  for await (const line of lines) {
    chunk += line;
    if (chunk.length < CHUNK_CHARS) continue;
    yield chunk;
    chunk = "";
  }
  yield chunk;
}

/**
 * Reads a group through the services.
 * @param before awaited before each page; an error from it aborts the export
 */
function groupOfServices(services: Services, groupId: string, before: () => Promise<void>): GroupSource {
  const call = callOf(services);
  const { group, message, user } = createServices(async (name, params) => {
    await before();
    return call(name, params);
  });
  return {
    head: () => group.exportHead({ groupId }),
    async channels(channelIds) {
      const { lines } = await group.exportChannels({ groupId, channelIds: [...channelIds] });
      return lines;
    },
    threads: (channelId, afterId) => group.exportThreads({ groupId, channelId, afterId }),
    members: (afterUserId) => group.exportMembers({ groupId, afterUserId }),
    messages: (channelId, after) => message.exportChannel({ channelId, after }),
    async users(userIds) {
      const { lines } = await user.exportNames({ userIds: [...userIds] });
      return lines;
    },
  };
}

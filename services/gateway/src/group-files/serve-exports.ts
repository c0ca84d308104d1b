import { finished, Readable } from "node:stream";
import { ACTIONS, type Group, type Services } from "@fanfare/contract";
import { groupFile, groupOfServices } from "@fanfare/group-file";
import { can, createServices, callOf, serviceError, type Actor, type NodeContext } from "@fanfare/kernel";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import {
  CHUNK_CHARS,
  EXPORT_FLUSH_MS,
  EXPORT_IDLE_MS,
  EXPORTS_RETRY_MS,
  MAX_EXPORTS,
  MAX_EXPORTS_PER_USER,
} from "../constants.ts";
import type { Caller } from "../calls.ts";
import { dispositionOf } from "../files/serve-files.ts";
import type { RouteOptions } from "../http-server.ts";
import { callerOf } from "../identify.ts";
import { sendResponse } from "../responses.ts";
import { messageFile } from "./message-file.ts";

type ExportStart = "group.startExport" | "admin.startGroupExport" | "admin.startMessageExport";

/** A file that an action has permitted. */
interface ExportFile {
  name: string;
  lines: AsyncIterable<string>;
}

/**
 * Streams exports as files, as fast as the client receives. Permissions are checked by the action that starts the export and
 * again for each page. An aborted file lacks its last line.
 */
export function serveExports(app: FastifyInstance, options: RouteOptions): void {
  const { node, calls, identify } = options;
  const inFlight: Caller[] = [];

  /** @param open creates the file; `services` checks the permission before each call */
  const sendExport = async (
    start: ExportStart,
    params: unknown,
    [request, reply]: [FastifyRequest, FastifyReply],
    open: (services: Services, result: unknown, actor: Actor) => ExportFile,
  ) => {
    const caller = await callerOf(request, identify, node.config);
    const ofUser = inFlight.filter(({ actor }) => actor?.userId === caller.actor?.userId);
    if (inFlight.length >= MAX_EXPORTS || ofUser.length >= MAX_EXPORTS_PER_USER)
      throw serviceError("OVERLOADED", { retryAfterMs: EXPORTS_RETRY_MS });
    inFlight.push(caller);
    // Also when the client has left already.
    finished(reply.raw, () => inFlight.splice(inFlight.indexOf(caller), 1));
    const started = await calls.answer("http", start, params, caller);
    if (!started.ok) return sendResponse(reply, started);
    const actor = caller.actor!;
    reply.raw.setTimeout(EXPORT_IDLE_MS, () => reply.raw.destroy());
    const call = callOf(node.services);
    const ownedGroupId = start === "group.startExport" ? (params as { groupId: string }).groupId : undefined;
    const services = createServices(async (name, pageParams) => {
      // Only the client can be slow: a search for few messages in many channels sends nothing for a while.
      reply.raw.setTimeout(EXPORT_IDLE_MS);
      await assertStillPermitted(node, actor, ownedGroupId);
      return call(name, pageParams);
    });
    const { name, lines } = open(services, started.data, actor);
    return reply
      .header("content-type", "application/x-ndjson; charset=utf-8")
      .header("content-disposition", dispositionOf("attachment", `${name}.jsonl`))
      .header("cache-control", "no-store")
      .send(Readable.from(chunked(logged(node, lines))));
  };
  const route = { helmet: false, exposeHeadRoute: false } as const;
  const sendGroup = (start: ExportStart, request: FastifyRequest, reply: FastifyReply) => {
    const { groupId } = request.query as Record<string, unknown>;
    return sendExport(start, { groupId }, [request, reply], (services, result) => {
      const { group } = result as { group: Group };
      return { name: group.name, lines: groupFile(groupOfServices(services, group.id)) };
    });
  };
  app.get("/api/group.export", route, (request, reply) => sendGroup("group.startExport", request, reply));
  app.get("/api/admin.exportGroup", route, (request, reply) =>
    sendGroup("admin.startGroupExport", request, reply),
  );
  app.post("/api/admin.exportMessages", route, (request, reply) => {
    const start = "admin.startMessageExport";
    return sendExport(start, request.body ?? {}, [request, reply], (services, _result, { userId }) => {
      const wanted = ACTIONS[start].params.parse(request.body);
      const lines = messageFile(services, wanted, userId, node.config.publicUrl);
      return { name: `messages-${wanted.userId}`, lines };
    });
  });
}

/** An error in the middle of a file is only visible by its missing end, so it is logged. */
async function* logged<T>({ logger }: Pick<NodeContext, "logger">, lines: AsyncIterable<T>) {
  try {
    yield* lines;
  } catch (error) {
    logger.warn({ err: error }, "export aborted");
    throw error;
  }
}

/**
 * For long transfers, whose access token can have expired meanwhile: whether the caller still has the session, and is still an admin,
 * or the owner of a group.
 * @throws {ServiceError} SESSION_REVOKED or FORBIDDEN
 */
export async function assertStillPermitted(
  { access, services }: Pick<NodeContext, "access" | "services">,
  { userId, sessionId }: Actor,
  ownedGroupId?: string,
): Promise<void> {
  // `EndedSessions` forgets a session when its access tokens have expired.
  if (!(await services.user.hasSession({ userId, sessionId })).isAlive) throw serviceError("SESSION_REVOKED");
  const isPermitted =
    ownedGroupId === undefined
      ? (await services.user.listAdminIds({})).userIds.includes(userId)
      : can(await access.get(userId, { groupId: ownedGroupId }), "ownGroup");
  if (!isPermitted) throw serviceError("FORBIDDEN");
}

/**
 * Joins lines to chunks. The first line is sent at once, and what is there is not kept waiting for rare lines, so that connections
 * aren't closed as idle.
 */
export async function* chunked(
  lines: AsyncIterable<string>,
  flushMs = EXPORT_FLUSH_MS,
): AsyncGenerator<string> {
  const iterator = lines[Symbol.asyncIterator]();
  let chunk = "";
  try {
    for (let isFirst = true; ; isFirst = false) {
      const next = iterator.next();
      if (chunk !== "" && (await isSlow(next, flushMs))) {
        yield chunk;
        chunk = "";
      }
      const { value, done } = await next;
      if (done === true) break;
      chunk += value;
      if (!isFirst && chunk.length < CHUNK_CHARS) continue;
      yield chunk;
      chunk = "";
    }
  } finally {
    await iterator.return?.();
  }
  yield chunk;
}

async function isSlow(work: Promise<unknown>, afterMs: number): Promise<boolean> {
  const timer = Promise.withResolvers<true>();
  const timeout = setTimeout(() => timer.resolve(true), afterMs);
  try {
    return await Promise.race([work.then(() => false), timer.promise]);
  } finally {
    clearTimeout(timeout);
  }
}

import { finished, Readable } from "node:stream";
import {
  ACTIONS,
  type Group,
  type Services,
  LIMITS,
  MESSAGE_FILE_FORMAT,
  MESSAGE_FILE_VERSION,
  type MessageFileContent,
  type MessageFileLine,
  type Params,
  type ParsedParams,
  type PlaceLine,
  type Result,
} from "@fanfare/contract";
import { groupFile, groupOfServices, encodeLines, readPages } from "@fanfare/group-file";
import {
  can,
  createServices,
  callOf,
  serviceError,
  type Actor,
  type NodeContext,
  chunks,
} from "@fanfare/kernel";
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

type Wanted = ParsedParams<"admin.startMessageExport">;
type Lines = Result<"message.exportSent">["lines"];

/**
 * All messages of a user as JSON lines, each with its newline: channels with the messages in them, deleted ones that a legal hold has
 * kept, and finally all referenced users. Only ids of channels and users are held in memory.
 */
function messageFile(
  services: Services,
  wanted: Wanted,
  exportedBy: string,
  publicUrl: string,
): AsyncGenerator<string> {
  const { userId, from, to, reason } = wanted;
  return encodeLines<MessageFileLine>(
    {
      type: "header",
      format: MESSAGE_FILE_FORMAT,
      version: MESSAGE_FILE_VERSION,
      userId,
      from,
      to,
      reason,
      exportedBy,
      exportedAt: new Date().toISOString(),
    },
    content(services, wanted, publicUrl),
  );
}

async function* content(
  services: Services,
  { userId, from, to, fileLinks }: Wanted,
  publicUrl: string,
): AsyncGenerator<MessageFileContent> {
  const span = { userId, from, to };
  const users = new Set([userId]);
  let currentId: string | undefined;

  /** @param places deleted channels, which the group service no longer knows */
  async function* complete(lines: Lines, places: readonly PlaceLine[]): AsyncGenerator<MessageFileContent> {
    const messages = lines.flatMap((line) => (line.type === "message" ? [line.message] : []));
    const known = new Map(places.map((place) => [place.id, place]));
    const unknown = [...new Set(messages.map(({ channelId }) => channelId))].filter((id) => !known.has(id));
    for (const channelIds of chunks(unknown, LIMITS.pageMaxItems))
      for (const line of (await services.group.describeChannels({ channelIds })).lines)
        known.set(line.id, line);
    for (const { memberIds } of known.values()) for (const id of memberIds) users.add(id);
    const fileIds = messages.flatMap(({ attachments = [] }) => attachments.map(({ fileId }) => fileId));
    const links = new Map<string, string>();
    for (const some of fileLinks ? chunks(fileIds, LIMITS.pageMaxItems) : []) {
      for (const { fileId, path } of (await services.file.linkExported({ fileIds: some })).links)
        links.set(fileId, `${publicUrl}${path}`);
    }
    for (const line of lines) {
      if (line.type === "edit") {
        yield line;
        continue;
      }
      const { channelId, mentions, attachments = [] } = line.message;
      if (channelId !== currentId) yield known.get(channelId)!;
      currentId = channelId;
      for (const id of mentions?.userIds ?? []) users.add(id);
      yield line;
      for (const { fileId } of attachments) {
        const url = links.get(fileId);
        if (url !== undefined) yield { type: "file", messageId: line.message.id, fileId, url };
      }
    }
  }

  const sent = (after: Params<"message.exportSent">["after"]) =>
    services.message.exportSent({ ...span, after });
  for await (const { lines } of readPages(sent)) yield* complete(lines, []);
  const held = (after: Params<"message.exportHeld">["after"]) =>
    services.message.exportHeld({ ...span, after });
  for await (const { lines, places } of readPages(held)) yield* complete(lines, places);
  for (const userIds of chunks([...users], LIMITS.exportedUsersPerLookup))
    yield* (await services.user.exportNames({ userIds })).lines;
}

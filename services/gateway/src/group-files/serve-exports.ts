import { Readable } from "node:stream";
import { ACTIONS, type Group, type Services } from "@fanfare/contract";
import { groupFile, type GroupSource } from "@fanfare/group-file";
import { createServices, callOf, serviceError, type Actor, type NodeContext } from "@fanfare/kernel";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { dispositionOf } from "../files/download.ts";
import type { RouteOptions } from "../http-server.ts";
import { callerOf } from "../identify.ts";
import { sendResponse } from "../responses.ts";
import { chunked } from "./chunked.ts";
import { EXPORT_IDLE_MS, EXPORTS_RETRY_MS, MAX_EXPORTS } from "./constants.ts";
import { messageFile } from "./message-file.ts";
import { assertStillPermitted, type ExportStart } from "./still-permitted.ts";

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
  const { node, calls, identify, ended } = options;
  let inFlight = 0;

  /** @param open creates the file; `services` checks the permission before each call */
  const sendExport = async (
    start: ExportStart,
    params: unknown,
    [request, reply]: [FastifyRequest, FastifyReply],
    open: (services: Services, result: unknown, actor: Actor) => ExportFile,
  ) => {
    if (inFlight >= MAX_EXPORTS) throw serviceError("OVERLOADED", { retryAfterMs: EXPORTS_RETRY_MS });
    const caller = await callerOf(request, identify, node.config);
    const started = await calls.answer("http", start, params, caller);
    if (!started.ok) return sendResponse(reply, started);
    const actor = caller.actor!;

    inFlight += 1;
    reply.raw.once("close", () => (inFlight -= 1));
    reply.raw.setTimeout(EXPORT_IDLE_MS, () => reply.raw.destroy());
    const call = callOf(node.services);
    const { groupId } = params as { groupId?: string };
    const services = createServices(async (name, pageParams) => {
      // Only the client can be slow: a search for few messages in many channels sends nothing for a while.
      reply.raw.setTimeout(EXPORT_IDLE_MS);
      await assertStillPermitted(node, ended, actor, { start, groupId });
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

/** Reads a group through the services. */
function groupOfServices({ group, message, user }: Services, groupId: string): GroupSource {
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

import { Readable } from "node:stream";
import {
  type Group,
  type GroupFileContent,
  type GroupFileLineOf,
  LIMITS,
  type Params,
  type Services,
} from "@fanfare/contract";
import { type FileStorage, storageKey } from "@fanfare/files";
import {
  createGroupChecker,
  InvalidLineError,
  newSalt,
  readGroupFile,
  type Survey,
} from "@fanfare/group-file";
import { type Actor, chunks, invalid, type NodeContext, serviceError, WorkQueue } from "@fanfare/kernel";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import {
  IMPORT_CHARS_PER_BATCH,
  IMPORT_IDLE_MS,
  IMPORT_LINES_PER_BATCH,
  IMPORT_MAX_BYTES,
  IMPORT_MAX_USERS,
  IMPORT_PLACES_PER_BATCH,
  IMPORTS_RETRY_MS,
  MAX_IMPORTS,
} from "../constants.ts";
import { chunksOf } from "../files/store-file.ts";
import type { RouteOptions } from "../http-server.ts";
import { callerOf } from "../identify.ts";
import { sendResponse, withUnreadBodies } from "../responses.ts";
import { assertStillPermitted } from "./serve-exports.ts";

/**
 * Creates a group from a streamed request body. `admin.startGroupImport` checks permissions before the body is read. After any
 * error everything is removed before a user has seen it.
 */
export async function serveImports(app: FastifyInstance, options: RouteOptions): Promise<void> {
  const { node, calls, identify } = options;
  const imports = new WorkQueue({ atOnce: MAX_IMPORTS, waiting: 0, retryAfterMs: IMPORTS_RETRY_MS });

  const take = (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
    imports.run(async () => {
      // The client may still be sending a large body that isn't worth reading.
      reply.header("connection", "close");
      const { ownerId } = request.query as Record<string, unknown>;
      const caller = await callerOf(request, identify, node.config);
      const params = ownerId === undefined ? {} : { ownerId };
      const started = await calls.answer("http", "admin.startGroupImport", params, caller);
      if (!started.ok) return sendResponse(reply, started);
      const { groupId } = started.data as { groupId: string };
      return sendResponse(reply, { ok: true, data: await receive(node, groupId, caller.actor!, request) });
    });

  await withUnreadBodies(app, (scope) =>
    scope.post("/api/admin.importGroup", { helmet: false, config: { slow: true } }, take),
  );
}

async function receive(
  node: NodeContext,
  groupId: string,
  actor: Actor,
  { raw }: FastifyRequest,
): Promise<{ group: Group }> {
  raw.setTimeout(IMPORT_IDLE_MS, () => raw.destroy(new Error("the import takes too long")));
  try {
    const salt = newSalt();
    const checker = createGroupChecker();
    const writer = new GroupWriter(node.services, { groupId, salt });
    let users = 0;
    // After an invalid line, the connection is still needed for the response.
    const body = Readable.from(raw.iterator({ destroyOnReturn: false }), { objectMode: false });
    for await (const next of readGroupFile(bounded(body))) {
      checker.add(next);
      if (next.line.type === "user" && (users += 1) > IMPORT_MAX_USERS)
        throw new InvalidLineError(next.number, `more than ${IMPORT_MAX_USERS} users`);
      await writer.add(next.line);
    }
    const survey = checker.finish();
    await writer.finish(survey);
    await assertStillPermitted(node, actor);
    const made = { groupId, salt, group: survey.group, byUserId: actor.userId };
    return await node.services.group.finishImport(made);
  } catch (thrown) {
    await node.services.group.cancelImport({ groupId }).catch((error: unknown) =>
      // It will be removed in any case, an hour after the last activity.
      node.logger.warn({ err: error, groupId }, "failed import not cleaned up"),
    );
    if (!(thrown instanceof InvalidLineError))
      throw raw.destroyed && !raw.complete ? serviceError("MALFORMED_REQUEST") : thrown;
    throw invalid(`line ${thrown.line}`, thrown.reason);
  } finally {
    // A disconnected client no longer has a socket.
    if (!raw.destroyed) raw.setTimeout(0);
  }
}

async function* bounded(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > IMPORT_MAX_BYTES) throw serviceError("FILE_TOO_LARGE", { maxBytes: IMPORT_MAX_BYTES });
    yield chunk;
  }
}

type Lines = Params<"message.importLines">;
type NewMessage = Lines["messages"][number];

/**
 * Stores the lines of a file, in order, in a hidden group. Only one batch, and the numbers of the channels, are held in memory.
 */
class GroupWriter {
  readonly #services: Services;
  readonly #ids: { groupId: string; salt: string };
  readonly #heads = new Map<string, number>();
  readonly #threads = new Set<string>();
  #roles: GroupFileLineOf<"role">[] = [];
  #channels: GroupFileLineOf<"channel">[] = [];
  #messages: NewMessage[] = [];
  #reactions: Lines["reactions"] = [];
  #chars = 0;

  constructor(services: Services, ids: { groupId: string; salt: string }) {
    this.#services = services;
    this.#ids = ids;
  }

  async add(line: GroupFileContent): Promise<void> {
    if (line.type === "role") this.#roles.push(line);
    if (line.type === "channel") {
      this.#channels.push(line);
      if (line.thread !== null) this.#threads.add(line.id);
    }
    if (this.#roles.length + this.#channels.length >= IMPORT_PLACES_PER_BATCH) await this.#flushPlaces();
    if (line.type === "message") await this.#addMessage(line);
    if (line.type === "reaction") await this.#addReaction(line);
  }

  /** Stores the remaining lines and the users. */
  async finish({ users }: Pick<Survey, "users">): Promise<void> {
    await this.#flushMessages();
    await this.#flushPlaces();
    const heads = [...this.#heads].map(([channelId, seq]) => ({
      channelId,
      seq,
      ...(this.#threads.has(channelId) && { isThread: true as const }),
    }));
    for (const some of chunks(heads, IMPORT_LINES_PER_BATCH))
      await this.#services.message.importHeads({ ...this.#ids, heads: some });
    for (const some of chunks([...users.values()], IMPORT_LINES_PER_BATCH))
      await this.#services.user.importNames({ ...this.#ids, users: some });
  }

  /** The messages before it are complete, with all of their reactions. */
  async #addMessage(line: GroupFileLineOf<"message">): Promise<void> {
    if (this.#chars >= IMPORT_CHARS_PER_BATCH || this.#messages.length >= IMPORT_LINES_PER_BATCH)
      await this.#flushMessages();
    const seq = (this.#heads.get(line.channelId) ?? 0) + 1;
    this.#heads.set(line.channelId, seq);
    this.#messages.push({ line, seq, reactions: [] });
    this.#chars += line.content.length + 300;
  }

  async #addReaction(line: GroupFileLineOf<"reaction">): Promise<void> {
    // The checker guarantees that it exists and that the reaction belongs to it.
    const message = this.#messages.at(-1)!;
    let shown = message.reactions.find(({ emoji }) => emoji === line.emoji);
    if (shown === undefined) message.reactions.push((shown = { emoji: line.emoji, count: 0, userIds: [] }));
    shown.count += 1;
    if (shown.userIds.length < LIMITS.reactionUsersShown) shown.userIds.push(line.userId);
    this.#reactions.push({ channelId: message.line.channelId, line });
    if (this.#reactions.length >= IMPORT_LINES_PER_BATCH) await this.#store([]);
  }

  async #flushPlaces(): Promise<void> {
    const [roles, channels] = [this.#roles, this.#channels];
    [this.#roles, this.#channels] = [[], []];
    if (roles.length + channels.length > 0)
      await this.#services.group.importPlaces({ ...this.#ids, roles, channels });
  }

  async #flushMessages(): Promise<void> {
    const messages = this.#messages;
    this.#messages = [];
    this.#chars = 0;
    await this.#store(messages);
  }

  async #store(messages: NewMessage[]): Promise<void> {
    // Channels first: they are needed to find everything that must be removed.
    await this.#flushPlaces();
    const reactions = this.#reactions;
    this.#reactions = [];
    if (messages.length + reactions.length > 0)
      await this.#services.message.importLines({ ...this.#ids, messages, reactions });
  }
}

/**
 * Receives exports of other chat servers and streams them into the storage. `admin.startExportUpload` checks permissions before the
 * body is read.
 */
export async function serveExportUploads(
  app: FastifyInstance,
  { node, calls, identify }: RouteOptions,
  storage: FileStorage,
): Promise<void> {
  const uploads = new WorkQueue({ atOnce: MAX_IMPORTS, waiting: 0, retryAfterMs: IMPORTS_RETRY_MS });

  const take = (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
    uploads.run(async () => {
      // The client may still be sending a large body that isn't worth reading.
      reply.header("connection", "close");
      const { origin, fileName, team } = request.query as Record<string, unknown>;
      const bytes = Number(request.headers["content-length"]);
      const caller = await callerOf(request, identify, node.config);
      const params = { origin, fileName, bytes, ...(team !== undefined && { team }) };
      const started = await calls.answer("http", "admin.startExportUpload", params, caller);
      if (!started.ok) return sendResponse(reply, started);
      const { importId } = started.data as { importId: string };
      return sendResponse(reply, { ok: true, data: await receive(importId, bytes, caller.actor!, request) });
    });

  const receive = async (
    importId: string,
    bytes: number,
    actor: Actor,
    { raw }: FastifyRequest,
  ): Promise<unknown> => {
    raw.setTimeout(IMPORT_IDLE_MS, () => raw.destroy(new Error("the upload takes too long")));
    try {
      await storage.put(
        storageKey(importId, "raw"),
        Readable.from(chunksOf(raw), { objectMode: false }),
        bytes,
      );
      raw.setTimeout(0);
      await assertStillPermitted(node, actor);
      return await node.services.admin.finishExportUpload({ importId });
    } catch (thrown) {
      await node.services.admin.cancelExportUpload({ importId }).catch((error: unknown) =>
        // It is removed after a week.
        node.logger.warn({ err: error, importId }, "failed upload not cleaned up"),
      );
      if (raw.errored !== null || (raw.destroyed && !raw.complete)) throw serviceError("MALFORMED_REQUEST");
      raw.resume();
      throw thrown;
    }
  };

  await withUnreadBodies(app, (scope) =>
    scope.post("/api/admin.uploadExport", { helmet: false, config: { slow: true } }, take),
  );
}

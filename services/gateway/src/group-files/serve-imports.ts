import { Readable } from "node:stream";
import type { Group } from "@fanfare/contract";
import { createGroupChecker, FaultyLine, newSalt, readGroupFile } from "@fanfare/group-file";
import { serviceError, type Actor, type NodeContext } from "@fanfare/kernel";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { callerOf } from "../http-caller.ts";
import { sendAnswer } from "../send-answer.ts";
import {
  IMPORT_IDLE_MS,
  IMPORT_MAX_BYTES,
  IMPORT_MAX_USERS,
  IMPORTS_RETRY_MS,
  MAX_IMPORTS,
} from "./bounds.ts";
import { GroupWriter } from "./group-writer.ts";
import type { ExportOptions } from "./serve-exports.ts";

/**
 * Makes a group from the body of a request, as it comes. Who may is asked of `admin.startGroupImport` before anything is read. Whatever goes
 * wrong, nobody has seen any of it, and all of it is removed.
 */
export async function serveImports(app: FastifyInstance, options: ExportOptions): Promise<void> {
  const { node, calls, identify } = options;
  let underWay = 0;

  const take = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (underWay >= MAX_IMPORTS) throw serviceError("OVERLOADED", { retryAfterMs: IMPORTS_RETRY_MS });
    underWay += 1;
    // Whoever is refused may be in the middle of more than anybody would want to read.
    reply.header("connection", "close");
    try {
      const { ownerId } = request.query as Record<string, unknown>;
      const caller = await callerOf(request, identify, node.config);
      const params = ownerId === undefined ? {} : { ownerId };
      const started = await calls.answer("http", "admin.startGroupImport", params, caller);
      if (!started.ok) return sendAnswer(reply, started);
      const { groupId } = started.data as { groupId: string };
      return sendAnswer(reply, { ok: true, data: await receive(node, groupId, caller.actor!, request) });
    } finally {
      underWay -= 1;
    }
  };

  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // What it is called does not matter, and it is not read before it is known where to.
    scope.addContentTypeParser("*", (_request, _body, done) => done(null));
    scope.post("/api/admin.importGroup", { helmet: false, config: { slow: true } }, take);
  });
}

async function receive(
  node: NodeContext,
  groupId: string,
  { userId }: Actor,
  { raw }: FastifyRequest,
): Promise<{ group: Group }> {
  raw.setTimeout(IMPORT_IDLE_MS, () => raw.destroy(new Error("an import takes too long")));
  try {
    const salt = newSalt();
    const checker = createGroupChecker();
    const writer = new GroupWriter(node.call, { groupId, salt });
    let users = 0;
    // Where a line does not fit, the connection is still needed for the answer.
    const body = Readable.from(raw.iterator({ destroyOnReturn: false }), { objectMode: false });
    for await (const next of readGroupFile(bounded(body))) {
      checker.add(next);
      if (next.line.type === "user" && (users += 1) > IMPORT_MAX_USERS)
        throw new FaultyLine(next.number, `there are more than ${IMPORT_MAX_USERS} users`);
      await writer.add(next.line);
    }
    const survey = checker.finish();
    await writer.finish(survey);
    return await node.call("group.finishImport", { groupId, salt, group: survey.group, byUserId: userId });
  } catch (thrown) {
    await node.call("group.cancelImport", { groupId }).catch((error: unknown) =>
      // It is removed in any case, an hour after it was left.
      node.logger.warn({ err: error, groupId }, "an import that failed could not be cleared away"),
    );
    if (!(thrown instanceof FaultyLine))
      throw raw.destroyed && !raw.complete ? serviceError("MALFORMED_REQUEST") : thrown;
    const issues = [{ path: `line ${thrown.line}`, message: thrown.reason }];
    throw serviceError("VALIDATION_FAILED", { issues });
  } finally {
    // Whoever has hung up has left no socket.
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

import { Readable } from "node:stream";
import { type FileStorage, storageKey } from "@fanfare/files";
import { type Actor, serviceError, WorkQueue } from "@fanfare/kernel";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { IMPORT_IDLE_MS, IMPORTS_RETRY_MS, MAX_IMPORTS } from "../constants.ts";
import { chunksOf } from "../files/store-file.ts";
import type { RouteOptions } from "../http-server.ts";
import { callerOf } from "../identify.ts";
import { sendResponse, withUnreadBodies } from "../responses.ts";
import { assertStillPermitted } from "./serve-exports.ts";

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

import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import type { ActionName } from "@fanfare/contract";
import { storageKey, type FileStorage } from "@fanfare/files";
import { serviceError, WorkQueue } from "@fanfare/kernel";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { RouteOptions } from "../http-server.ts";
import { callerOf } from "../identify.ts";
import { sendResponse, withUnreadBodies } from "../responses.ts";
import { MAX_UPLOADS, UPLOAD_IDLE_MS, UPLOAD_TIMEOUT_MS, UPLOADS_RETRY_MS } from "./constants.ts";

/**
 * Receives files as request bodies and streams them into the storage. `file.startUpload` checks permissions before the body is
 * read.
 */
export async function serveUploads(
  app: FastifyInstance,
  options: RouteOptions,
  storage: FileStorage,
): Promise<void> {
  const { node, calls, identify } = options;
  const uploads = new WorkQueue({ atOnce: MAX_UPLOADS, waiting: 0, retryAfterMs: UPLOADS_RETRY_MS });

  const upload = (
    name: Extract<ActionName, "file.startUpload" | "file.startPicture">,
    params: object,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> =>
    uploads.run(async () => {
      const bytes = Number(request.headers["content-length"]);
      // The client may still be sending a large body that isn't worth reading.
      if (!(bytes <= node.config.fileMaxBytes)) reply.header("connection", "close");
      const caller = await callerOf(request, identify, node.config);
      const started = await calls.answer("http", name, { ...params, bytes }, caller);
      if (!started.ok) return sendResponse(reply, started);
      const { fileId } = started.data as { fileId: string };
      return sendResponse(reply, { ok: true, data: await receive(options, storage, fileId, bytes, request) });
    });

  await withUnreadBodies(app, (scope) => {
    const route = { helmet: false, config: { slow: true } } as const;
    scope.post("/api/file.upload", route, async (request, reply) => {
      const { channelId, name, durationMs, peaks } = request.query as Record<string, unknown>;
      const recording = durationMs === undefined ? {} : { durationMs: Number(durationMs), peaks };
      return upload("file.startUpload", { channelId, name, ...recording }, request, reply);
    });
    scope.post("/api/file.uploadPicture", route, async (request, reply) =>
      upload("file.startPicture", {}, request, reply),
    );
  });
}

async function receive(
  { node, calls }: RouteOptions,
  storage: FileStorage,
  fileId: string,
  bytes: number,
  { raw }: FastifyRequest,
): Promise<unknown> {
  const tooSlow = (): void => void raw.destroy(new Error("the upload takes too long"));
  const timer = setTimeout(tooSlow, UPLOAD_TIMEOUT_MS);
  raw.setTimeout(UPLOAD_IDLE_MS, tooSlow);
  try {
    await storage.put(storageKey(fileId, "raw"), bodyOf(raw), bytes);
    raw.setTimeout(0);
    return await calls.follow(() => node.services.file.finishUpload({ fileId }));
  } catch (thrown) {
    await node.services.file.abortUpload({ fileId }).catch((error: unknown) =>
      // It will be deleted in any case, an hour after it began.
      node.logger.warn({ err: error, fileId }, "failed upload not cleaned up"),
    );
    if (raw.errored !== null) throw serviceError("MALFORMED_REQUEST");
    // Clients don't read the response before they have sent everything.
    raw.resume();
    throw thrown;
  } finally {
    clearTimeout(timer);
  }
}

/** Keeps the request open when the storage fails, because the connection is still needed for the response. */
function bodyOf(raw: IncomingMessage): Readable {
  async function* chunks(): AsyncGenerator<Buffer> {
    for await (const chunk of raw.iterator({ destroyOnReturn: false })) yield chunk;
  }
  return Readable.from(chunks(), { objectMode: false });
}

import type { ActionName } from "@fanfare/contract";
import {
  type ByteRange,
  type FileStorage,
  FileUrls,
  INLINE_TYPES,
  pictureKey,
  storageKey,
  type StoredBytes,
} from "@fanfare/files";
import { serviceError, WorkQueue } from "@fanfare/kernel";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { callerOf, clientAddress } from "../identify.ts";
import {
  DOWNLOAD_RATE_LIMIT,
  MAX_UPLOADS,
  ONE_YEAR_S,
  UPLOAD_IDLE_MS,
  UPLOAD_TIMEOUT_MS,
  UPLOADS_RETRY_MS,
} from "../constants.ts";
import type { RouteOptions } from "../http-server.ts";
import { sendResponse, withUnreadBodies } from "../responses.ts";
import { chunksOf, storeFile } from "./store-file.ts";

/** Routes for uploads and downloads, whose bytes don't pass through other services. */
export async function serveFiles(
  app: FastifyInstance,
  options: RouteOptions,
  storage: FileStorage,
): Promise<void> {
  serveDownloads(app, options, storage);
  await serveUploads(app, options, storage);
}

/**
 * Receives files as request bodies and streams them into the storage. `file.startUpload` checks permissions before the body is
 * read.
 */
async function serveUploads(
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
    // The connection stays open when the storage fails, because it is still needed for the response.
    return await storeFile({ node, calls, storage }, fileId, chunksOf(raw), bytes, () => raw.setTimeout(0));
  } catch (thrown) {
    if (raw.errored !== null) throw serviceError("MALFORMED_REQUEST");
    // Clients don't read the response before they have sent everything.
    raw.resume();
    throw thrown;
  } finally {
    clearTimeout(timer);
  }
}

interface Shown {
  key: string;
  contentType: string;
  disposition: string;
  /** Whether shared caches can store it. */
  isPublic: boolean;
}

const PICTURE = /^([0-9a-f]{24}-[0-9a-f]{16})\.webp$/;

/**
 * Serves files by signed URL, and public pictures. The URL contains everything needed, so no service is called. Headers ensure
 * that nothing served here runs in a browser.
 */
function serveDownloads(app: FastifyInstance, { node, limits }: RouteOptions, storage: FileStorage): void {
  const urls = new FileUrls(node.signerFor("file-urls"));
  const limiter = limits.quick("download", DOWNLOAD_RATE_LIMIT);
  const route = { method: ["GET", "HEAD"], helmet: false as const };

  const show = async (request: FastifyRequest, reply: FastifyReply, shown: Shown | null) => {
    const retryAfterMs = limiter.take(clientAddress(request.raw, node.config.trustProxy), Date.now());
    if (retryAfterMs > 0) throw serviceError("RATE_LIMITED", { retryAfterMs });
    if (shown === null) throw serviceError("INVALID_LINK");
    return send(request, reply, storage, shown);
  };
  app.route<{ Params: { picture: string } }>({
    ...route,
    url: "/files/public/:picture",
    handler: (request, reply) => {
      const name = PICTURE.exec(request.params.picture)?.[1];
      return show(request, reply, name === undefined ? null : pictureOf(name));
    },
  });
  app.route<{ Params: { fileId: string; name: string } }>({
    ...route,
    url: "/files/:fileId/:name",
    handler: (request, reply) => {
      const query = request.query as Record<string, unknown>;
      const file = urls.verify(request.params, query, Date.now());
      if (file === null) return show(request, reply, null);
      const { fileId, variant, name, contentType } = file;
      const isInline = INLINE_TYPES.has(contentType);
      return show(request, reply, {
        key: storageKey(fileId, variant),
        contentType: isInline ? contentType : "application/octet-stream",
        disposition: dispositionOf(isInline ? "inline" : "attachment", name),
        isPublic: false,
      });
    },
  });
}

function pictureOf(name: string): Shown {
  return { key: pictureKey(name), contentType: "image/webp", disposition: "inline", isPublic: true };
}

async function send(
  { method, headers }: FastifyRequest,
  reply: FastifyReply,
  storage: FileStorage,
  { key, contentType, disposition, isPublic }: Shown,
): Promise<FastifyReply> {
  const etag = `"${key}"`;
  reply
    .header("content-type", contentType)
    .header("content-disposition", disposition)
    // The bytes stored under a key never change.
    .header("cache-control", `${isPublic ? "public" : "private"}, max-age=${ONE_YEAR_S}, immutable`)
    .header("etag", etag)
    .header("accept-ranges", "bytes")
    .header("content-security-policy", "default-src 'none'; sandbox")
    // Pages of other origins can embed it: they got the URL from a user with access to the file.
    .header("cross-origin-resource-policy", "cross-origin")
    .header("referrer-policy", "no-referrer");
  if (headers["if-none-match"] === etag) return reply.code(304).send();

  const wantsPart = headers["if-range"] === undefined || headers["if-range"] === etag;
  const asked = wantsPart ? headers.range : undefined;
  if (asked === undefined && method === "GET") {
    const { stream, size } = needed(await storage.read(key), reply);
    return reply.header("content-length", size).send(stream);
  }
  const size = needed(await storage.size(key), reply);
  const range = parseRange(asked, size);
  if (range === "unsatisfiable")
    return reply.code(416).header("content-range", `bytes */${size}`).header("content-length", 0).send();
  if (range !== null) reply.code(206).header("content-range", `bytes ${range.start}-${range.end}/${size}`);
  reply.header("content-length", range === null ? size : range.end - range.start + 1);
  if (method === "HEAD") return reply.send();
  const { stream } = needed(await storage.read(key, range ?? undefined), reply);
  return reply.send(stream);
}

/** @throws {ServiceError} INVALID_LINK when the file has been deleted */
function needed<T extends StoredBytes | number>(found: T | null, reply: FastifyReply): T {
  if (found !== null) return found;
  for (const name of ["content-type", "content-disposition", "etag", "accept-ranges"])
    reply.removeHeader(name);
  throw serviceError("INVALID_LINK");
}

/**
 * Parses a Range header. Multiple or invalid ranges are ignored.
 * @returns null: send everything; "unsatisfiable": outside the file
 */
export function parseRange(header: string | undefined, size: number): ByteRange | "unsatisfiable" | null {
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? "") ?? [];
  if (first === undefined || last === undefined || (first === "" && last === "")) return null;
  if (first === "") {
    const count = Number(last);
    return count === 0 || size === 0 ? "unsatisfiable" : { start: Math.max(0, size - count), end: size - 1 };
  }
  const start = Number(first);
  const end = last === "" ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== "" && Number(last) < start) return null;
  return start >= size ? "unsatisfiable" : { start, end };
}

/** Characters that encodeURIComponent leaves although RFC 8187 doesn't allow them. */
const NOT_ALLOWED = /['()*!]/g;

/** A Content-Disposition header for any name, in both encodings that clients understand. */
export function dispositionOf(type: "inline" | "attachment", name: string): string {
  const plain = name.replace(/[^\x20-\x7e]/g, "_").replace(/["\\%]/g, "_");
  const encoded = encodeURIComponent(name).replace(
    NOT_ALLOWED,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${type}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

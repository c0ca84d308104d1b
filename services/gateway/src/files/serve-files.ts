import { createFileStorage } from "@fanfare/files";
import type { FastifyInstance } from "fastify";
import type { RouteOptions } from "../http-server.ts";
import { serveDownloads } from "./download.ts";
import { serveUploads } from "./upload.ts";

/** Routes for uploads and downloads, whose bytes don't pass through other services. */
export async function serveFiles(app: FastifyInstance, options: RouteOptions): Promise<void> {
  const storage = await createFileStorage(options.node.config);
  app.addHook("onClose", async () => storage.close());
  serveDownloads(app, options, storage);
  await serveUploads(app, options, storage);
}

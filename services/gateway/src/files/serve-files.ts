import { createFileStorage } from "@fanfare/files";
import type { NodeContext, RateLimits } from "@fanfare/kernel";
import type { FastifyInstance } from "fastify";
import type { Calls } from "../calls.ts";
import type { Identify } from "../identify.ts";
import { serveDownloads } from "./download.ts";
import { serveUploads } from "./upload.ts";

export interface FileRoutesOptions {
  node: NodeContext;
  calls: Calls;
  identify: Identify;
  limits: RateLimits;
}

/** Routes for uploads and downloads, whose bytes don't pass through other services. */
export async function serveFiles(app: FastifyInstance, options: FileRoutesOptions): Promise<void> {
  const storage = await createFileStorage(options.node.config);
  app.addHook("onClose", async () => storage.close());
  serveDownloads(app, { ...options, storage });
  await serveUploads(app, { ...options, storage });
}

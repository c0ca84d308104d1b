import { createFileStorage, FileUrls } from "@fanfare/files";
import { defineService, WorkQueue, type NodeContext, type ServiceFactory } from "@fanfare/kernel";
import { uploadActions } from "./uploads.ts";
import { downloadActions } from "./downloads.ts";
import { cleanupActions, createRemover, createSweep } from "./cleanup.ts";
import { pictureActions } from "./images.ts";
import { Quotas, quotaActions } from "./quotas.ts";
import { IMAGE_CONCURRENCY, MAX_QUEUED_IMAGES, OVERLOADED_RETRY_MS, SWEEP_INTERVAL_MS } from "./constants.ts";
import type { FileDependencies } from "./file.dependencies.ts";
import { createFileRepository } from "./file.repository.ts";
import { createUsageRepository } from "./usage.repository.ts";

export { createImportedFiles } from "./imported-files.ts";

/** Files: `file.*`. Their bytes are transferred by the gateway. */
export function createFileService(node: NodeContext): ReturnType<ServiceFactory> {
  const { config, database, logger } = node;
  const files = createFileRepository(database);
  const quotas = new Quotas(files, createUsageRepository(database), node.policy);
  const storage = createFileStorage(config);
  const remover = createRemover({ files, quotas, storage, services: node.services, logger });
  const sweep = createSweep({ files, remover, services: node.services, logger });
  const dependencies: FileDependencies = {
    node,
    files,
    quotas,
    storage,
    urls: new FileUrls(node.signerFor("file-urls")),
    images: new WorkQueue({
      atOnce: IMAGE_CONCURRENCY,
      waiting: MAX_QUEUED_IMAGES,
      retryAfterMs: OVERLOADED_RETRY_MS,
    }),
    remover,
  };
  node.jobs.define("file.sweep", {
    everyMs: SWEEP_INTERVAL_MS,
    run: async ({ signal }) => {
      if (await sweep(signal)) return { againAt: new Date() };
    },
  });
  return defineService(node, {
    name: "file",
    actions: {
      ...cleanupActions(dependencies),
      ...downloadActions(dependencies),
      ...pictureActions(dependencies),
      ...quotaActions(dependencies),
      ...uploadActions(dependencies),
    },
    events: {
      "channel.emptied": async ({ channelIds }) => {
        for (const channelId of channelIds)
          await files.markDeleting({ channelId, state: "attached" }, new Date());
      },
    },
    async started() {
      await (await storage).check();
    },
    async stopped() {
      (await storage).close();
    },
  });
}

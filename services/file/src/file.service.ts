import { createFileStorage, FileUrls } from "@fanfare/files";
import { defineService, WorkQueue, type NodeContext, type ServiceFactory } from "@fanfare/kernel";
import { abortUpload, claim, finishUpload, release, startPicture, startUpload } from "./uploads.ts";
import { get, getUrl, getUrls, listMine, remove } from "./downloads.ts";
import { exportUser, forgetUser, Remover, Sweeper } from "./cleanup.ts";
import { dropPictures, usePicture } from "./pictures.ts";
import { getGroupUsage, getUsage, Quotas, setQuota } from "./quotas.ts";
import { IMAGES_AT_ONCE, IMAGES_WAITING, OVERLOADED_RETRY_MS, SWEEP_EVERY_MS } from "./bounds.ts";
import type { FileDependencies } from "./file.dependencies.ts";
import { createFileRepository } from "./file.repository.ts";
import { createUsageRepository } from "./usage.repository.ts";

/** Files: `file.*`. Their bytes come and go through the gateway. */
export function createFileService(node: NodeContext): ReturnType<ServiceFactory> {
  const { config, database, logger } = node;
  const files = createFileRepository(database);
  const quotas = new Quotas(files, createUsageRepository(database), node.policy);
  const storage = createFileStorage(config);
  const remover = new Remover({ files, quotas, storage, logger });
  const sweeper = new Sweeper({ files, remover, services: node.services, logger });
  const dependencies: FileDependencies = {
    node,
    files,
    quotas,
    storage,
    urls: new FileUrls(node.keyFor("file-urls")),
    images: new WorkQueue({
      atOnce: IMAGES_AT_ONCE,
      waiting: IMAGES_WAITING,
      retryAfterMs: OVERLOADED_RETRY_MS,
    }),
    remover,
  };
  node.jobs.define("file.sweep", {
    everyMs: SWEEP_EVERY_MS,
    run: async ({ signal }) => {
      if (await sweeper.sweep(signal)) return { againAt: new Date() };
    },
  });
  return defineService(node, {
    name: "file",
    actions: {
      "file.startUpload": startUpload(dependencies),
      "file.startPicture": startPicture(dependencies),
      "file.finishUpload": finishUpload(dependencies),
      "file.abortUpload": abortUpload(dependencies),
      "file.get": get(dependencies),
      "file.getUrl": getUrl(dependencies),
      "file.getUrls": getUrls(dependencies),
      "file.listMine": listMine(dependencies),
      "file.delete": remove(dependencies),
      "file.getUsage": getUsage(dependencies),
      "file.getGroupUsage": getGroupUsage(dependencies),
      "file.setQuota": setQuota(dependencies),
      "file.claim": claim(dependencies),
      "file.release": release(dependencies),
      "file.usePicture": usePicture(dependencies),
      "file.dropPictures": dropPictures(dependencies),
      "file.exportUser": exportUser(dependencies),
      "file.forgetUser": forgetUser(dependencies),
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

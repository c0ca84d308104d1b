import { Readable } from "node:stream";
import type { FileToStore, StoredFile } from "@fanfare/chat-import";
import { LIMITS } from "@fanfare/contract";
import { createFileStorage, storageKey, VARIANTS } from "@fanfare/files";
import { type NodeContext, WorkQueue } from "@fanfare/kernel";
import {
  ATTACHMENT_CHECK_INTERVAL_MS,
  IMAGE_CONCURRENCY,
  MAX_QUEUED_IMAGES,
  OVERLOADED_RETRY_MS,
} from "./constants.ts";
import { presentAttachment } from "./file.presenter.ts";
import { createFileRepository, type FileDocument } from "./file.repository.ts";
import { ownersOf, Quotas } from "./quotas.ts";
import { inspect, safeFileName, UNKNOWN_TYPE } from "./uploads.ts";
import { createUsageRepository } from "./usage.repository.ts";

/**
 * Stores files like uploads, for an import that stores the messages itself. They count toward the usage of users and groups, but only
 * the quota of the instance limits them: an export can have more than a user could upload.
 */
export function createImportedFiles({
  config,
  database,
  policy,
}: Pick<NodeContext, "config" | "database" | "policy">) {
  const files = createFileRepository(database);
  const quotas = new Quotas(files, createUsageRepository(database), policy);
  const storage = createFileStorage(config);
  const images = new WorkQueue({
    atOnce: IMAGE_CONCURRENCY,
    waiting: MAX_QUEUED_IMAGES,
    retryAfterMs: OVERLOADED_RETRY_MS,
  });

  const drop = async (file: FileDocument): Promise<void> => {
    for (const variant of VARIANTS) await (await storage).delete(storageKey(file._id, variant));
    if ((await files.delete(file._id)) !== null) await quotas.add(ownersOf(file), -file.bytes);
  };

  /** @returns false if the content is damaged */
  const put = async ({ fileId, bytes, open }: FileToStore): Promise<boolean> => {
    let isDamaged = false;
    async function* content(): AsyncGenerator<Uint8Array> {
      let read = 0;
      const parts = await open().then((opened) => opened[Symbol.asyncIterator](), failed);
      try {
        for (;;) {
          const next = await parts.next().catch(failed);
          if (next.done === true) break;
          read += next.value.length;
          yield next.value;
        }
      } finally {
        await parts.return?.();
      }
      if (read !== bytes) failed(new Error("the size is different"));
    }
    function failed(error: unknown): never {
      isDamaged = true;
      throw error;
    }
    try {
      const stream = Readable.from(content(), { objectMode: false });
      await (await storage).put(storageKey(fileId, "raw"), stream, bytes);
    } catch (error) {
      if (!isDamaged) throw error;
    }
    return !isDamaged;
  };

  /** Pictures that can't be drawn can still be downloaded. */
  const inspected = async (file: FileDocument) => {
    try {
      return await inspect({ storage, images }, file);
    } catch (error) {
      if ((error as { type?: unknown }).type !== "IMAGE_REFUSED") throw error;
      const { name, bytes } = file;
      return { name, bytes, contentType: UNKNOWN_TYPE, variants: ["raw" as const] };
    }
  };

  return {
    folder: config.s3 === undefined ? config.filesDir : null,

    /** A file that is already stored is returned as it is. */
    async store(imported: FileToStore): Promise<StoredFile> {
      const { fileId, ownerId, channelId, groupId, nonce, bytes, createdAt } = imported;
      const before = await files.find(fileId);
      if (before?.state === "attached") return { outcome: "stored", attachment: presentAttachment(before) };
      if (before !== null) await drop(before);
      const file: FileDocument = {
        _id: fileId,
        ownerId,
        channelId,
        ...(groupId !== null && { groupId }),
        name: safeFileName(imported.name),
        bytes,
        contentType: UNKNOWN_TYPE,
        variants: [],
        state: "uploading",
        createdAt,
        dueAt: new Date(Date.now() + LIMITS.uploadLifetimeMs),
      };
      if (!(await quotas.takeOfInstance(ownersOf(file), bytes))) return { outcome: "full" };
      await files.insert(file);
      try {
        if (!(await put(imported))) {
          await drop(file);
          return { outcome: "damaged" };
        }
        const found = await inspected(file);
        const dueAt = new Date(Date.now() + ATTACHMENT_CHECK_INTERVAL_MS);
        const change = { ...found, state: "attached" as const, nonce, dueAt };
        await files.change(fileId, ["uploading"], change);
        await quotas.add(ownersOf(file), found.bytes - bytes);
        return { outcome: "stored", attachment: presentAttachment({ ...file, ...change }) };
      } catch (error) {
        // If the storage is unusable, it is removed when the upload is overdue.
        await drop(file).catch(() => undefined);
        throw error;
      }
    },

    /** Removes the files of a group that was never visible. */
    async removeOf(channelIds: readonly string[]): Promise<void> {
      for (const channelId of channelIds)
        for (;;) {
          const some = await files.listOfChannel(channelId);
          if (some.length === 0) break;
          for (const file of some) await drop(file);
        }
    },

    async close(): Promise<void> {
      (await storage).close();
    },
  };
}

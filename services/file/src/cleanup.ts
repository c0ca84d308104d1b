import { pictureKey, storageKey, VARIANTS } from "@fanfare/files";
import type { Handlers, NodeContext } from "@fanfare/kernel";
import { LIMITS } from "@fanfare/contract";
import type { FileDocument } from "./file.repository.ts";
import { ownersOf } from "./quotas.ts";
import { ATTACHMENT_CHECK_INTERVAL_MS, HELD_CHECK_INTERVAL_MS, SWEEP_BATCH } from "./constants.ts";
import type { FileDependencies } from "./file.dependencies.ts";
import { isThere } from "./downloads.ts";
import { presentFile } from "./file.presenter.ts";

type RemoverParts = Pick<FileDependencies, "files" | "quotas" | "storage"> &
  Pick<NodeContext, "services" | "logger">;

export type Remover = ReturnType<typeof createRemover>;

/** Deletes files: first hides them, then deletes the bytes and finally the document. Every step is idempotent. */
export function createRemover({ files, quotas, storage: opening, services, logger }: RemoverParts) {
  /** While a user is under a legal hold, deleted attachments are hidden but not erased. */
  const isHeld = async ({ ownerId, nonce }: FileDocument): Promise<boolean> =>
    nonce !== undefined && (await services.message.isHeld({ userId: ownerId })).isHeld;

  /** Deletes the bytes and the document of a hidden file. */
  const erase = async (file: FileDocument): Promise<void> => {
    const { _id, pictureName } = file;
    if (await isHeld(file)) {
      const dueAt = new Date(Date.now() + HELD_CHECK_INTERVAL_MS);
      await files.change(_id, ["deleting"], { dueAt });
      return;
    }
    const storage = await opening;
    for (const variant of VARIANTS) await storage.delete(storageKey(_id, variant));
    if (pictureName !== undefined) await storage.delete(pictureKey(pictureName));
    // Of concurrent calls, only the one that deletes the document frees the space.
    const gone = await files.delete(_id);
    if (gone !== null) await quotas.add(ownersOf(gone), -gone.bytes);
  };

  return {
    erase,

    /** Resolves when the file is hidden; later failures are retried by the sweep. */
    async remove(file: FileDocument): Promise<void> {
      const fileId = file._id;
      const states = ["uploading", "unclaimed", "attached", "picture"] as const;
      await files.change(fileId, states, { state: "deleting", dueAt: new Date() });
      await erase(file).catch((error: unknown) =>
        logger.warn({ err: error, fileId }, "file not deleted, retrying"),
      );
    },
  };
}

type SweeperParts = Pick<FileDependencies, "files" | "remover"> & Pick<NodeContext, "services" | "logger">;

/**
 * Handles due files: aborted uploads, files that were never attached, attachments whose message was deleted or never sent. Every
 * file has a time for its next check, so files left by a dead process are found.
 */
export function createSweep({ files, remover, services, logger }: SweeperParts) {
  const isInMessage = async ({ _id, channelId, ownerId, nonce }: FileDocument): Promise<boolean> => {
    if (channelId === undefined || nonce === undefined) return false;
    const { attachments } = await services.message.findSent({ channelId, authorId: ownerId, nonce });
    return attachments.some(({ fileId }) => fileId === _id);
  };

  const check = async (file: FileDocument): Promise<void> => {
    if (file.state === "deleting") return remover.erase(file);
    if (file.state !== "attached" || !(await isInMessage(file))) return remover.remove(file);
    const dueAt = new Date(Date.now() + ATTACHMENT_CHECK_INTERVAL_MS);
    await files.change(file._id, ["attached"], { dueAt });
  };

  /** Handles a batch of due files. @returns whether there may be more */
  return async (signal?: AbortSignal): Promise<boolean> => {
    for (let i = 0; i < SWEEP_BATCH; i++) {
      if (signal?.aborted === true) return true;
      const file = await files.takeDue(new Date());
      if (file === null) return false;
      // Its next check is already scheduled, so a failure doesn't block others.
      await check(file).catch((error: unknown) =>
        logger.warn({ err: error, fileId: file._id }, "file check failed"),
      );
    }
    return true;
  };
}

export const cleanupActions = ({ files }: FileDependencies): Handlers => ({
  /** Metadata only; the contents are available through file.getUrl. */
  "file.exportUser": async ({ params: { userId, cursor } }) => {
    const page = await files.page(userId, cursor ?? undefined, LIMITS.pageMaxItems);
    const last = page.length < LIMITS.pageMaxItems ? undefined : page.at(-1);
    return {
      items: page.filter(isThere).map((file) => ({ kind: "file", data: presentFile(file) })),
      nextCursor: last?._id ?? null,
    };
  },

  /** Attachments stay with their message. */
  "file.forgetUser": async ({ params: { userId } }) => {
    const now = new Date();
    await files.markDeleting({ ownerId: userId, state: "unclaimed" }, now);
    await files.markDeleting({ pictureOf: `user:${userId}` }, now);
    return {};
  },
});

import { type FileStorage, pictureKey, storageKey } from "@fanfare/files";
import type { Handlers, Logger } from "@fanfare/kernel";
import { type Services, LIMITS } from "@fanfare/contract";
import type { FileDocument, FileRepository } from "./file.repository.ts";
import { ownersOf, type Quotas } from "./quotas.ts";
import { ATTACHMENT_CHECK_INTERVAL_MS, SWEEP_BATCH } from "./constants.ts";
import type { FileDependencies } from "./file.dependencies.ts";
import { isThere } from "./downloads.ts";
import { presentFile } from "./file.presenter.ts";

const VARIANTS = ["raw", "image", "thumb"] as const;

interface RemoverOptions {
  files: FileRepository;
  quotas: Quotas;
  storage: Promise<FileStorage>;
  logger: Pick<Logger, "warn">;
}

/** Deletes files: first hides them, then deletes the bytes and finally the document. Every step is idempotent. */
export class Remover {
  readonly #options: RemoverOptions;

  constructor(options: RemoverOptions) {
    this.#options = options;
  }

  /** Resolves when the file is hidden; later failures are retried by the sweep. */
  async remove(file: FileDocument): Promise<void> {
    const { files, logger } = this.#options;
    const fileId = file._id;
    const states = ["uploading", "unclaimed", "attached", "picture"] as const;
    await files.change(fileId, states, { state: "deleting", dueAt: new Date() });
    await this.erase(file).catch((error: unknown) =>
      logger.warn({ err: error, fileId }, "file not deleted, retrying"),
    );
  }

  /** Deletes the bytes and the document of a hidden file. */
  async erase(file: FileDocument): Promise<void> {
    const { files, quotas } = this.#options;
    const storage = await this.#options.storage;
    const fileId = file._id;
    for (const variant of VARIANTS) await storage.delete(storageKey(fileId, variant));
    if (file.pictureName !== undefined) await storage.delete(pictureKey(file.pictureName));
    // Of concurrent calls, only the one that deletes the document frees the space.
    const gone = await files.delete(fileId);
    if (gone !== null) await quotas.add(ownersOf(gone), -gone.bytes);
  }
}

interface SweeperOptions {
  files: FileRepository;
  remover: Remover;
  services: Services;
  logger: Pick<Logger, "warn">;
}

/**
 * Handles due files: aborted uploads, files that were never attached, attachments whose message was deleted or never sent. Every
 * file has a time for its next check, so files left by a dead process are found.
 */
export class Sweeper {
  readonly #options: SweeperOptions;

  constructor(options: SweeperOptions) {
    this.#options = options;
  }

  /** Handles a batch of due files. @returns whether there may be more */
  async sweep(signal?: AbortSignal): Promise<boolean> {
    const { files, logger } = this.#options;
    for (let i = 0; i < SWEEP_BATCH; i++) {
      if (signal?.aborted === true) return true;
      const file = await files.takeDue(new Date());
      if (file === null) return false;
      // Its next check is already scheduled, so a failure doesn't block others.
      await this.#check(file).catch((error: unknown) =>
        logger.warn({ err: error, fileId: file._id }, "file check failed"),
      );
    }
    return true;
  }

  async #check(file: FileDocument): Promise<void> {
    const { files, remover } = this.#options;
    if (file.state === "deleting") return remover.erase(file);
    if (file.state !== "attached" || !(await this.#isInMessage(file))) return remover.remove(file);
    const dueAt = new Date(Date.now() + ATTACHMENT_CHECK_INTERVAL_MS);
    await files.change(file._id, ["attached"], { dueAt });
  }

  async #isInMessage({ _id, channelId, ownerId, nonce }: FileDocument): Promise<boolean> {
    if (channelId === undefined || nonce === undefined) return false;
    const sent = { channelId, authorId: ownerId, nonce };
    const { attachments } = await this.#options.services.message.findSent(sent);
    return attachments.some(({ fileId }) => fileId === _id);
  }
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

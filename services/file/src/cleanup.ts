import { type FileStorage, pictureKey, storageKey } from "@fanfare/files";
import type { Handlers, Logger } from "@fanfare/kernel";
import { type Services, LIMITS } from "@fanfare/contract";
import type { FileDocument, FileRepository } from "./file.repository.ts";
import { ownersOf, type Quotas } from "./quotas.ts";
import { CHECKED_EVERY_MS, SWEEP_BATCH } from "./bounds.ts";
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

/** Deletes files: first hides them from users, then deletes the bytes and at last the record. Every step is repeatable. */
export class Remover {
  readonly #options: RemoverOptions;

  constructor(options: RemoverOptions) {
    this.#options = options;
  }

  /** When this resolves no user can read the file; what fails after that is retried later. */
  async remove(file: FileDocument): Promise<void> {
    const { files, logger } = this.#options;
    const fileId = file._id;
    const states = ["uploading", "unclaimed", "attached", "picture"] as const;
    await files.change(fileId, states, { state: "deleting", dueAt: new Date() });
    await this.erase(file).catch((error: unknown) =>
      logger.warn({ err: error, fileId }, "file not deleted, retrying"),
    );
  }

  /** The bytes and the record of a file that is marked already. */
  async erase(file: FileDocument): Promise<void> {
    const { files, quotas } = this.#options;
    const storage = await this.#options.storage;
    const fileId = file._id;
    for (const variant of VARIANTS) await storage.delete(storageKey(fileId, variant));
    if (file.pictureName !== undefined) await storage.delete(pictureKey(file.pictureName));
    // Two that are at it give the room back once.
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
 * Deals with files whose time has come: uploads that were broken off, files that were never attached, attachments whose
 * message is gone or was never sent. Whatever a process left halfway is found here, because each file says when to look at it.
 */
export class Sweeper {
  readonly #options: SweeperOptions;

  constructor(options: SweeperOptions) {
    this.#options = options;
  }

  /** Everything that is due, but no more than a batch. @returns whether there may be more */
  async sweep(signal?: AbortSignal): Promise<boolean> {
    const { files, logger } = this.#options;
    for (let i = 0; i < SWEEP_BATCH; i++) {
      if (signal?.aborted === true) return true;
      const file = await files.takeDue(new Date());
      if (file === null) return false;
      // It has been put off, so one that fails keeps no other waiting.
      await this.#look(file).catch((error: unknown) =>
        logger.warn({ err: error, fileId: file._id }, "file check failed"),
      );
    }
    return true;
  }

  async #look(file: FileDocument): Promise<void> {
    const { files, remover } = this.#options;
    if (file.state === "deleting") return remover.erase(file);
    if (file.state !== "attached" || !(await this.#isInMessage(file))) return remover.remove(file);
    const dueAt = new Date(Date.now() + CHECKED_EVERY_MS);
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
  /** What is known of the files, not their bytes: file.getUrl leads to those. */
  "file.exportUser": async ({ params: { userId, cursor } }) => {
    const page = await files.page(userId, cursor ?? undefined, LIMITS.pageMaxItems);
    const last = page.length < LIMITS.pageMaxItems ? undefined : page.at(-1);
    return {
      items: page.filter(isThere).map((file) => ({ kind: "file", data: presentFile(file) })),
      nextCursor: last?._id ?? null,
    };
  },

  /** What is part of a message stays with it. */
  "file.forgetUser": async ({ params: { userId } }) => {
    const now = new Date();
    await files.markDeleting({ ownerId: userId, state: "unclaimed" }, now);
    await files.markDeleting({ pictureOf: `user:${userId}` }, now);
    return {};
  },
});

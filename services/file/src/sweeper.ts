import type { Call } from "@fanfare/contract";
import type { Logger } from "@fanfare/kernel";
import { CHECKED_EVERY_MS, SWEEP_BATCH } from "./bounds.ts";
import type { FileDocument, FileRepository } from "./file.repository.ts";
import type { Remover } from "./remover.ts";

interface SweeperOptions {
  files: FileRepository;
  remover: Remover;
  call: Call;
  logger: Pick<Logger, "warn">;
}

/**
 * Deals with files whose time has come: uploads that were broken off, files that nobody has attached to anything, attachments whose
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
        logger.warn({ err: error, fileId: file._id }, "a file could not be looked at"),
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
    const { attachments } = await this.#options.call("message.findSent", sent);
    return attachments.some(({ fileId }) => fileId === _id);
  }
}

import { pictureKey, storageKey, type FileStorage } from "@fanfare/files";
import type { Logger } from "@fanfare/kernel";
import type { FileDocument, FileRepository } from "./file.repository.ts";
import { ownersOf, type Quotas } from "./quotas.ts";

const VARIANTS = ["raw", "image", "thumb"] as const;

interface RemoverOptions {
  files: FileRepository;
  quotas: Quotas;
  storage: Promise<FileStorage>;
  logger: Pick<Logger, "warn">;
}

/** Deletes files: first for everybody who could ask, then the bytes, and what is known of them last. Every step is repeatable. */
export class Remover {
  readonly #options: RemoverOptions;

  constructor(options: RemoverOptions) {
    this.#options = options;
  }

  /** From when this is answered nobody gets at the file; what fails after that is done later. */
  async remove(file: FileDocument): Promise<void> {
    const { files, logger } = this.#options;
    const fileId = file._id;
    const states = ["uploading", "unclaimed", "attached", "picture"] as const;
    await files.change(fileId, states, { state: "deleting", dueAt: new Date() });
    await this.erase(file).catch((error: unknown) =>
      logger.warn({ err: error, fileId }, "a file could not be deleted; it is tried again"),
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

import type { FileStorage, FileUrls } from "@fanfare/files";
import type { NodeContext, WorkQueue } from "@fanfare/kernel";
import type { FileRepository } from "./file.repository.ts";
import type { Quotas } from "./quotas.ts";
import type { Remover } from "./cleanup.ts";

/** Dependencies of the actions of this service. */
export interface FileDependencies {
  node: NodeContext;
  files: FileRepository;
  quotas: Quotas;
  storage: Promise<FileStorage>;
  urls: FileUrls;
  /** Queue for re-encoding images. */
  images: WorkQueue;
  remover: Remover;
}

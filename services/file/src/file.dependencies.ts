import type { FileStorage, FileUrls } from "@fanfare/files";
import type { NodeContext, WorkQueue } from "@fanfare/kernel";
import type { FileRepository } from "./file.repository.ts";
import type { Quotas } from "./quotas.ts";
import type { Remover } from "./cleanup.ts";

/** What the actions of this service work with. */
export interface FileDependencies {
  node: NodeContext;
  files: FileRepository;
  quotas: Quotas;
  storage: Promise<FileStorage>;
  urls: FileUrls;
  /** Re-encoding of images. */
  images: WorkQueue;
  remover: Remover;
}

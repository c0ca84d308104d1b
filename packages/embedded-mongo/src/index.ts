export {
  DataFolderCorruptError,
  DataFolderInUseError,
  DataFolderMismatchError,
  SyncFailedError,
} from "./errors.ts";
export type { EmbeddedMongoOptions, ListenOptions } from "./options.ts";
export { startEmbeddedMongoProcess } from "./remote/child.ts";
export type { SupervisedMongo } from "./remote/supervise.ts";
export { startEmbeddedMongoWorker } from "./remote/worker.ts";
export { type EmbeddedMongo, startEmbeddedMongo } from "./start.ts";

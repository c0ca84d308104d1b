export {
  DataFolderCorruptError,
  DataFolderInUseError,
  DataFolderMismatchError,
  SyncFailedError,
} from "./errors.ts";
export type { EmbeddedMongoOptions, ListenOptions } from "./options.ts";
export { startEmbeddedMongoProcess, type SupervisedMongo } from "./remote/child.ts";
export { type EmbeddedMongo, startEmbeddedMongo } from "./start.ts";

export {
  DataFolderCorruptError,
  DataFolderInUseError,
  DataFolderMismatchError,
  JournalFailedError,
} from "./errors.ts";
export type { EmbeddedMongoOptions, ListenOptions } from "./options.ts";
export { type EmbeddedMongo, startEmbeddedMongo } from "./start.ts";
export { type EmbeddedMongoWorker, startEmbeddedMongoWorker } from "./worker.ts";

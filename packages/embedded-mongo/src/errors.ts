import type { Document } from "bson";

/**
 * MongoDB's error codes that this server uses (src/mongo/base/error_codes.yml of the MongoDB server). Drivers and mongoose rely on
 * the numbers.
 */
export const ErrorCodes = {
  InternalError: 1,
  BadValue: 2,
  NoSuchKey: 4,
  FailedToParse: 9,
  Unauthorized: 13,
  TypeMismatch: 14,
  InvalidLength: 16,
  IllegalOperation: 20,
  NamespaceNotFound: 26,
  IndexNotFound: 27,
  PathNotViable: 28,
  ConflictingUpdateOperators: 40,
  CursorNotFound: 43,
  MaxTimeMSExpired: 50,
  NamespaceExists: 48,
  DollarPrefixedFieldName: 52,
  InvalidIdField: 53,
  NotSingleValueField: 54,
  EmptyFieldName: 56,
  CommandNotFound: 59,
  ImmutableField: 66,
  CannotCreateIndex: 67,
  InvalidOptions: 72,
  InvalidNamespace: 73,
  IndexOptionsConflict: 85,
  IndexKeySpecsConflict: 86,
  WriteConflict: 112,
  ConflictingOperationInProgress: 117,
  NotAReplicaSet: 123,
  CommandFailed: 125,
  CursorInUse: 143,
  CannotIndexParallelArrays: 171,
  QueryPlanKilled: 175,
  TransactionTooOld: 225,
  CursorKilled: 237,
  SnapshotUnavailable: 246,
  NoSuchTransaction: 251,
  TransactionCommitted: 256,
  TransactionTooLarge: 257,
  IndexBuildAborted: 276,
  OperationNotSupportedInTransaction: 263,
  QueryExceededMemoryLimitNoDiskUseAllowed: 292,
  InvalidPipelineOperator: 168,
  DuplicateKey: 11000,
  MergeStageNoMatchingDocument: 13113,
  BSONObjectTooLarge: 10334,
  OutOfDiskSpace: 14031,
  ConversionFailure: 241,
  Interrupted: 11601,
} as const;

/** Other errors are named after their number. */
type CodeName = keyof typeof ErrorCodes | `Location${number}`;

const codeOf = (name: CodeName): number =>
  name in ErrorCodes ? ErrorCodes[name as keyof typeof ErrorCodes] : Number(name.slice("Location".length));

/** An error sent to the client as `{ ok: 0, code, codeName, errmsg, ...details }` or as a write error. */
export class CommandError extends Error {
  readonly code: number;
  readonly codeName: CodeName;
  readonly details: Document;

  constructor(codeName: CodeName, message: string, details: Document = {}) {
    super(message);
    this.name = "CommandError";
    this.codeName = codeName;
    this.code = codeOf(codeName);
    this.details = details;
  }
}

/** https://www.sqlite.org/rescode.html */
const SQLITE_FULL = 13;

/** Maps a SQLite error to the error sent to the client; undefined for other errors. */
export function asCommandError(error: unknown): CommandError | undefined {
  if (error instanceof CommandError) return error;
  if (!(error instanceof Error) || !("errcode" in error)) return undefined;
  if (error.errcode === SQLITE_FULL) {
    return new CommandError(
      "OutOfDiskSpace",
      "The disk of the embedded database is full, or maxDataBytes is reached. Reads still work. Free up space or delete something.",
    );
  }
  return new CommandError(
    "InternalError",
    `The embedded database cannot read or write its file: ${error.message}`,
  );
}

/** Another running process uses this data folder. The message is a single line for printing. */
export class DataFolderInUseError extends Error {
  readonly dir: string;
  readonly pid: number | undefined;
  /** The address of that process, if it is the default and accessible to this user. */
  readonly uri: string | undefined;

  constructor(dir: string, pid: number | undefined, uri: string | undefined) {
    super(`The data folder ${dir} is in use by ${pid === undefined ? "another process" : `process ${pid}`}.`);
    this.name = "DataFolderInUseError";
    this.dir = dir;
    this.pid = pid;
    this.uri = uri;
  }
}

/** The data folder was written by another engine or a newer version. */
export class DataFolderMismatchError extends Error {
  readonly dir: string;

  constructor(dir: string, message: string) {
    super(message);
    this.name = "DataFolderMismatchError";
    this.dir = dir;
  }
}

/** A file of the data folder is missing, or damaged in a way that a crash can't cause. */
export class DataFolderCorruptError extends Error {
  readonly file: string;

  constructor(file: string, reason: string) {
    super(
      `${file}: ${reason}. Nothing was changed. Restore the data folder from a backup, or move it away to start empty.`,
    );
    this.name = "DataFolderCorruptError";
    this.file = file;
  }
}

/** Syncing to disk failed: the server stops acknowledging writes and shuts down. */
export class SyncFailedError extends Error {
  constructor(cause: unknown) {
    super(
      `The database cannot be synced to disk: ${cause instanceof Error ? cause.message : String(cause)}`,
      {
        cause,
      },
    );
    this.name = "SyncFailedError";
  }
}

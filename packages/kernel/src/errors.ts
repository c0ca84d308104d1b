import {
  ERRORS,
  isRetryable,
  LIMITS,
  type ErrorCode,
  type ErrorData,
  type WireError,
} from "@fanfare/contract";
import { Errors } from "moleculer";

/** The error class of all services: an error code of the contract, with its data. */
export class ServiceError extends Errors.MoleculerError {
  override readonly name = "ServiceError";
  declare readonly code: number;
  declare readonly type: ErrorCode;

  constructor(code: ErrorCode, data?: unknown) {
    const retryable = isRetryable(code);
    const { stackTraceLimit } = Error;
    // No stack trace: capturing it would be most of the cost of a rejection under overload.
    if (retryable) Error.stackTraceLimit = 0;
    super(ERRORS[code].message, ERRORS[code].status, code, data);
    Error.stackTraceLimit = stackTraceLimit;
    this.retryable = retryable;
  }
}

type DataArgument<C extends ErrorCode> = ErrorData<C> extends undefined ? [] : [data: ErrorData<C>];

/** Creates the error of a code; the compiler requires the data that belongs to it. */
export function serviceError<C extends ErrorCode>(code: C, ...data: DataArgument<C>): ServiceError {
  return new ServiceError(code, data[0]);
}

/** @throws {ServiceError} with the code if `found` is null or undefined */
export function orThrow<T, C extends ErrorCode>(found: T, code: C, ...data: DataArgument<C>): NonNullable<T> {
  if (found === null || found === undefined) throw serviceError(code, ...data);
  return found;
}

const BUSY_RETRY_MS = 1000;

export const unavailable = (retryAfterMs = BUSY_RETRY_MS): ServiceError =>
  serviceError("UNAVAILABLE", { retryAfterMs });

export const overloaded = (retryAfterMs = BUSY_RETRY_MS): ServiceError =>
  serviceError("OVERLOADED", { retryAfterMs });

/** For params that the schema can't validate. */
export const invalid = (path: string, message: string): ServiceError =>
  serviceError("VALIDATION_FAILED", { issues: [{ path, message }] });

type LimitName = keyof typeof LIMITS;

export const limitReached = (limit: LimitName, max: number = LIMITS[limit]): ServiceError =>
  serviceError("LIMIT_REACHED", { limit, max });

/** @throws {ServiceError} LIMIT_REACHED if the limit is reached */
export function assertBelow(limit: LimitName, count: number, max: number = LIMITS[limit]): void {
  if (count >= max) throw limitReached(limit, max);
}

function isErrorCode(type: unknown): type is ErrorCode {
  return typeof type === "string" && Object.hasOwn(ERRORS, type);
}

/** The process can't start. The message tells the operator why and what to do, without secrets. */
export class StartError extends Error {
  override readonly name = "StartError";
}

/** A server that this process needs can't be reached: in one line, where it is, without a password, and why. */
export function unreachable(server: string, address: string, cause: unknown, advice: string): StartError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const place = address.replace(/\/\/[^@/]*@/, "//");
  return new StartError(`${server} at ${place} cannot be reached: ${reason}. ${advice}`, { cause });
}

/**
 * Converts a thrown value to an error of the contract. Unknown errors become INTERNAL and keep the cause for the log, so no
 * internal details leave the server.
 */
export function toServiceError(thrown: unknown): ServiceError {
  if (thrown instanceof ServiceError) return thrown;
  if (
    thrown instanceof Errors.ServiceNotFoundError ||
    thrown instanceof Errors.ServiceNotAvailableError ||
    thrown instanceof Errors.RequestTimeoutError ||
    thrown instanceof Errors.RequestRejectedError ||
    thrown instanceof Errors.BrokerDisconnectedError ||
    isDatabaseUnavailable(thrown) ||
    isOutOfDescriptors(thrown)
  ) {
    return unavailable();
  }
  if (
    thrown instanceof Errors.QueueIsFullError ||
    (thrown instanceof Error && thrown.name === "JobQueueFullError")
  )
    return overloaded();
  if (isStorageFull(thrown)) return serviceError("STORAGE_FULL");
  const error = serviceError("INTERNAL");
  error.cause = thrown;
  return error;
}

/** Temporary database failures: no connection, no primary, or a timeout. Matched by name, because gateways do not load the driver. */
const DATABASE_UNAVAILABLE: ReadonlySet<string> = new Set([
  "MongoNetworkError",
  "MongoNetworkTimeoutError",
  "MongoPoolClearedError",
  "MongoPoolClearedOnNetworkError",
  "MongoServerSelectionError",
  "MongoOperationTimeoutError",
  "MongoWaitQueueTimeoutError",
]);

function isDatabaseUnavailable(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  // The driver wraps the error that aborted a bulk write in this field.
  const isWrapped = thrown.name === "MongoBulkWriteError" && "errorResponse" in thrown;
  return isWrapped ? isDatabaseUnavailable(thrown.errorResponse) : DATABASE_UNAVAILABLE.has(thrown.name);
}

/** Open files of this process (`ulimit -n`) or of the machine; temporary, because closing connections frees some. */
function isOutOfDescriptors(thrown: unknown): boolean {
  const code = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
  return code === "EMFILE" || code === "ENFILE";
}

/** MongoDB's OutOfDiskSpace, also returned by the embedded database when its size limit is reached. */
function isStorageFull(thrown: unknown): boolean {
  return typeof thrown === "object" && thrown !== null && "code" in thrown && thrown.code === 14_031;
}

export function toWireError(error: ServiceError, requestId: string): WireError {
  return {
    type: error.type,
    message: error.message,
    ...(error.data === undefined ? {} : { data: error.data }),
    retryable: error.retryable,
    requestId,
  };
}

/** Restores a ServiceError received over the bus; Moleculer restores all others. */
export class ServiceErrorRegenerator extends Errors.Regenerator {
  override restoreCustomError(plain: { name?: string; type?: unknown; data?: unknown }): Error {
    if (plain.name === "ServiceError" && isErrorCode(plain.type))
      return new ServiceError(plain.type, plain.data);
    // If undefined, Moleculer restores the error itself; its typings don't allow it.
    return undefined as unknown as Error;
  }
}

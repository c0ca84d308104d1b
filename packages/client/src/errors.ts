import type { ErrorCode, WireError } from "@fanfare/contract";

/**
 * Errors that occur without a response of the server:
 *
 * - `CONNECTION_LOST`: the server could not be reached, or the connection was lost; the call may have been executed.
 * - `TIMEOUT`: no response in time; the call may have been executed.
 * - `UNEXPECTED_ANSWER`: the response is not from Fanfare, for example from a proxy.
 * - `CLOSED`: this client was closed.
 * - `TOO_MANY_PENDING`: too many messages are waiting to be sent.
 * - `TOO_MANY_WATCHED`: too many users are watched for presence.
 * - `PROTOCOL_MISMATCH`: the server speaks another version of the protocol.
 */
export type LocalErrorCode =
  | "CONNECTION_LOST"
  | "TIMEOUT"
  | "UNEXPECTED_ANSWER"
  | "CLOSED"
  | "TOO_MANY_PENDING"
  | "TOO_MANY_WATCHED"
  | "PROTOCOL_MISMATCH";

const RETRYABLE: ReadonlySet<string> = new Set<LocalErrorCode>(["CONNECTION_LOST", "TIMEOUT"]);

/** The error class of this SDK. Handle it by `type`; `message` is for people. */
export class FanfareError extends Error {
  override readonly name = "FanfareError";
  readonly type: ErrorCode | LocalErrorCode;
  readonly data: unknown;
  /** Whether the same call can be retried unchanged. */
  readonly retryable: boolean;
  /** The server's request id; empty if the server did not respond. */
  readonly requestId: string;

  constructor(error: Omit<WireError, "type"> & { type: ErrorCode | LocalErrorCode }, cause?: unknown) {
    super(error.message, { cause });
    this.type = error.type;
    this.data = error.data;
    this.retryable = error.retryable;
    this.requestId = error.requestId;
  }

  /** The delay requested by the server in milliseconds; 0 if none. */
  get retryAfterMs(): number {
    const { data } = this;
    if (typeof data !== "object" || data === null || !("retryAfterMs" in data)) return 0;
    return typeof data.retryAfterMs === "number" ? data.retryAfterMs : 0;
  }
}

/** The delay requested by the server in milliseconds; 0 if none. */
export function retryAfterMsOf(error: unknown): number {
  return error instanceof FanfareError ? error.retryAfterMs : 0;
}

export function localError(type: LocalErrorCode, message: string, cause?: unknown): FanfareError {
  return new FanfareError({ type, message, retryable: RETRYABLE.has(type), requestId: "" }, cause);
}

export function isWireError(value: unknown): value is WireError {
  return (
    typeof value === "object" &&
    value !== null &&
    "type" in value &&
    typeof value.type === "string" &&
    "message" in value &&
    typeof value.message === "string"
  );
}

/** The server rejects sockets of this session until a second factor is set up over HTTP. */
export function needsSecondFactor(error: unknown): boolean {
  return error instanceof FanfareError && error.type === "SECOND_FACTOR_REQUIRED";
}

/** Whether the tokens of this session are no longer valid after this error. */
export function endsSession(error: unknown): boolean {
  return (
    error instanceof FanfareError && (error.type === "SESSION_REVOKED" || error.type === "UNAUTHENTICATED")
  );
}

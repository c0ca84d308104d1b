import type { ErrorCode, WireError } from "@fanfare/contract";

/**
 * What can go wrong before an answer of the server is there:
 *
 * - `CONNECTION_LOST`: the server could not be reached, or the connection broke; the call may have been carried out.
 * - `TIMEOUT`: no answer in time; the call may have been carried out.
 * - `UNEXPECTED_ANSWER`: something that is not Fanfare answered, such as a proxy.
 * - `CLOSED`: this client was closed.
 * - `TOO_MANY_PENDING`: too many messages wait to be sent.
 * - `TOO_MANY_WATCHED`: more users would be watched than may be.
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

/** Every error of this SDK. Decide by `type`; `message` is for people. */
export class FanfareError extends Error {
  override readonly name = "FanfareError";
  readonly type: ErrorCode | LocalErrorCode;
  readonly data: unknown;
  /** Whether the same call may be repeated unchanged. */
  readonly retryable: boolean;
  /** The server's id of the request; empty where the server did not answer. */
  readonly requestId: string;

  constructor(error: Omit<WireError, "type"> & { type: ErrorCode | LocalErrorCode }, cause?: unknown) {
    super(error.message, { cause });
    this.type = error.type;
    this.data = error.data;
    this.retryable = error.retryable;
    this.requestId = error.requestId;
  }

  /** How long the server wants to be left alone, in milliseconds; 0 where it did not say. */
  get retryAfterMs(): number {
    const { data } = this;
    if (typeof data !== "object" || data === null || !("retryAfterMs" in data)) return 0;
    return typeof data.retryAfterMs === "number" ? data.retryAfterMs : 0;
  }
}

/** How long the server wants to be left alone, in milliseconds; 0 where it did not say. */
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

/** The server does not connect this session before a second factor is set up, by calls over HTTP. */
export function needsSecondFactor(error: unknown): boolean {
  return error instanceof FanfareError && error.type === "SECOND_FACTOR_REQUIRED";
}

/** The errors after which the tokens of this session are of no use any more. */
export function endsSession(error: unknown): boolean {
  return (
    error instanceof FanfareError && (error.type === "SESSION_REVOKED" || error.type === "UNAUTHENTICATED")
  );
}

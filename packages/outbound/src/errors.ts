/**
 * - `BAD_URL`: not http or https, with a user name or password, or with a port that is not allowed.
 * - `FORBIDDEN_ADDRESS`: the name leads to an address that is not public.
 * - `UNREACHABLE`: no such name, no connection, or it broke off.
 * - `TIMEOUT`: not done in time.
 * - `TOO_MANY_REDIRECTS`: or a redirect that leads nowhere.
 */
export type OutboundErrorCode =
  | "BAD_URL"
  | "FORBIDDEN_ADDRESS"
  | "UNREACHABLE"
  | "TIMEOUT"
  | "TOO_MANY_REDIRECTS";

export class OutboundError extends Error {
  override readonly name = "OutboundError";
  readonly code: OutboundErrorCode;

  constructor(code: OutboundErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

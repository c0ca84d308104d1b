/**
 * - `BAD_URL`: not http or https, with a username or password, or with a port that is not allowed.
 * - `FORBIDDEN_ADDRESS`: the host resolves to an address that is not public.
 * - `UNREACHABLE`: the host can't be resolved or connected to, or the connection was lost.
 * - `TIMEOUT`: the request was not completed in time.
 * - `TOO_MANY_REDIRECTS`: more redirects than allowed, or a redirect of a request that isn't a GET.
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

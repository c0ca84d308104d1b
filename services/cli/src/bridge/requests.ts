import { REQUEST_TIMEOUT_MS } from "./constants.ts";

export interface Answer {
  /** 0 if there is no answer. */
  status: number;
  body: string;
  /** What the server asks to wait. */
  retryAfterMs: number;
  hasTimedOut?: boolean;
}

/** Never rejects, except when `signal` is aborted. */
export async function request(
  url: string,
  init: RequestInit,
  signal: AbortSignal,
  timeoutMs = REQUEST_TIMEOUT_MS,
): Promise<Answer> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, {
      ...init,
      // A redirect would turn a POST into a GET, and pass the token on.
      redirect: "manual",
      signal: AbortSignal.any([signal, timeout]),
    });
    const retryAfterMs = (Number(response.headers.get("retry-after")) || 0) * 1000;
    return { status: response.status, body: await response.text(), retryAfterMs };
  } catch (error) {
    signal.throwIfAborted();
    return { status: 0, body: reasonOf(error), retryAfterMs: 0, hasTimedOut: timeout.aborted };
  }
}

export const isOk = ({ status }: Answer): boolean => status >= 200 && status < 300;

/** Whether the same request can succeed later. */
export const isTemporary = ({ status }: Answer): boolean =>
  status === 0 || status === 408 || status === 429 || status >= 500;

export function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}

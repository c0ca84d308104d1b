import type { ActionName, WireAnswer } from "@fanfare/contract";
import { FanfareError, isWireError, localError } from "./errors.ts";

/**
 * Calls an action by HTTP.
 * @throws {FanfareError} the server's error, or CONNECTION_LOST, TIMEOUT, UNEXPECTED_ANSWER
 */
export async function callByHttp(
  url: string,
  name: ActionName,
  params: unknown,
  accessToken: string | undefined,
  timeoutMs: number,
): Promise<unknown> {
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (accessToken !== undefined) headers["authorization"] = `Bearer ${accessToken}`;
  const signal = AbortSignal.timeout(timeoutMs);
  let status: number;
  let body: string;
  try {
    const request = { method: "POST", headers, body: JSON.stringify(params), signal };
    const response = await fetch(`${url}/api/${name}`, request);
    status = response.status;
    body = await response.text();
  } catch (error) {
    if (signal.aborted) throw localError("TIMEOUT", `${name} got no response within ${timeoutMs} ms.`, error);
    throw localError("CONNECTION_LOST", `The server at ${url} cannot be reached.`, error);
  }
  return unwrap(parse(body), `HTTP ${status}`);
}

/**
 * The data of a response.
 * @throws {FanfareError} the error in the response, or UNEXPECTED_ANSWER
 */
export function unwrap(answer: unknown, origin: string): unknown {
  if (isWireResponse(answer)) {
    if (answer.ok) return answer.data;
    if (isWireError(answer.error)) throw new FanfareError(answer.error);
  }
  throw localError(
    "UNEXPECTED_ANSWER",
    `The response is not from a Fanfare server. Check the address ${origin}.`,
  );
}

function isWireResponse(value: unknown): value is WireAnswer<unknown> {
  return typeof value === "object" && value !== null && "ok" in value && typeof value.ok === "boolean";
}

/** undefined if it is not valid JSON. */
export function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** The gateway URLs of a client, of which one is used at a time. */
export class GatewayUrls {
  readonly #origins: readonly string[];
  #index = 0;

  /** @throws {TypeError} if there is none, or one is not a valid URL */
  constructor(urls: string | readonly string[]) {
    this.#origins = (typeof urls === "string" ? [urls] : urls).map((url) => new URL(url).origin);
    if (this.#origins.length === 0) throw new TypeError("Pass at least one gateway URL.");
  }

  get current(): string {
    return this.#origins[this.#index]!;
  }

  /** Moves to the next gateway. */
  next(): void {
    this.#index = (this.#index + 1) % this.#origins.length;
  }
}

import type { Agent, Dispatcher } from "undici";
import {
  createAddressRules,
  type GuardedConnectOptions,
  OutboundError,
  type Resolve,
} from "./guarded-connect.ts";

export { OutboundError, type OutboundErrorCode } from "./guarded-connect.ts";

export interface OutboundOptions {
  /** Networks that can be reached even though they aren't public, on any port. */
  allow?: readonly string[];
  /** Default: 80 and 443. */
  ports?: readonly number[];
  userAgent: string;
  /** For tests. Default: the system's resolver. */
  resolve?: Resolve;
}

export interface OutboundRequest {
  url: string;
  method?: "GET" | "POST";
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** For the whole request in milliseconds, including DNS, redirects and the body. */
  timeoutMs: number;
  /** The maximum size of the response body; the rest is not read. */
  maxBytes: number;
  /** Default: 0, which returns the redirect itself. */
  maxRedirects?: number;
  /** Whether to read a body of this type. Default: always. */
  wantsType?: (contentType: string) => boolean;
  signal?: AbortSignal;
}

export interface OutboundResponse {
  /** The final URL, after redirects. */
  url: string;
  status: number;
  contentType: string;
  /** Empty if the type was not wanted or the body is compressed. */
  body: Buffer;
  /** Whether the body was longer than `maxBytes`. */
  isTruncated: boolean;
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const MAX_URL_CHARS = 2048;
const MAX_HEADER_BYTES = 16 * 1024;
const DEFAULT_PORTS = [80, 443];

/** HTTP client for URLs from users, protected against SSRF: addresses are checked on connect, and again for each redirect. */
export class Outbound {
  readonly #connect: GuardedConnectOptions;
  readonly #userAgent: string;
  #agent: Promise<Agent> | undefined;

  /** @throws {TypeError} if an entry of `allow` is invalid */
  constructor({ allow = [], ports = DEFAULT_PORTS, userAgent, resolve }: OutboundOptions) {
    this.#userAgent = userAgent;
    this.#connect = {
      rules: createAddressRules(allow),
      ports,
      connectTimeoutMs: 5000,
      ...(resolve !== undefined && { resolve }),
    };
  }

  /** @throws {OutboundError} */
  async request(request: OutboundRequest): Promise<OutboundResponse> {
    const { timeoutMs, maxRedirects = 0 } = request;
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = request.signal === undefined ? timeout : AbortSignal.any([timeout, request.signal]);
    try {
      let url = parseUrl(request.url);
      for (let redirects = 0; ; redirects += 1) {
        const response = await this.#once(url, request, signal);
        if (typeof response !== "string") return response;
        if (redirects >= maxRedirects || (request.method ?? "GET") !== "GET")
          throw new OutboundError("TOO_MANY_REDIRECTS", `${request.url} redirects too many times.`);
        url = parseUrl(response, url);
      }
    } catch (error) {
      throw toOutboundError(error, request, timeout.aborted);
    }
  }

  async close(): Promise<void> {
    await (await this.#agent)?.destroy();
  }

  /** Loads the library with the first request, because most processes never make one. */
  async #open(): Promise<Agent> {
    const [undici, { createGuardedConnect }] = await Promise.all([
      import("undici"),
      import("./guarded-connect.ts"),
    ]);
    const connect = createGuardedConnect(this.#connect);
    // No keep-alive, so that every request resolves and checks the name again.
    return new undici.Agent({ connect, pipelining: 0, maxHeaderSize: MAX_HEADER_BYTES });
  }

  /** @returns the response, or the redirect's target if redirects are followed */
  async #once(url: URL, request: OutboundRequest, signal: AbortSignal): Promise<OutboundResponse | string> {
    const agent = await (this.#agent ??= this.#open());
    const { statusCode, headers, body } = await agent.request({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method: request.method ?? "GET",
      headers: { "user-agent": this.#userAgent, "accept-encoding": "identity", ...request.headers },
      body: request.body ?? null,
      signal,
    });
    const { location } = headers;
    if ((request.maxRedirects ?? 0) > 0 && REDIRECTS.has(statusCode) && typeof location === "string") {
      discard(body);
      return location;
    }
    const contentType = String(headers["content-type"] ?? "").toLowerCase();
    const isReadable =
      headers["content-encoding"] === undefined || headers["content-encoding"] === "identity";
    const isWanted = isReadable && (request.wantsType?.(contentType) ?? true);
    const read = isWanted
      ? await readUpTo(body, request.maxBytes)
      : { body: Buffer.alloc(0), isTruncated: false };
    if (!isWanted) discard(body);
    return { url: url.href, status: statusCode, contentType, ...read };
  }
}

/** @throws {OutboundError} BAD_URL */
function parseUrl(text: string, base?: URL): URL {
  const url = text.length > MAX_URL_CHARS ? null : URL.parse(text, base?.href);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:"))
    throw new OutboundError("BAD_URL", "The URL must start with https:// or http://.");
  if (url.username !== "" || url.password !== "")
    throw new OutboundError("BAD_URL", "The URL must not contain a username or password.");
  return url;
}

type Body = Dispatcher.ResponseData["body"];

async function readUpTo(body: Body, maxBytes: number): Promise<{ body: Buffer; isTruncated: boolean }> {
  const chunks: Buffer[] = [];
  let left = maxBytes;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk.subarray(0, left));
    left -= chunk.length;
    if (left < 0) break;
  }
  // `break` closes the connection.
  return { body: Buffer.concat(chunks), isTruncated: left < 0 };
}

/** Closes the connection too. */
function discard(body: Body): void {
  body.on("error", () => {});
  body.destroy();
}

function toOutboundError(
  thrown: unknown,
  { url, timeoutMs }: OutboundRequest,
  isLate: boolean,
): OutboundError {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if (error instanceof OutboundError) return error;
  }
  if (isLate) return new OutboundError("TIMEOUT", `${url} did not respond within ${timeoutMs} ms.`, thrown);
  return new OutboundError("UNREACHABLE", `${url} cannot be reached.`, thrown);
}

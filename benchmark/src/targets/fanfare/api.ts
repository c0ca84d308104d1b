import type { ActionName, Message, Params, Result, WireAnswer } from "@fanfare/contract";
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";

const MAX_ATTEMPTS = 4;
const MAX_RETRY_AFTER_MS = 15_000;
const REQUEST_TIMEOUT_MS = 30_000;
const NETWORK_RETRY_MS = 200;
const PAGE_MESSAGES = 100;

/** An error from the server, or one that kept it from answering: `code` goes to the error table. */
export class ApiError extends Error {
  readonly code: string;
  /** undefined: a retry does not help. */
  readonly retryAfterMs: number | undefined;

  constructor(action: string, code: string, message: string, retryAfterMs: number | undefined) {
    super(`${action}: ${code}: ${message}`);
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The platform's HTTP API: `POST /api/<action>`. Uses node:http, which costs a third of `fetch`. */
export class Api {
  readonly #base: URL;
  readonly #request: typeof httpRequest;
  readonly #agent: HttpAgent | HttpsAgent;
  readonly #onError: (code: string) => void;

  /** @param onError called for every failed attempt, including those that are retried */
  constructor(url: string, maxSockets: number, onError: (code: string) => void = () => {}) {
    this.#base = new URL("/api/", url);
    const isSecure = this.#base.protocol === "https:";
    this.#request = isSecure ? httpsRequest : httpRequest;
    this.#agent = new (isSecure ? HttpsAgent : HttpAgent)({ keepAlive: true, maxSockets });
    this.#onError = onError;
  }

  /** Calls an action; retries a few times if the server says that this helps. */
  async call<N extends ActionName>(
    action: N,
    params: Params<N>,
    token?: string,
    signal?: AbortSignal,
  ): Promise<Result<N>> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#attempt(action, params, token, signal);
      } catch (error) {
        signal?.throwIfAborted();
        if (!(error instanceof ApiError)) throw error;
        this.#onError(error.code);
        if (error.retryAfterMs === undefined || attempt === MAX_ATTEMPTS) throw error;
        await sleep(Math.min(error.retryAfterMs, MAX_RETRY_AFTER_MS), undefined, { signal });
      }
    }
  }

  /**
   * All messages of a channel, in order.
   * @param token called for each page: it may have to be renewed
   */
  async *messages(
    channelId: string,
    token: () => string | Promise<string>,
    signal?: AbortSignal,
  ): AsyncGenerator<Message> {
    for (let after = 0; ;) {
      const page = { channelId, after, limit: PAGE_MESSAGES };
      const { messages, hasMore } = await this.call("message.list", page, await token(), signal);
      yield* messages;
      const last = messages.at(-1);
      if (!last || !hasMore) return;
      after = last.seq;
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  async #attempt<N extends ActionName>(
    action: N,
    params: Params<N>,
    token: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Result<N>> {
    const body = JSON.stringify(params);
    const { status, text } = await this.#post(action, body, token, signal);
    let answer: WireAnswer<Result<N>>;
    try {
      answer = JSON.parse(text) as WireAnswer<Result<N>>;
    } catch {
      throw new ApiError(
        action,
        `HTTP_${status}`,
        "the response is not JSON. Is this a Fanfare server?",
        undefined,
      );
    }
    if (answer.ok) return answer.data;
    const { type, message, retryable, data } = answer.error;
    const retryAfterMs = (data as { retryAfterMs?: number } | undefined)?.retryAfterMs ?? NETWORK_RETRY_MS;
    throw new ApiError(action, type, message, retryable ? retryAfterMs : undefined);
  }

  #post(
    action: string,
    body: string,
    token: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<{ status: number; text: string }> {
    return new Promise((resolve, reject) => {
      const request = this.#request(
        new URL(action, this.#base),
        {
          method: "POST",
          agent: this.#agent,
          timeout: REQUEST_TIMEOUT_MS,
          headers: {
            "content-type": "application/json",
            "content-length": Buffer.byteLength(body),
            ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          },
          ...(signal ? { signal } : {}),
        },
        (response: IncomingMessage) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("end", () =>
            resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
          );
          response.on("error", reject);
        },
      );
      request.on("timeout", () =>
        request.destroy(Object.assign(new Error("no response"), { code: "TIMEOUT" })),
      );
      request.on("error", (error: NodeJS.ErrnoException) =>
        reject(new ApiError(action, error.code ?? "NETWORK_ERROR", error.message, NETWORK_RETRY_MS)),
      );
      request.end(body);
    });
  }
}

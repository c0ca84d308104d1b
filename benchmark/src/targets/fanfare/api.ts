import { randomUUID } from "node:crypto";
import type { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { ActionName, Message, Params, Result, WireAnswer } from "@fanfare/contract";
import { connectError } from "../../cli/exit.ts";
import { exchange, keepAliveAgent } from "../exchange.ts";
import { openCaller } from "../socket-io-caller.ts";
import type { Sender } from "../target.ts";

const MAX_ATTEMPTS = 4;
const MAX_RETRY_AFTER_MS = 15_000;
const REQUEST_TIMEOUT_MS = 30_000;
const NETWORK_RETRY_MS = 200;
const PAGE_MESSAGES = 100;

/** An error from the server, or one that kept it from answering: `code` goes to the error table. */
class ApiError extends Error {
  readonly code: string;
  /** undefined: a retry does not help. */
  readonly retryAfterMs: number | undefined;

  constructor(action: string, code: string, message: string, retryAfterMs: number | undefined) {
    super(`${action}: ${code}: ${message}`);
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The platform's HTTP API: `POST /api/<action>`. */
export class Api {
  readonly #base: URL;
  readonly #agent: Agent;
  readonly #onError: (code: string) => void;

  /** @param onError called for every failed attempt, including those that are retried */
  constructor(url: string, maxSockets: number, onError: (code: string) => void = () => {}) {
    this.#base = new URL("/api/", url);
    this.#agent = keepAliveAgent(this.#base, maxSockets);
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
    const options = {
      method: "POST",
      agent: this.#agent,
      timeout: REQUEST_TIMEOUT_MS,
      headers: {
        "content-type": "application/json",
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(signal ? { signal } : {}),
    };
    const answered = exchange(new URL(action, this.#base), options, JSON.stringify(params));
    const { status, text } = await answered.catch((error: NodeJS.ErrnoException) => {
      throw new ApiError(action, error.code ?? "NETWORK_ERROR", error.message, NETWORK_RETRY_MS);
    });
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
}

const ADVICE: Record<string, string | undefined> = {
  GUESTS_DISABLED: " Start it with GUESTS=on for a test: the members of a run are guests.",
  INVITE_REQUIRED: " Start it with REGISTRATION=open for a test.",
  REGISTRATION_CLOSED: " Start it with REGISTRATION=open for a test.",
  RATE_LIMITED: " The server limits the rate: start it with RATE_LIMIT_FACTOR=1000 for a test.",
  ECONNREFUSED: ". Connection refused: start the server first, or omit --url.",
};

/**
 * For calls without which nothing can be measured.
 * @throws {ExitError} instead of an ApiError, with what to do about it
 */
export function explain(error: unknown): never {
  if (!(error instanceof ApiError)) throw error;
  throw connectError(`${error.message}${ADVICE[error.code] ?? ""}`);
}

/** The owner of the group, with the official client. */
export async function openFanfareSender(url: string, token: string, channelId: string): Promise<Sender> {
  const { call, close } = await openCaller(url, { auth: { token } }, "ready").catch(
    (error: Error & { data?: { type?: string } }) => {
      throw new ApiError("connect", error.data?.type ?? "CONNECT_ERROR", error.message, undefined);
    },
  );
  return {
    send: async (content) => {
      const params = { channelId, content, nonce: randomUUID() };
      const answer = (await call("message.send", params)) as WireAnswer<Result<"message.send">>;
      if (!answer.ok) throw new Error(answer.error.type);
    },
    close,
  };
}

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { ActionName, Message, Params, Result, WireAnswer } from "@fanfare/contract";
import { connectError } from "../../cli/exit.ts";
import { ApiError, itemsOf, JsonApi } from "../json-api.ts";
import { openCaller } from "../socket-io-caller.ts";

const MAX_ATTEMPTS = 4;
const MAX_RETRY_AFTER_MS = 15_000;
const PAGE_MESSAGES = 100;

const REGISTRATION_ADVICE = "Start the server with REGISTRATION=open for a test.";
const ADVICE = {
  GUESTS_DISABLED: "Start the server with GUESTS=on for a test: the members of a run are guests.",
  INVITE_REQUIRED: REGISTRATION_ADVICE,
  REGISTRATION_CLOSED: REGISTRATION_ADVICE,
  RATE_LIMITED: "Start the server with RATE_LIMIT_FACTOR=1000 for a test.",
  ECONNREFUSED: "Connection refused: start the server first, or omit --url.",
};

/** The platform's HTTP API: `POST /api/<action>`. */
export class Api {
  readonly #api: JsonApi;

  /** @param onError called for every failed attempt, including those that are retried */
  constructor(url: string, maxSockets: number, onError: (code: string) => void = () => {}) {
    const base = new URL("/api/", url);
    this.#api = new JsonApi({ product: "Fanfare", base, maxSockets, onError, advice: ADVICE });
  }

  /**
   * Calls an action; retries a few times if the server says that this helps.
   * @throws {ApiError}
   */
  async call<N extends ActionName>(
    action: N,
    body: Params<N>,
    token?: string,
    signal?: AbortSignal,
  ): Promise<Result<N>> {
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
    for (let attempt = 1; ; attempt++) {
      try {
        return (await this.#api.call<{ data: Result<N> }>(action, { body, headers, signal })).data;
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        if (error.retryAfterMs === undefined || attempt === MAX_ATTEMPTS) throw error;
        await sleep(Math.min(error.retryAfterMs, MAX_RETRY_AFTER_MS), undefined, { signal });
      }
    }
  }

  /**
   * All messages of a channel, in order.
   * @param token called for each page: it may have to be renewed
   * @throws {ExitError} if they can't be read
   */
  messages(channelId: string, token: () => Promise<string>, signal?: AbortSignal): AsyncGenerator<Message> {
    return allMessages(channelId, async (page) => this.call("message.list", page, await token(), signal));
  }

  close(): void {
    this.#api.close();
  }
}

const allMessages = (
  channelId: string,
  list: (page: Params<"message.list">) => Promise<Result<"message.list">>,
): AsyncGenerator<Message> =>
  itemsOf(async (after: number = 0) => {
    const { messages, hasMore } = await list({ channelId, after, limit: PAGE_MESSAGES }).catch(explain);
    return { items: messages, next: hasMore ? messages.at(-1)?.seq : undefined };
  });

/**
 * For calls without which nothing can be measured.
 * @throws {ExitError} instead of an ApiError
 */
export function explain(error: unknown): never {
  throw error instanceof ApiError ? connectError(error.message) : error;
}

/** The user that sends, with the official client. The connection, unlike other calls, outlives its token. */
export async function openFanfareSender(url: string, token: string, channelId: string) {
  const { call, close } = await openCaller(url, { auth: { token } }, "ready").catch(
    (error: Error & { data?: { type?: string } }) => {
      throw new ApiError("connect", error.data?.type ?? "CONNECT_ERROR", error.message);
    },
  );
  const ask = async <N extends ActionName>(action: N, params: Params<N>) =>
    (await call(action, params)) as WireAnswer<Result<N>>;
  return {
    async send(content: string) {
      const answer = await ask("message.send", { channelId, content, nonce: randomUUID() });
      if (!answer.ok) throw new Error(answer.error.type);
    },
    messages: () =>
      allMessages(channelId, async (page) => {
        const answer = await ask("message.list", page);
        if (answer.ok) return answer.data;
        throw new ApiError("message.list", answer.error.type, answer.error.message);
      }),
    close,
  };
}

import type { Agent, IncomingHttpHeaders } from "node:http";
import { usageError } from "../cli/exit.ts";
import { exchange, keepAliveAgent } from "./exchange.ts";
import { withChannel } from "./tokens.ts";
import type { ChatServer, PluginOptions, Sender, TargetPlugin } from "./plugin.ts";

const REQUEST_TIMEOUT_MS = 60_000;
const NETWORK_RETRY_MS = 200;
const MAX_ATTEMPTS = 3;
/** Servers hash the password of each user, which takes 0.1 s of CPU time. */
const MOST_REGISTRATIONS = 8;

export interface RunningOptions extends PluginOptions {
  url: string;
  existing?: { senderToken: string; channel: string };
}

/** Without what all of them have in common. */
export type RunningServer = Omit<ChatServer, "urls" | "close"> & Partial<Pick<ChatServer, "close">>;

/** A kind of server that is always running: the tester can't start one. */
export function running(
  target: Omit<TargetPlugin, "open"> & { open(options: RunningOptions): Promise<RunningServer> },
): TargetPlugin {
  const { name } = target;
  return {
    ...target,
    mostRegistrations: MOST_REGISTRATIONS,
    async open({ url, existing, ...options }) {
      if (url === undefined) throw usageError(`--target ${name} measures a running server: set its --url.`);
      const shared = existing && withChannel(existing, name);
      const server = await target.open({ ...options, url, existing: shared });
      return { urls: [url], close: async () => {}, ...server };
    },
  };
}

export interface JsonApiOptions {
  /** The name of the product. */
  product: string;
  base: string | URL;
  headers?: Record<string, string>;
  /** What the operator can do about an error, by its code: the server's own, the system's, or such as HTTP_429. */
  advice?: Readonly<Record<string, string>>;
  /** Called for every failed request, including those that are retried. */
  onError: (code: string) => void;
  signal?: AbortSignal;
  /** Default: any number of connections. */
  maxSockets?: number;
}

export interface JsonCall {
  method?: "GET" | "POST" | "PUT" | "DELETE";
  /** Sent as JSON, or as a form. */
  body?: object | URLSearchParams;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
}

/** An error of the server, or one that kept it from answering. */
export class ApiError extends Error {
  readonly code: string;
  /** Without the call, for the table of errors. */
  readonly type: string;
  /** undefined: a retry does not help. */
  readonly retryAfterMs: number | undefined;

  constructor(call: string, code: string, message: string, retryAfterMs?: number) {
    super(`${call}: ${code}: ${message}`);
    this.code = code;
    this.type = `${code}: ${message}`;
    this.retryAfterMs = retryAfterMs;
  }
}

/** As far as the servers have these fields. */
interface Answer {
  message?: string;
  msg?: string;
  error?: string | { code?: number; type?: string; message: string; retryable?: boolean; data?: unknown };
}

/** The HTTP API of a chat server. Answers are JSON. */
export class JsonApi {
  readonly #options: JsonApiOptions;
  readonly #agent: Agent;

  constructor(options: JsonApiOptions) {
    this.#options = options;
    this.#agent = keepAliveAgent(new URL(options.base), options.maxSockets);
  }

  /**
   * Messages are calls: their errors are reported as those of the messages. Each waits for the answer to the one
   * before it, as in the servers' own clients, because requests at the same time overtake each other.
   */
  sender(callOf: (text: string) => [path: string, call: JsonCall]): Sender {
    const api = new JsonApi({ ...this.#options, onError: () => {} });
    let last: Promise<unknown> = Promise.resolve();
    return {
      async send(text) {
        const sending = last.then(() => api.call(...callOf(text)));
        last = sending.catch(() => {});
        await sending;
      },
      close: () => api.close(),
    };
  }

  /**
   * For `close`: runs once, also after Ctrl-C. A failure is only printed.
   * @param what what is deleted, for example "room and users"
   */
  cleanUp(what: string, work: (api: JsonApi) => Promise<void>): () => Promise<void> {
    let cleaned: Promise<void> | undefined;
    const { signal: _, ...options } = this.#options;
    const clean = () =>
      work(new JsonApi(options)).catch((error: Error) => {
        process.stderr.write(`Could not delete the run's ${what} (${error.message}).\n`);
      });
    return () => (cleaned ??= clean());
  }

  /**
   * Retries; only for idempotent calls.
   * @throws {ApiError}
   */
  async callAgain<T>(path: string, call: JsonCall = {}): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.call(path, call);
      } catch (error) {
        if (!(error instanceof ApiError) || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  /** @throws {ApiError} with the path, and the server's message */
  async call<T>(path: string, call: JsonCall = {}): Promise<T> {
    return (await this.callWithHeaders(path, call)).answer as T;
  }

  async callWithHeaders(
    path: string,
    call: JsonCall,
  ): Promise<{ answer: Answer; headers: IncomingHttpHeaders }> {
    const { product, base, headers } = this.#options;
    const { body, method = body === undefined ? "GET" : "POST", signal = this.#options.signal } = call;
    const isForm = body instanceof URLSearchParams;
    const type = isForm ? "application/x-www-form-urlencoded" : "application/json";
    const options = {
      method,
      agent: this.#agent,
      timeout: REQUEST_TIMEOUT_MS,
      headers: { ...(body && { "content-type": type }), ...headers, ...call.headers },
      ...(signal && { signal }),
    };
    const text = body === undefined ? "" : isForm ? body.toString() : JSON.stringify(body);
    const response = await exchange(new URL(path, base), options, text).catch(
      (error: NodeJS.ErrnoException) => {
        signal?.throwIfAborted();
        const message = `${error.message}. Is there a ${product} server?`;
        throw this.#failure(path, error.code ?? "NETWORK_ERROR", message, NETWORK_RETRY_MS);
      },
    );
    const status = `HTTP_${response.status}`;
    let answer: Answer;
    try {
      answer = JSON.parse(response.text) as Answer;
    } catch {
      const help = response.status === 404 ? undefined : this.#options.advice?.[status];
      const message = help ?? `the response is not JSON. Is this a ${product} server?`;
      throw this.#report(new ApiError(nameOf(path), status, message));
    }
    const { error, message = typeof error === "string" ? error : (answer.msg ?? "") } = answer;
    if (typeof error === "object") {
      const { retryAfterMs = NETWORK_RETRY_MS } = (error.data ?? {}) as { retryAfterMs?: number };
      const code = error.type ?? String(error.code);
      throw this.#failure(path, code, error.message, error.retryable ? retryAfterMs : undefined);
    }
    if (response.status < 200 || response.status > 299 || error !== undefined)
      throw this.#failure(path, status, message);
    return { answer, headers: response.headers };
  }

  close(): void {
    this.#agent.destroy();
  }

  #failure(path: string, code: string, message: string, retryAfterMs?: number): ApiError {
    const help = this.#options.advice?.[code];
    const text = help === undefined ? message : `${message.replace(/\.$/, "")}. ${help}`;
    return this.#report(new ApiError(nameOf(path), code, text, retryAfterMs));
  }

  #report(error: ApiError): ApiError {
    this.#options.onError(error.code);
    return error;
  }
}

/** Without the query. */
function nameOf(path: string): string {
  return path.split("?", 1)[0]!;
}

/** @throws {ExitError} that says what the variable is */
export function fromEnvironment(name: string, meaning: string): string {
  const value = process.env[name];
  if (value !== undefined && value !== "") return value;
  throw usageError(`Set the environment variable ${name}: ${meaning}.`);
}

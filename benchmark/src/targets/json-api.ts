import { randomBytes } from "node:crypto";
import type { Agent, IncomingHttpHeaders } from "node:http";
import { usageError } from "../cli/exit.ts";
import { exchange, keepAliveAgent } from "./exchange.ts";
import { withChannel } from "./tokens.ts";
import type { ChatServer, Sender, TargetPlugin } from "./plugin.ts";

const REQUEST_TIMEOUT_MS = 60_000;
const NETWORK_RETRY_MS = 200;
const MAX_ATTEMPTS = 3;
/** Servers hash the password of each user, which takes 0.1 s of CPU time. */
const MOST_REGISTRATIONS = 8;

/** What a running server is opened with. */
export interface Run {
  url: string;
  existing: { senderToken: string; channel: string } | undefined;
  /** For what the run creates. */
  name: string;
  /** Of a member to register, by the password rules of all servers. */
  newUser: () => { username: string; password: string; email: string };
  openApi: (options?: Pick<JsonApiOptions, "headers" | "advice">) => JsonApi;
}

/** Without what all of them have in common. */
export type RunningServer = Omit<ChatServer, "urls" | "close"> & Partial<Pick<ChatServer, "close">>;

interface RunningTarget extends Pick<TargetPlugin, "name" | "dialect"> {
  product: string;
  /** The path of its API. */
  base: string;
  open: (run: Run) => Promise<RunningServer>;
}

/** A kind of server that is always running: the tester can't start one. */
export function running({ name, product, base, dialect, open }: RunningTarget): TargetPlugin {
  return {
    name,
    dialect,
    mostRegistrations: MOST_REGISTRATIONS,
    async open({ url, existing, onError, signal }) {
      if (url === undefined) throw usageError(`--target ${name} measures a running server: set its --url.`);
      const run = `bench-${randomBytes(5).toString("hex")}`;
      let users = 0;
      const server = await open({
        url,
        existing: existing && withChannel(existing, name),
        name: run,
        newUser() {
          const username = `${run}-${users++}`;
          // No character more than three times in a row.
          const password = `Aa1!${randomBytes(12).toString("hex").replaceAll(/../g, "$&-")}`;
          return { username, password, email: `${username}@example.com` };
        },
        openApi: (options) => new JsonApi({ product, base: new URL(base, url), onError, signal, ...options }),
      });
      return { urls: [url], close: async () => {}, ...server };
    },
  };
}

interface JsonApiOptions {
  /** The name of the product. */
  product: string;
  base: URL;
  headers?: Record<string, string>;
  /** What the operator can do about an error, by its code: the server's own, the system's, or such as HTTP_429. */
  advice?: Readonly<Record<string, string>>;
  /** Called for every failed request, including those that are retried. */
  onError: (code: string) => void;
  signal?: AbortSignal;
  /** Default: any number of connections. */
  maxSockets?: number;
}

interface JsonCall {
  method?: "GET" | "POST" | "PUT" | "DELETE";
  /** Sent as JSON, or as a form. */
  body?: object | URLSearchParams;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
}

/** The arguments of `JsonApi.call`. */
export type Call = [path: string, call: JsonCall];

export const deletion = (path: string): Call => [path, { method: "DELETE" }];

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
    this.#agent = keepAliveAgent(options.base, options.maxSockets);
  }

  /** A channel, by how messages are sent there and by how its pages are read. */
  channel<Place>(callOf: (text: string) => Call, read: Read<unknown, Place>): RunningServer {
    return { openSender: async () => this.#sender(callOf), contents: () => itemsOf(read) };
  }

  /**
   * Messages are calls: their errors are reported as those of the messages. Each waits for the answer to the one
   * before it, as in the servers' own clients, because requests at the same time overtake each other.
   */
  #sender(callOf: (text: string) => Call): Sender {
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
   * For `close`: makes the calls one after the other and only once, also after Ctrl-C. A failure is only printed.
   * @param what what is deleted, for example "room and users"
   */
  cleanUp(what: string, calls: () => readonly Call[]): () => Promise<void> {
    let cleaned: Promise<void> | undefined;
    const { signal: _, ...options } = this.#options;
    const clean = async () => {
      const api = new JsonApi(options);
      for (const call of calls()) await api.call(...call);
    };
    const complain = (error: Error) =>
      void process.stderr.write(`Could not delete the run's ${what} (${error.message}).\n`);
    return () => (cleaned ??= clean().catch(complain));
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
  ): Promise<{ answer: unknown; headers: IncomingHttpHeaders }> {
    const { product, base, headers, advice = {} } = this.#options;
    const { body, method = body === undefined ? "GET" : "POST", signal = this.#options.signal } = call;
    const fail = (code: string, message: string, retryAfterMs?: number) => {
      this.#options.onError(code);
      throw new ApiError(path.split("?", 1)[0]!, code, message, retryAfterMs);
    };
    const advised = (code: string, message: string) =>
      advice[code] === undefined ? message : `${message.replace(/\.$/, "")}. ${advice[code]}`;
    const isForm = body instanceof URLSearchParams;
    const type = isForm ? "application/x-www-form-urlencoded" : "application/json";
    const options = {
      method,
      agent: this.#agent,
      timeout: REQUEST_TIMEOUT_MS,
      headers: { ...(body && { "content-type": type }), ...headers, ...call.headers },
      ...(signal && { signal }),
    };
    const sent = body === undefined ? "" : isForm ? body.toString() : JSON.stringify(body);
    const response = await exchange(new URL(path, base), options, sent).catch(
      ({ code = "NETWORK_ERROR", message }: NodeJS.ErrnoException) => {
        signal?.throwIfAborted();
        return fail(code, advised(code, `${message}. Is there a ${product} server?`), NETWORK_RETRY_MS);
      },
    );
    const status = `HTTP_${response.status}`;
    let answer: Answer;
    try {
      answer = JSON.parse(response.text) as Answer;
    } catch {
      const help = response.status === 404 ? undefined : advice[status];
      return fail(status, help ?? `the response is not JSON. Is this a ${product} server?`);
    }
    const { error, message = typeof error === "string" ? error : (answer.msg ?? "") } = answer;
    if (typeof error === "object") {
      const { retryAfterMs = NETWORK_RETRY_MS } = (error.data ?? {}) as { retryAfterMs?: number };
      const code = error.type ?? String(error.code);
      return fail(code, advised(code, error.message), error.retryable ? retryAfterMs : undefined);
    }
    if (response.status < 200 || response.status > 299 || error !== undefined)
      return fail(status, advised(status, message));
    return { answer, headers: response.headers };
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Reads a page, and where the next one begins, if there is one. */
type Read<Item, Place> = (from?: Place) => Promise<{ items: readonly Item[]; next: Place | undefined }>;

/** The items of all pages. */
export async function* itemsOf<Item, Place>(read: Read<Item, Place>): AsyncGenerator<Item> {
  for (let from: Place | undefined; ;) {
    const { items, next } = await read(from);
    yield* items;
    if (next === undefined) return;
    from = next;
  }
}

/** @throws {ExitError} that says what the variable is */
export function fromEnvironment(name: string, meaning: string): string {
  const value = process.env[name];
  if (value !== undefined && value !== "") return value;
  throw usageError(`Set the environment variable ${name}: ${meaning}.`);
}

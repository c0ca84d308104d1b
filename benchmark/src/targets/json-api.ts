import { usageError } from "../cli/exit.ts";
import { withChannel } from "./existing-users.ts";
import type { ChatServer, PluginOptions, Sender, TargetPlugin } from "./plugin.ts";

const REQUEST_TIMEOUT_MS = 120_000;
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
  /** What the operator can do about a status, for example 429. */
  advice?: Record<number, string>;
  onError: (code: string) => void;
  signal: AbortSignal;
}

export interface JsonCall {
  method?: "GET" | "POST" | "PUT" | "DELETE";
  /** Sent as JSON, or as a form. */
  body?: object | URLSearchParams;
  headers?: Record<string, string>;
}

/** The HTTP API of a chat server. Answers are JSON. */
export class JsonApi {
  readonly #options: JsonApiOptions;

  constructor(options: JsonApiOptions) {
    this.#options = options;
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
      close: () => {},
    };
  }

  /**
   * For `close`: runs once, also after Ctrl-C. A failure is only printed.
   * @param what what is deleted, for example "room and users"
   */
  cleanUp(what: string, work: (api: JsonApi) => Promise<void>): () => Promise<void> {
    let cleaned: Promise<void> | undefined;
    const clean = () =>
      work(new JsonApi({ ...this.#options, signal: new AbortController().signal })).catch((error: Error) => {
        process.stderr.write(`Could not delete the run's ${what} (${error.message}).\n`);
      });
    return () => (cleaned ??= clean());
  }

  /**
   * Retries; only for idempotent calls.
   * @throws {Error}
   */
  async callAgain<T>(path: string, call: JsonCall = {}): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.call(path, call);
      } catch (error) {
        if (this.#options.signal.aborted || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  /** @throws {Error} with the path, and the server's message */
  async call<T>(path: string, call: JsonCall = {}): Promise<T> {
    return (await this.callWithHeaders(path, call)).answer as T;
  }

  async callWithHeaders(
    path: string,
    { method, body, headers = {} }: JsonCall,
  ): Promise<{ answer: unknown; headers: Headers }> {
    const { product, base, signal, advice } = this.#options;
    const isJson = body && !(body instanceof URLSearchParams);
    let response: Response;
    let text: string;
    try {
      response = await fetch(new URL(path, base), {
        method: method ?? (body === undefined ? "GET" : "POST"),
        headers: {
          ...(isJson && { "content-type": "application/json" }),
          ...this.#options.headers,
          ...headers,
        },
        ...(body && { body: isJson ? JSON.stringify(body) : body }),
        signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
      });
      text = await response.text();
    } catch (error) {
      signal.throwIfAborted();
      const { name, message, code } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
      throw this.#failure(path, code ?? name, `${message}. Is there a ${product} server?`);
    }
    const status = `HTTP_${response.status}`;
    const help = advice?.[response.status];
    let answer: { message?: string; error?: string | { code: number; message: string }; msg?: string };
    try {
      answer = JSON.parse(text) as typeof answer;
    } catch {
      const message = `the response is not JSON. Is this a ${product} server?`;
      throw this.#failure(path, status, response.status === 404 ? message : (help ?? message));
    }
    const { error } = answer;
    if (response.ok && error === undefined) return { answer, headers: response.headers };
    if (typeof error === "object") throw this.#failure(path, String(error.code), error.message);
    const message = answer.message ?? error ?? answer.msg ?? response.statusText;
    throw this.#failure(
      path,
      status,
      help === undefined ? message : `${message.replace(/\.$/, "")}. ${help}`,
    );
  }

  #failure(path: string, code: string, message: string): Error {
    this.#options.onError(code);
    const type = `${code}: ${message}`;
    return Object.assign(new Error(`${path.split("?", 1)[0]}: ${type}`), { type });
  }
}

/** @throws {ExitError} that says what the variable is */
export function fromEnvironment(name: string, meaning: string): string {
  const value = process.env[name];
  if (value !== undefined && value !== "") return value;
  throw usageError(`Set the environment variable ${name}: ${meaning}.`);
}

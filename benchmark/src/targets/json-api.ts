const REQUEST_TIMEOUT_MS = 120_000;
const MAX_ATTEMPTS = 3;

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
  /** Sent as JSON. */
  body?: object;
  headers?: Record<string, string>;
}

/** The HTTP API of a chat server, with JSON in both directions. */
export class JsonApi {
  readonly #options: JsonApiOptions;

  constructor(options: JsonApiOptions) {
    this.#options = options;
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
    return (await this.callWithHeaders<T>(path, call)).answer;
  }

  async callWithHeaders<T>(
    path: string,
    { method, body, headers = {} }: JsonCall,
  ): Promise<{ answer: T; headers: Headers }> {
    const { product, base, signal } = this.#options;
    let response: Response;
    let text: string;
    try {
      response = await fetch(new URL(path, base), {
        method: method ?? (body === undefined ? "GET" : "POST"),
        headers: {
          ...(body && { "content-type": "application/json" }),
          ...this.#options.headers,
          ...headers,
        },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
      });
      text = await response.text();
    } catch (error) {
      signal.throwIfAborted();
      const { name, message, code } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
      throw this.#failure(path, code ?? name, `${message}. Is there a ${product} server?`);
    }
    let answer: { message?: string; error?: unknown };
    try {
      answer = JSON.parse(text) as typeof answer;
    } catch {
      const message = `the response is not JSON. Is this a ${product} server?`;
      throw this.#failure(path, `HTTP_${response.status}`, message);
    }
    if (response.ok) return { answer: answer as T, headers: response.headers };
    const { message = answer.error ?? response.statusText } = answer;
    const advice = this.#options.advice?.[response.status];
    throw this.#failure(
      path,
      `HTTP_${response.status}`,
      `${String(message)}${advice === undefined ? "" : `. ${advice}`}`,
    );
  }

  #failure(path: string, code: string, message: string): Error {
    this.#options.onError(code);
    return new Error(`${path.split("?", 1)[0]}: ${code}: ${message}`);
  }
}

/** @throws {Error} that says what the variable is */
export function fromEnvironment(name: string, meaning: string): string {
  const value = process.env[name];
  if (value === undefined || value === "") throw new Error(`set ${name}: ${meaning}`);
  return value;
}

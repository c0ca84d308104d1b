const REQUEST_TIMEOUT_MS = 120_000;
const MAX_ATTEMPTS = 3;

/** Tailchat's HTTP API: `POST /api/<service>/<action>`, the token in `X-Token`, the answer in `data`. */
export class TailchatApi {
  readonly #base: URL;
  readonly #onError: (code: string) => void;
  readonly #signal: AbortSignal;

  constructor(url: string, onError: (code: string) => void, signal: AbortSignal) {
    this.#base = new URL("/api/", url);
    this.#onError = onError;
    this.#signal = signal;
  }

  /**
   * Retries; only for idempotent actions.
   * @throws {Error}
   */
  async callAgain<T>(action: string, params: object, token?: string): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.call(action, params, token);
      } catch (error) {
        if (this.#signal.aborted || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  /**
   * @param action with slashes, as in the URL
   * @throws {Error} with the action and the server's message
   */
  async call<T>(action: string, params: object, token?: string): Promise<T> {
    let response: Response;
    let text: string;
    try {
      response = await fetch(new URL(action, this.#base), {
        method: "POST",
        headers: {
          "content-type": "application/json",
          ...(token === undefined ? {} : { "x-token": token }),
        },
        body: JSON.stringify(params),
        // At 10,000 members one join takes a second of the server's time, and they wait for each other.
        signal: AbortSignal.any([this.#signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
      });
      text = await response.text();
    } catch (error) {
      this.#signal.throwIfAborted();
      const { name, message, code } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
      throw this.#failure(action, code ?? name, `${message}. Is there a Tailchat server?`);
    }
    let answer: { data?: T; message?: string };
    try {
      answer = JSON.parse(text) as { data?: T; message?: string };
    } catch {
      throw this.#failure(
        action,
        `HTTP_${response.status}`,
        "the response is not JSON. Is this a Tailchat server?",
      );
    }
    if (!response.ok) {
      throw this.#failure(action, `HTTP_${response.status}`, answer.message ?? response.statusText);
    }
    return answer.data as T;
  }

  #failure(action: string, code: string, message: string): Error {
    this.#onError(code);
    return new Error(`${action}: ${code}: ${message}`);
  }
}

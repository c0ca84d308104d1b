import { setTimeout as sleep } from "node:timers/promises";
import { taggedContent } from "../../receivers/message-tag.ts";
import { encodeRequest, httpReadBuffer, LightHttp, type HttpAnswer } from "./light-http.ts";
import type { Operation, OperationContext, Request, RequestOutcome } from "./operation.ts";

export interface HttpCall {
  method: "GET" | "POST";
  path: string;
  token?: string;
  params?: object;
}

export interface HttpSetup {
  url: string;
  /** The IP address of the server. */
  address: string;
  /** Of each connection; undefined: the system chooses. */
  localAddresses: readonly (string | undefined)[];
  /** One of them is chosen at random for each request. */
  calls: readonly HttpCall[];
  /** The calls send messages, each with a content and a nonce of its own. */
  message?: { runId: string; payloadBytes: number };
  /** The length of every response; undefined: any. */
  bodyBytes?: number;
}

type Done = (outcome: RequestOutcome) => void;

/** Consecutive attempts to reopen a connection; then it is given up. */
const MAX_REOPENS = 3;
const CONNECT_TIMEOUT_MS = 15_000;

/** Requests on keep-alive connections, one at a time on each. */
class HttpOperation implements Operation {
  readonly errors: Record<string, number> = {};
  readonly #setup: HttpSetup;
  readonly #host: string;
  readonly #connections: Connection[];

  constructor({ setup }: OperationContext<HttpSetup>) {
    const { host, port } = new URL(setup.url);
    const buffer = httpReadBuffer();
    const place = { host: setup.address, port: Number(port) || 80 };
    const failed = (code: string) => void (this.errors[code] = (this.errors[code] ?? 0) + 1);
    const outcomeOf = (answer: HttpAnswer) => outcomeOfAnswer(answer, setup.bodyBytes);
    this.#setup = setup;
    this.#host = host;
    this.#connections = setup.localAddresses.map(
      (localAddress) =>
        new Connection((handler) => new LightHttp(place, localAddress, buffer, handler), outcomeOf, failed),
    );
  }

  get hasEnded(): boolean {
    return this.#connections.every(({ isGivenUp }) => isGivenUp);
  }

  async prepare(): Promise<void> {
    const all = Promise.all(this.#connections.map((connection) => connection.open()));
    await Promise.race([all, sleep(CONNECT_TIMEOUT_MS, undefined, { ref: false })]);
  }

  begin({ index, sender, isWarmUp }: Request, done: Done): boolean {
    const { calls, message } = this.#setup;
    const { method, path, token, params } = calls[Math.floor(Math.random() * calls.length)]!;
    const runId = `${message?.runId}${isWarmUp ? "w" : ""}`;
    const own = message && {
      content: taggedContent(runId, index, message.payloadBytes),
      nonce: `${runId}-${index}`,
    };
    const headers: Record<string, string> = {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(params === undefined ? {} : { "content-type": "application/json" }),
    };
    const body = params === undefined ? "" : JSON.stringify({ ...params, ...own });
    return this.#connections[sender]!.ask(encodeRequest(method, path, this.#host, headers, body), done);
  }

  close(): void {
    for (const connection of this.#connections) connection.close();
  }
}

/** A connection that is reopened for the next request when it was lost. */
class Connection {
  readonly #connect: (handler: ConstructorParameters<typeof LightHttp>[3]) => LightHttp;
  readonly #outcomeOf: (answer: HttpAnswer) => RequestOutcome;
  readonly #onError: (code: string) => void;
  #http: LightHttp | undefined;
  #isOpen = false;
  #failures = 0;
  #waiting: { request: Buffer; done: Done } | undefined;
  #whenOpen: () => void = () => {};

  /** @param onError called when it is lost without a request */
  constructor(
    connect: (handler: ConstructorParameters<typeof LightHttp>[3]) => LightHttp,
    outcomeOf: (answer: HttpAnswer) => RequestOutcome,
    onError: (code: string) => void,
  ) {
    this.#connect = connect;
    this.#outcomeOf = outcomeOf;
    this.#onError = onError;
  }

  get isGivenUp(): boolean {
    return this.#failures > MAX_REOPENS;
  }

  /** Resolves when it is open or given up. */
  open(): Promise<void> {
    return new Promise((resolve) => {
      this.#whenOpen = resolve;
      this.#open();
    });
  }

  /** @returns false: it is given up */
  ask(request: Buffer, done: Done): boolean {
    if (this.isGivenUp) return false;
    // The last request timed out: its answer would be taken for that of this one.
    if (this.#waiting) this.close();
    this.#waiting = { request, done };
    if (this.#isOpen) this.#http!.ask(request);
    else if (!this.#http) this.#open();
    return true;
  }

  close(): void {
    this.#http?.destroy();
    this.#http = undefined;
    this.#isOpen = false;
  }

  #open(): void {
    this.#http = this.#connect({
      opened: () => {
        this.#isOpen = true;
        this.#whenOpen();
        if (this.#waiting) this.#http!.ask(this.#waiting.request);
      },
      answered: (answer) => {
        const outcome = this.#outcomeOf(answer);
        if (outcome.ok) this.#failures = 0;
        this.#settle(outcome);
      },
      ended: (code) => this.#ended(code),
    });
  }

  #ended(code: string): void {
    const wasOpen = this.#isOpen;
    this.#http = undefined;
    this.#isOpen = false;
    this.#failures++;
    if (this.#waiting) return this.#settle({ ok: false, code, isAnswer: false, retryAfterMs: 0 });
    this.#onError(code);
    if (this.isGivenUp) this.#whenOpen();
    else if (!wasOpen) this.#open();
  }

  #settle(outcome: RequestOutcome): void {
    const done = this.#waiting?.done;
    this.#waiting = undefined;
    done?.(outcome);
  }
}

function outcomeOfAnswer({ status, body }: HttpAnswer, bodyBytes: number | undefined): RequestOutcome {
  const isRight = bodyBytes === undefined || body.length === bodyBytes;
  if (status === 200 && isRight) return { ok: true };
  const text = body.toString("latin1");
  const code = status === 200 ? "WRONG_LENGTH" : /"type":"([A-Z_]+)"/.exec(text)?.[1];
  // Not all in the same instant: that would be the next overload.
  const retryAfterMs = Number(/"retryAfterMs":(\d+)/.exec(text)?.[1] ?? 0) * (1 + Math.random());
  return { ok: false, code: code ?? `HTTP_${status}`, isAnswer: true, retryAfterMs };
}

export function createOperation(context: OperationContext<HttpSetup>): Operation {
  return new HttpOperation(context);
}

import { get as getHttp, type IncomingMessage } from "node:http";
import { get as getHttps } from "node:https";
import { setTimeout as delay } from "node:timers/promises";
import { backoffMs } from "@fanfare/contract/backoff";
import { z } from "zod";
import { CliError } from "../command.ts";
import { BACKOFF, LINE_MAX_CHARS, REQUEST_TIMEOUT_MS, STREAM_IDLE_MS } from "./constants.ts";

export interface Answer {
  /** 0 if there is no answer. */
  status: number;
  body: string;
  /** What the server asks to wait. */
  retryAfterMs: number;
  hasTimedOut?: boolean;
}

/** Never rejects, except when `signal` is aborted. */
export async function request(
  url: string,
  init: RequestInit,
  signal: AbortSignal,
  timeoutMs = REQUEST_TIMEOUT_MS,
): Promise<Answer> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, {
      ...init,
      // A redirect would turn a POST into a GET, and pass the token on.
      redirect: "manual",
      signal: AbortSignal.any([signal, timeout]),
    });
    const retryAfterMs = (Number(response.headers.get("retry-after")) || 0) * 1000;
    return { status: response.status, body: await response.text(), retryAfterMs };
  } catch (error) {
    signal.throwIfAborted();
    return { status: 0, body: reasonOf(error), retryAfterMs: 0, hasTimedOut: timeout.aborted };
  }
}

export const isOk = ({ status }: Answer): boolean => status >= 200 && status < 300;

/** Whether the same request can succeed later. */
export const isTemporary = ({ status }: Answer): boolean =>
  status === 0 || status === 408 || status === 429 || status >= 500;

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}

const text = z.string().catch("");
const file = z.object({ Name: text, Data: text, URL: text, Comment: text });
const remoteMessage = z.object({
  text,
  username: text,
  avatar: text,
  event: text,
  gateway: text,
  protocol: text,
  Extra: z.object({ file: z.array(file).catch([]) }).catch({ file: [] }),
});
/** A message of another network. */
export type RemoteMessage = z.output<typeof remoteMessage>;
export type RemoteFile = z.output<typeof file>;

/** A message for other networks. */
interface OwnMessage {
  text: string;
  username: string;
  userid: string;
  avatar: string;
  gateway: string;
}

interface MatterbridgeOptions {
  url: string;
  token: string;
  log: (line: string) => void;
  /** Default: 4 minutes. */
  streamIdleMs?: number;
}

/** The API of Matterbridge: https://github.com/42wim/matterbridge/wiki/Api */
export class Matterbridge {
  readonly #options: MatterbridgeOptions;

  constructor(options: MatterbridgeOptions) {
    this.#options = options;
  }

  /** @throws {CliError} if it rejects the token or has no API. It may be unreachable. */
  async check(signal: AbortSignal): Promise<void> {
    const answer = await request(this.#address("health"), { headers: this.#headers }, signal);
    if (isOk(answer)) return;
    if (!isTemporary(answer)) throw new CliError(`Matterbridge ${explain(answer)}`);
    this.#options.log(`Matterbridge ${explain(answer)} The bridge keeps trying.`);
  }

  send(message: OwnMessage, signal: AbortSignal): Promise<Answer> {
    const headers = { ...this.#headers, "content-type": "application/json" };
    const init = { method: "POST", headers, body: JSON.stringify(message) };
    return request(this.#address("message"), init, signal);
  }

  /** All messages of other networks, until `signal` is aborted. Matterbridge keeps those of interruptions. */
  async *messages(signal: AbortSignal): AsyncGenerator<RemoteMessage> {
    for (let failures = 0; !signal.aborted;) {
      try {
        for await (const line of this.#lines(signal)) {
          failures = 0;
          const message = parseMessage(line);
          if (message === null) this.#options.log("Matterbridge sent something that isn't a message.");
          else yield message;
        }
      } catch (error) {
        if (signal.aborted) return;
        if (failures === 0)
          this.#options.log(`Matterbridge can't be read: ${reasonOf(error)}. The bridge keeps trying.`);
        failures += 1;
      }
      await delay(backoffMs(failures, BACKOFF), undefined, { signal }).catch(() => undefined);
    }
  }

  /** The lines of one connection. Ends if nothing arrives for a while. */
  async *#lines(signal: AbortSignal): AsyncGenerator<string> {
    const idle = new AbortController();
    const startTimer = () => setTimeout(() => idle.abort(), this.#options.streamIdleMs ?? STREAM_IDLE_MS);
    let timer = startTimer();
    try {
      const response = await this.#openStream(AbortSignal.any([signal, idle.signal]));
      let chars = 0;
      let line: string[] = [];
      for await (const chunk of response.setEncoding("utf8") as AsyncIterable<string>) {
        timer.refresh();
        const [end = "", ...next] = chunk.split("\n");
        line.push(end);
        chars += end.length;
        if (chars > LINE_MAX_CHARS) throw new Error("a message is too large");
        if (next.length === 0) continue;
        // Matterbridge doesn't have the next messages any more if they were sent while these are processed.
        clearTimeout(timer);
        yield line.join("");
        const rest = next.pop()!;
        yield* next;
        timer = startTimer();
        line = [rest];
        chars = rest.length;
      }
    } catch (error) {
      if (!idle.signal.aborted) throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Without `fetch`, which gives up a body from which nothing arrives for 5 minutes, and what it has read of it. */
  async #openStream(signal: AbortSignal): Promise<IncomingMessage> {
    const url = this.#address("stream");
    const get = url.startsWith("https:") ? getHttps : getHttp;
    const response = await new Promise<IncomingMessage>((resolve, reject) =>
      get(url, { headers: this.#headers, agent: false, signal }, resolve).on("error", reject),
    );
    const { statusCode: status = 0 } = response;
    if (status === 200) return response;
    response.destroy();
    throw new Error(explain({ status, body: "", retryAfterMs: 0 }));
  }

  get #headers(): Record<string, string> {
    return { authorization: `Bearer ${this.#options.token}` };
  }

  #address(name: string): string {
    return `${this.#options.url.replace(/\/+$/, "")}/api/${name}`;
  }
}

function explain({ status, body }: Answer): string {
  if (status === 0) return `can't be reached: ${body}.`;
  if (status === 400 || status === 401) return "rejects the token: use the one of its [api] account.";
  if (status === 404) return "has no API at this address: add an [api] account to its configuration.";
  return `answers with the status ${status}.`;
}

/** null if it isn't a message. */
function parseMessage(line: string): RemoteMessage | null {
  try {
    const { data } = remoteMessage.safeParse(JSON.parse(line));
    return data ?? null;
  } catch {
    return null;
  }
}

import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { LongPollDialect, PollRequest } from "../targets/plugin.ts";
import { obey, readPacket } from "./packet.ts";
import type { Assignment, OpenReceiver, Receiver, ReceiverObserver } from "./receiver.ts";

export interface LongPollOptions {
  urls: readonly URL[];
  dialect: LongPollDialect;
  runId: string;
  onRead?: () => void;
}

/** Receivers with Node's HTTP client, each with a connection of its own and always one request under way. */
export function longPollReceivers(options: LongPollOptions): OpenReceiver {
  return (assignment, observer) => new LongPollReceiver(options, assignment, observer);
}

class LongPollReceiver implements Receiver {
  readonly #options: LongPollOptions;
  readonly #assignment: Assignment;
  readonly #observer: ReceiverObserver;
  readonly #base: URL;
  readonly #agent: HttpAgent;
  #hasEnded = false;

  constructor(options: LongPollOptions, assignment: Assignment, observer: ReceiverObserver) {
    this.#options = options;
    this.#assignment = assignment;
    this.#observer = observer;
    this.#base = options.urls[assignment.server]!;
    const agent = { keepAlive: true, maxSockets: 1 };
    this.#agent = this.#isSecure ? new HttpsAgent(agent) : new HttpAgent(agent);
    this.#poll(options.dialect.hello(assignment.credential));
  }

  close(): void {
    this.#end("CLOSED");
  }

  destroy(): void {
    this.#hasEnded = true;
    this.#agent.destroy();
  }

  get #isSecure(): boolean {
    return this.#base.protocol === "https:";
  }

  #end(code: string): void {
    if (this.#hasEnded) return;
    this.destroy();
    this.#observer.ended(this.#assignment.receiver, code);
  }

  #poll(poll: PollRequest): void {
    const { method = "GET", path, headers = {}, body = "" } = poll;
    const { localAddress } = this.#assignment;
    const send = this.#isSecure ? httpsRequest : httpRequest;
    const request = send(
      new URL(this.#options.dialect.path + path, this.#base),
      {
        method,
        agent: this.#agent,
        headers: { ...headers, ...(body === "" ? {} : { "content-length": Buffer.byteLength(body) }) },
        ...(localAddress === undefined ? {} : { localAddress }),
      },
      (response) => this.#receive(response, poll),
    );
    request.on("error", (error: NodeJS.ErrnoException) => this.#end(error.code ?? error.message));
    request.end(body);
  }

  #receive(response: IncomingMessage, poll: PollRequest): void {
    const chunks: Buffer[] = [];
    response.on("data", (chunk: Buffer) => chunks.push(chunk));
    response.on("error", (error: NodeJS.ErrnoException) => this.#end(error.code ?? error.message));
    response.on("end", () => {
      if (this.#hasEnded) return;
      const status = response.statusCode ?? 0;
      if (status < 200 || status > 299) return this.#end(`HTTP_${status}`);
      this.#read(Buffer.concat(chunks).toString(), poll);
    });
  }

  #read(body: string, poll: PollRequest): void {
    const { dialect, runId, onRead } = this.#options;
    onRead?.();
    const { credential, receiver } = this.#assignment;
    let next: PollRequest | undefined;
    obey(
      readPacket(() => dialect.read(body, credential, poll), runId),
      receiver,
      this.#observer,
      {
        end: (code) => this.#end(code),
        poll: (request) => (next = request),
      },
    );
    if (this.#hasEnded) return;
    if (next) this.#poll(next);
    else this.#end("NO_NEXT_REQUEST");
  }
}

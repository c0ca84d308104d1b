import type { Agent } from "node:http";
import { exchange, keepAliveAgent } from "../targets/exchange.ts";
import type { LongPollDialect, PollRequest } from "../targets/plugin.ts";
import { obey, readPacket } from "./packet.ts";
import type { Assignment, OpenReceiver, Receiver, ReceiverObserver, ReceiverOptions } from "./receiver.ts";

type LongPollOptions = ReceiverOptions<LongPollDialect>;

/** Receivers with Node's HTTP client, each with a connection of its own and always one request under way. */
export function longPollReceivers(options: LongPollOptions): OpenReceiver {
  return (assignment, observer) => new LongPollReceiver(options, assignment, observer);
}

class LongPollReceiver implements Receiver {
  readonly #options: LongPollOptions;
  readonly #assignment: Assignment;
  readonly #observer: ReceiverObserver;
  readonly #base: URL;
  readonly #agent: Agent;
  #hasEnded = false;

  constructor(options: LongPollOptions, assignment: Assignment, observer: ReceiverObserver) {
    this.#options = options;
    this.#assignment = assignment;
    this.#observer = observer;
    this.#base = options.urls[assignment.server]!;
    this.#agent = keepAliveAgent(this.#base, 1);
    void this.#poll(options.dialect.hello(assignment.credential));
  }

  close(): void {
    this.#end("CLOSED");
  }

  destroy(): void {
    this.#hasEnded = true;
    this.#agent.destroy();
  }

  #end(code: string): void {
    if (this.#hasEnded) return;
    this.destroy();
    this.#observer.ended(this.#assignment.receiver, code);
  }

  async #poll(poll: PollRequest): Promise<void> {
    const { method = "GET", path, headers = {}, body } = poll;
    const { localAddress } = this.#assignment;
    const url = new URL(this.#options.dialect.path + path, this.#base);
    const options = { method, agent: this.#agent, headers, localAddress };
    const answer = await exchange(url, options, body).catch((error: NodeJS.ErrnoException) =>
      this.#end(error.code ?? error.message),
    );
    if (!answer || this.#hasEnded) return;
    if (answer.status < 200 || answer.status > 299) this.#end(`HTTP_${answer.status}`);
    else this.#read(answer.text, poll);
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
    if (next) void this.#poll(next);
    else this.#end("NO_NEXT_REQUEST");
  }
}

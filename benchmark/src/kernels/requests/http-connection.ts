import type { Socket } from "node:net";
import { openTransport, readHead, resetTransport, type Place } from "../../receivers/transport.ts";

/** Attempts in sequence to reopen a connection. */
const MAX_REOPENS = 3;

export interface HttpAnswer {
  status: number;
  body: Buffer;
}

/** Gets the response, or the code of the error that kept the server from answering. */
type Settled = (answer: HttpAnswer | { error: string }) => void;

/**
 * A keep-alive HTTP/1.1 connection with one request at a time, which is reopened for the next request if it was
 * lost. A fraction of the cost of node:http, so that it can send faster than a server answers. Responses must
 * have a length; others end the connection with an error.
 */
export class HttpConnection {
  readonly #openSocket: (onOpen: () => void) => Socket;
  readonly #onLost: (code: string) => void;
  /** How often it was ended while it was open. */
  dropped = 0;
  #socket: Socket | undefined;
  #isOpen = false;
  #failures = 0;
  #pending: Buffer | undefined;
  #waiting: { request: Buffer; settled: Settled } | undefined;
  #whenOpen: () => void = () => {};

  /**
   * @param buffer one for all connections of a thread: its content is used before the next read
   * @param onLost called when it could not be opened, or is lost without a request
   */
  constructor(
    place: Place,
    localAddress: string | undefined,
    buffer: Buffer,
    onLost: (code: string) => void,
  ) {
    this.#onLost = onLost;
    const callback = (bytes: number) => {
      this.#read(buffer.subarray(0, bytes));
      return true;
    };
    this.#openSocket = (onOpen) => openTransport(place, localAddress, { buffer, callback }, onOpen);
  }

  /** It failed too often in sequence. */
  get isGivenUp(): boolean {
    return this.#failures > MAX_REOPENS;
  }

  /** Resolves when it is open or given up. */
  open(): Promise<void> {
    return new Promise((resolve) => {
      this.#whenOpen = resolve;
      this.#connect();
    });
  }

  /** @returns false: it is given up, and `settled` will not be called */
  ask(request: Buffer, settled: Settled): boolean {
    if (this.isGivenUp) return false;
    // The last request timed out: its answer would be taken for that of this one.
    if (this.#waiting) this.close();
    this.#waiting = { request, settled };
    if (this.#isOpen) this.#socket!.write(request);
    else if (!this.#socket) this.#connect();
    return true;
  }

  /** Resets the connection. */
  close(): void {
    if (this.#socket) resetTransport(this.#socket);
    this.#socket = undefined;
    this.#pending = undefined;
    this.#isOpen = false;
  }

  #connect(): void {
    const socket = this.#openSocket(() => {
      this.#isOpen = true;
      this.#whenOpen();
      if (this.#waiting) socket.write(this.#waiting.request);
    });
    this.#socket = socket;
    const end = (code: string) => {
      if (socket !== this.#socket) return;
      if (this.#isOpen) this.dropped++;
      this.#end(code);
    };
    socket.on("error", (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
    socket.once("close", () => end("CONNECTION_CLOSED"));
  }

  #end(error: string): void {
    const wasOpen = this.#isOpen;
    this.close();
    this.#failures++;
    if (this.#waiting) return this.#settle({ error });
    this.#onLost(error);
    if (this.isGivenUp) this.#whenOpen();
    else if (!wasOpen) this.#connect();
  }

  #read(chunk: Buffer): void {
    if (!this.#isOpen) return;
    const bytes = this.#pending ? Buffer.concat([this.#pending, chunk]) : chunk;
    const answer = parseAnswer(bytes);
    if (answer === undefined) {
      // The buffer is shared: what is kept must be copied.
      this.#pending = this.#pending ? bytes : Buffer.from(bytes);
    } else if (typeof answer === "string") {
      this.#end(answer);
    } else {
      this.#pending = undefined;
      if (answer.status === 200) this.#failures = 0;
      this.#settle(answer);
    }
  }

  #settle(answer: Parameters<Settled>[0]): void {
    const settled = this.#waiting?.settled;
    this.#waiting = undefined;
    settled?.(answer);
  }
}

/** @returns undefined if it is incomplete; a code if it is malformed */
export function parseAnswer(bytes: Buffer): HttpAnswer | string | undefined {
  const head = readHead(bytes);
  if (head === undefined || typeof head === "string") return head;
  const length = /\r\ncontent-length: *(\d+)/i.exec(head.text)?.[1];
  if (length === undefined) return "HTTP_WITHOUT_LENGTH";
  const end = head.length + Number(length);
  if (bytes.length < end) return undefined;
  // One request at a time: nothing may follow the response.
  if (bytes.length > end) return "HTTP_TOO_MUCH";
  return { status: head.status, body: bytes.subarray(head.length, end) };
}

import { connect, type Socket } from "node:net";

const HEAD_END = Buffer.from("\r\n\r\n");
const MOST_HEAD_BYTES = 64 * 1024;
const READ_BUFFER_BYTES = 64 * 1024;

export interface HttpPlace {
  /** An IP address. */
  host: string;
  port: number;
}

export interface HttpAnswer {
  status: number;
  body: Buffer;
}

/**
 * The bytes of a request on a keep-alive connection.
 * @param target path and query
 */
export function encodeRequest(
  method: "GET" | "POST",
  target: string,
  host: string,
  headers: Readonly<Record<string, string>> = {},
  body = "",
): Buffer {
  const length = body === "" ? {} : { "content-length": String(Buffer.byteLength(body)) };
  const lines = Object.entries({ host, ...headers, ...length }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
}

/** One for all connections of a thread: its content is used before the next read. */
export function httpReadBuffer(): Buffer {
  return Buffer.allocUnsafeSlow(READ_BUFFER_BYTES);
}

/** Callbacks of a connection. */
export interface LightHttpHandler {
  opened(): void;
  answered(answer: HttpAnswer): void;
  /** Called once, and nothing after it. */
  ended(code: string): void;
}

/**
 * An HTTP/1.1 connection with one request at a time: a fraction of the cost of node:http, so that it can send
 * faster than a server answers. Responses must have a length; others end the connection with an error.
 */
export class LightHttp {
  readonly #handler: LightHttpHandler;
  readonly #socket: Socket;
  #pending: Buffer | undefined;
  #hasEnded = false;

  /** @param buffer from httpReadBuffer */
  constructor(place: HttpPlace, localAddress: string | undefined, buffer: Buffer, handler: LightHttpHandler) {
    this.#handler = handler;
    this.#socket = connect({
      ...place,
      noDelay: true,
      ...(localAddress === undefined ? {} : { localAddress }),
      onread: {
        buffer,
        callback: (bytes) => {
          this.#read(buffer.subarray(0, bytes));
          return !this.#hasEnded;
        },
      },
    });
    this.#socket.once("connect", () => handler.opened());
    this.#socket.on("error", (error: NodeJS.ErrnoException) => this.#end(error.code ?? error.message));
    this.#socket.once("close", () => this.#end("CONNECTION_CLOSED"));
  }

  ask(request: Buffer): void {
    this.#socket.write(request);
  }

  /** Resets the connection without notifying the handler. */
  destroy(): void {
    this.#hasEnded = true;
    // A reset leaves no TIME_WAIT behind, so that the next run finds its ports free.
    this.#socket.resetAndDestroy();
  }

  #end(code: string): void {
    if (this.#hasEnded) return;
    this.destroy();
    this.#handler.ended(code);
  }

  #read(chunk: Buffer): void {
    if (this.#hasEnded) return;
    const bytes = this.#pending ? Buffer.concat([this.#pending, chunk]) : chunk;
    const answer = parseAnswer(bytes);
    if (answer === undefined) {
      // The buffer is shared: what is kept must be copied.
      this.#pending = this.#pending ? bytes : Buffer.from(bytes);
    } else if (typeof answer === "string") {
      this.#end(answer);
    } else {
      this.#pending = undefined;
      this.#handler.answered(answer);
    }
  }
}

/** @returns undefined if it is incomplete; a code if it is malformed */
export function parseAnswer(bytes: Buffer): HttpAnswer | string | undefined {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd < 0) return bytes.length > MOST_HEAD_BYTES ? "HTTP_HEAD_TOO_LONG" : undefined;
  const head = bytes.toString("latin1", 0, headEnd);
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1];
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (status === undefined) return "NOT_HTTP";
  if (length === undefined) return "HTTP_WITHOUT_LENGTH";
  const start = headEnd + HEAD_END.length;
  const end = start + Number(length);
  if (bytes.length < end) return undefined;
  // One request at a time: nothing may follow the response.
  if (bytes.length > end) return "HTTP_TOO_MUCH";
  return { status: Number(status), body: bytes.subarray(start, end) };
}

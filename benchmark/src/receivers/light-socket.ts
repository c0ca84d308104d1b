import { createHash, randomBytes } from "node:crypto";
import type { Socket } from "node:net";
import { clientFrame, FrameError, FrameParser, Opcode } from "@fanfare/fanout/frames";
import { encodeRequest, openTransport, readHead, resetTransport, type Place } from "./transport.ts";

const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/** The request that opens a WebSocket (RFC 6455 section 4.1), and the expected answer. */
export function createHandshake(url: URL, path: string, headers: Record<string, string> = {}) {
  const key = randomBytes(16).toString("base64");
  const request = encodeRequest("GET", path, url.host, {
    Connection: "Upgrade",
    Upgrade: "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": key,
    ...headers,
  });
  const hash = createHash("sha1").update(key + GUID);
  return { request, accept: hash.digest("base64") };
}

/** Incomplete: undefined. Accepted: the number of bytes before the frames. Otherwise: the error. */
type HandshakeAnswer = undefined | { headBytes: number } | { error: string };

export function readHandshakeAnswer(bytes: Buffer, accept: string): HandshakeAnswer {
  const head = readHead(bytes);
  if (head === undefined) return undefined;
  if (typeof head === "string") return { error: head };
  if (head.status !== 101) return { error: `HTTP_${head.status}` };
  const isAccepted = /\r\nsec-websocket-accept: *(\S+)/i.exec(head.text)?.[1] === accept;
  return isAccepted ? { headBytes: head.length } : { error: "BAD_WEBSOCKET_ACCEPT" };
}

const CLOSE = clientFrame(Opcode.close, Buffer.from([0x03, 0xe8]));
/** RFC 6455 section 7.4.1: the close frame has no code. */
const NO_STATUS = 1005;

/** A server to connect to, with what all connections to it share. */
export interface LightServer {
  place: Place;
  handshake: ReturnType<typeof createHandshake>;
}

/** @param reason the server's words, or "" */
export function closeCode(status: number, reason: string): string {
  return `SERVER_CLOSE_${status}${reason && `: ${reason}`}`;
}

/**
 * A WebSocket whose frames are parsed in place, without an allocation for each, on a plain socket or over TLS. Bytes that a
 * subclass gets are only valid during the call; it gets none after `ended`.
 */
export abstract class LightSocket {
  readonly #buffer: Buffer;
  readonly #accept: string;
  readonly #socket: Socket;
  readonly #parser = new FrameParser();
  readonly #sink = (opcode: number, bytes: Buffer, start: number, end: number) =>
    this.#message(opcode, bytes, start, end);
  #handshakeBytes: Buffer | undefined = Buffer.alloc(0);
  #hasEnded = false;

  /** @param onRead called in every turn of the event loop with a read */
  constructor(
    { place, handshake }: LightServer,
    localAddress: string | undefined,
    buffer: Buffer,
    onRead: () => void,
  ) {
    this.#buffer = buffer;
    this.#accept = handshake.accept;
    const callback = (bytes: number) => {
      onRead();
      return this.#read(bytes);
    };
    const write = () => this.#socket.write(handshake.request);
    this.#socket = openTransport(place, localAddress, { buffer, callback }, write);
    this.#socket.on("error", (error: NodeJS.ErrnoException) => this.end(error.code ?? error.message));
    this.#socket.once("close", () => this.end("CONNECTION_CLOSED"));
  }

  protected abstract opened(): void;
  /**
   * A complete text message.
   * @throws {FrameError} to end the connection
   */
  protected abstract text(bytes: Buffer, start: number, end: number): void;
  protected abstract binary(bytes: Buffer, start: number, end: number): void;
  protected abstract ended(code: string): void;

  /** Bytes that the server has not accepted yet. */
  get waitingBytes(): number {
    return this.#socket.writableLength;
  }

  /** A frame of `clientFrame`. */
  write(frame: Buffer): void {
    if (!this.#hasEnded) this.#socket.write(frame);
  }

  /** Stops reading like a hung client: the connection stays open. */
  stall(): void {
    this.#socket.pause();
  }

  /** Starts the closing handshake; `ended` follows when the server has answered. */
  close(): void {
    this.write(CLOSE);
  }

  /** Resets the connection without a call of `ended`. */
  destroy(): void {
    this.#hasEnded = true;
    resetTransport(this.#socket);
  }

  /** Resets the connection, and calls `ended`. */
  end(code: string): void {
    if (this.#hasEnded) return;
    this.destroy();
    this.ended(code);
  }

  #read(bytes: number): boolean {
    if (this.#hasEnded) return false;
    try {
      if (this.#handshakeBytes) this.#readHandshake(this.#handshakeBytes, bytes);
      else this.#parser.push(this.#buffer, 0, bytes, this.#sink);
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      this.end(error.code);
    }
    return true;
  }

  #readHandshake(before: Buffer, bytes: number): void {
    const all = Buffer.concat([before, this.#buffer.subarray(0, bytes)]);
    const answer = readHandshakeAnswer(all, this.#accept);
    if (!answer) {
      this.#handshakeBytes = all;
    } else if ("error" in answer) {
      this.end(answer.error);
    } else {
      this.#handshakeBytes = undefined;
      this.opened();
      this.#parser.push(all, answer.headBytes, all.length, this.#sink);
    }
  }

  #message(opcode: number, bytes: Buffer, start: number, end: number): void {
    if (this.#hasEnded) return;
    switch (opcode) {
      case Opcode.text:
        this.text(bytes, start, end);
        break;
      case Opcode.ping:
        this.write(clientFrame(Opcode.pong, bytes.subarray(start, end)));
        break;
      case Opcode.close:
        this.end(
          closeCode(
            end - start < 2 ? NO_STATUS : bytes.readUInt16BE(start),
            bytes.toString("utf8", Math.min(start + 2, end), end),
          ),
        );
        break;
      case Opcode.binary:
        this.binary(bytes, start, end);
        break;
      default:
    }
  }
}

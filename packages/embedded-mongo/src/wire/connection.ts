import type { Socket } from "node:net";
import { HEADER_BYTES, MAX_MESSAGE_BYTES, parseRequest, ProtocolError, type Request } from "./message.ts";

/** Above this size of the send buffer, reading from the connection is paused. */
const MAX_UNSENT_BYTES = 64 * 1024 * 1024;

/** Maximum number of bytes received while a command of the connection is paused. */
const MAX_HELD_BYTES = 1024 * 1024;

/** Splits the stream of a client into requests. */
export class Connection {
  readonly #socket: Socket;
  readonly #onRequest: (request: Request, connection: Connection) => void;
  #chunks: Buffer[] = [];
  #received = 0;
  #needed = HEADER_BYTES;
  #isHeld = false;

  constructor(socket: Socket, onRequest: (request: Request, connection: Connection) => void) {
    this.#socket = socket;
    this.#onRequest = onRequest;
    socket.on("data", (chunk) => this.#receive(chunk as Buffer));
    socket.on("error", () => socket.destroy());
    socket.on("drain", () => this.#setFlow());
  }

  get isClosed(): boolean {
    return this.#socket.destroyed;
  }

  send(bytes: Buffer): void {
    if (this.#socket.destroyed) return;
    this.#socket.write(bytes);
    if (this.#socket.writableLength > MAX_UNSENT_BYTES) this.#socket.pause();
  }

  /** Handles no further requests until `release`, because commands are answered in order. */
  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
    this.#setFlow();
    this.#handleReceived();
  }

  /** Reading continues while the connection is held, to detect a disconnect. */
  #setFlow(): void {
    const isFull = this.#isHeld && this.#received > MAX_HELD_BYTES;
    if (isFull) this.#socket.pause();
    else if (this.#socket.writableLength <= MAX_UNSENT_BYTES) this.#socket.resume();
  }

  #receive(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#received += chunk.length;
    if (this.#isHeld) this.#setFlow();
    else this.#handleReceived();
  }

  #handleReceived(): void {
    if (this.#received < this.#needed || this.isClosed) return;
    const bytes = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks, this.#received);
    try {
      const rest = this.#consume(bytes);
      this.#chunks = rest.length > 0 ? [rest] : [];
      this.#received = rest.length;
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.#socket.destroy();
    }
  }

  #consume(bytes: Buffer): Buffer {
    let at = 0;
    this.#needed = HEADER_BYTES;
    while (!this.#isHeld && bytes.length - at >= HEADER_BYTES) {
      const length = bytes.readInt32LE(at);
      if (length < HEADER_BYTES || length > MAX_MESSAGE_BYTES)
        throw new ProtocolError(`impossible message length ${length}`);
      if (bytes.length - at < length) {
        this.#needed = length;
        break;
      }
      this.#onRequest(parseRequest(bytes.subarray(at, at + length)), this);
      at += length;
    }
    return bytes.subarray(at);
  }
}

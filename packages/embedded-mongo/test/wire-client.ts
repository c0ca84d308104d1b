import { once } from "node:events";
import net from "node:net";
import { encode } from "../src/values/codec.ts";
import type { PlainObject } from "../src/values/types.ts";
import { HEADER_BYTES, OpCode, parseRequest } from "../src/wire/message.ts";

function encodeCommand(id: number, command: PlainObject): Buffer {
  const body = encode(command);
  const bytes = Buffer.alloc(HEADER_BYTES + 5 + body.length);
  bytes.writeInt32LE(bytes.length, 0);
  bytes.writeInt32LE(id, 4);
  bytes.writeInt32LE(OpCode.message, 12);
  bytes.set(body, HEADER_BYTES + 5);
  return bytes;
}

/** A connection that sends commands as OP_MSG to any server, without a handshake, and returns errors unchanged. */
export class WireClient {
  readonly #socket: net.Socket;
  #received = Buffer.alloc(0);
  #waiting: { resolve(reply: PlainObject): void; reject(error: Error): void }[] = [];
  #id = 0;

  private constructor(socket: net.Socket) {
    this.#socket = socket;
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    socket.on("error", () => {});
    socket.on("close", () => {
      for (const waiter of this.#waiting.splice(0)) waiter.reject(new Error("the connection was closed"));
    });
  }

  static connect(port: number, host = "127.0.0.1"): Promise<WireClient> {
    return WireClient.open({ port, host, noDelay: true });
  }

  static async open(options: net.NetConnectOpts): Promise<WireClient> {
    const socket = net.connect(options);
    await once(socket, "connect");
    return new WireClient(socket);
  }

  /** Returns the reply, including `{ok: 0, …}`, with distinct BSON types. Commands are answered in order. */
  command(db: string, command: PlainObject): Promise<PlainObject> {
    return new Promise((resolve, reject) => {
      if (this.#socket.destroyed) return reject(new Error("the connection was closed"));
      this.#waiting.push({ resolve, reject });
      this.#socket.write(encodeCommand(++this.#id, { ...command, $db: db }));
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #receive(chunk: Buffer): void {
    this.#received = Buffer.concat([this.#received, chunk]);
    while (this.#received.length >= HEADER_BYTES) {
      const length = this.#received.readInt32LE(0);
      if (this.#received.length < length) return;
      const message = this.#received.subarray(0, length);
      this.#received = this.#received.subarray(length);
      this.#waiting.shift()?.resolve(parseRequest(message).command);
    }
  }
}

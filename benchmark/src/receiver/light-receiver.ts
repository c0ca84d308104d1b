import { connect, type Socket } from "node:net";
import type { Dialect } from "../targets/dialect.ts";
import { FrameError, FrameParser, Opcode } from "./frame-parser.ts";
import { clientFrame } from "./frame-writer.ts";
import { createHandshake, readHandshakeAnswer, type Handshake } from "./handshake.ts";
import { decodePacket, type Packet } from "./packet.ts";
import { PacketCache, type KnownPacket } from "./packet-cache.ts";
import type { Assignment, OpenReceiver, Receiver, ReceiverObserver } from "./receiver.ts";

const READ_BUFFER_BYTES = 256 * 1024;
const PONG = clientFrame(Opcode.text, Buffer.from("3"));
const CLOSE = clientFrame(Opcode.close, Buffer.from([0x03, 0xe8]));

/** What all light receivers of a thread share. */
interface Shared {
  host: string;
  port: number;
  handshake: Handshake;
  dialect: Dialect;
  runId: string;
  cache: PacketCache;
  readBuffer: Buffer;
  onRead: () => void;
}

export interface LightOptions {
  url: URL;
  /** The IP address of the server: looked up once, not once per connection. */
  address: string;
  dialect: Dialect;
  runId: string;
  /** Called in every turn of the event loop in which something was read. */
  onRead: () => void;
}

/** Receivers that read a plain socket: about a third of the cost of an official client. `http:` only. */
export function lightReceivers({ url, address, dialect, runId, onRead }: LightOptions): OpenReceiver {
  const query = dialect.transport === "socket.io" ? "?EIO=4&transport=websocket" : "";
  const shared: Shared = {
    host: address,
    port: Number(url.port) || 80,
    handshake: createHandshake(url, dialect.path + query),
    dialect,
    runId,
    cache: new PacketCache(),
    readBuffer: Buffer.allocUnsafeSlow(READ_BUFFER_BYTES),
    onRead,
  };
  return (assignment, observer) => new LightReceiver(shared, assignment, observer);
}

class LightReceiver implements Receiver {
  readonly #shared: Shared;
  readonly #observer: ReceiverObserver;
  readonly #receiver: number;
  readonly #socket: Socket;
  readonly #parser = new FrameParser();
  readonly #sink = (opcode: number, bytes: Buffer, start: number, end: number) =>
    this.#message(opcode, bytes, start, end);
  #credential: string | null;
  #handshakeBytes: Buffer | undefined = Buffer.alloc(0);
  #isOnline = false;
  #hasEnded = false;
  #last: KnownPacket | undefined;

  constructor(shared: Shared, assignment: Assignment, observer: ReceiverObserver) {
    this.#shared = shared;
    this.#observer = observer;
    this.#receiver = assignment.receiver;
    this.#credential = assignment.credential;
    this.#socket = connect({
      host: shared.host,
      port: shared.port,
      noDelay: true,
      ...(assignment.localAddress === undefined ? {} : { localAddress: assignment.localAddress }),
      onread: { buffer: shared.readBuffer, callback: (bytes) => this.#read(bytes) },
    });
    this.#socket.once("connect", () => this.#socket.write(shared.handshake.request));
    this.#socket.on("error", (error: NodeJS.ErrnoException) => this.#end(error.code ?? error.message));
    this.#socket.once("close", () => this.#end("CONNECTION_CLOSED"));
  }

  close(): void {
    this.#socket.write(CLOSE);
  }

  destroy(): void {
    this.#hasEnded = true;
    // A reset leaves no TIME_WAIT behind, so that the next run finds its ports free.
    this.#socket.resetAndDestroy();
  }

  #end(code: string): void {
    if (this.#hasEnded) return;
    this.destroy();
    this.#observer.ended(this.#receiver, code);
  }

  #read(bytes: number): boolean {
    if (this.#hasEnded) return false;
    this.#shared.onRead();
    try {
      if (this.#handshakeBytes) this.#readHandshake(this.#handshakeBytes, bytes);
      else this.#parser.push(this.#shared.readBuffer, 0, bytes, this.#sink);
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      this.#end(error.code);
    }
    return true;
  }

  #readHandshake(before: Buffer, bytes: number): void {
    const all = Buffer.concat([before, this.#shared.readBuffer.subarray(0, bytes)]);
    const answer = readHandshakeAnswer(all, this.#shared.handshake.accept);
    if (!answer) {
      this.#handshakeBytes = all;
    } else if ("error" in answer) {
      this.#end(answer.error);
    } else {
      this.#handshakeBytes = undefined;
      if (this.#shared.dialect.transport === "websocket") this.#goOnline();
      this.#parser.push(all, answer.headBytes, all.length, this.#sink);
    }
  }

  #message(opcode: number, bytes: Buffer, start: number, end: number): void {
    if (this.#hasEnded) return;
    switch (opcode) {
      case Opcode.text:
        this.#handle(this.#decode(bytes, start, end));
        break;
      case Opcode.ping:
        this.#socket.write(clientFrame(Opcode.pong, bytes.subarray(start, end)));
        break;
      case Opcode.close:
        this.#end("SERVER_CLOSE");
        break;
      case Opcode.binary:
        this.#end("BINARY_MESSAGE");
        break;
      default:
    }
  }

  #decode(bytes: Buffer, start: number, end: number): Packet {
    const { cache, dialect, runId } = this.#shared;
    // What comes before a connection is online is its own (session ids), so it is not worth remembering.
    const known = this.#isOnline ? cache.find(bytes, start, end, this.#last) : undefined;
    if (known) {
      this.#last = known;
      return known.packet;
    }
    const packet = decodePacket(bytes.toString("utf8", start, end), dialect, runId);
    if (this.#isOnline) this.#last = cache.add(bytes, start, end, packet, this.#last);
    return packet;
  }

  #handle(packet: Packet): void {
    switch (packet.kind) {
      case "messages":
        this.#observer.messages(this.#receiver, packet.indexes);
        break;
      case "ping":
        this.#socket.write(PONG);
        break;
      case "opened":
        this.#join();
        break;
      case "joined":
        if (!this.#shared.dialect.waitsForReady) this.#goOnline();
        break;
      case "ready":
        this.#goOnline();
        break;
      case "resync":
        this.#observer.resync(this.#receiver);
        break;
      case "refused":
      case "closed":
      case "invalid":
        this.#end(packet.code);
        break;
      default:
    }
  }

  #join(): void {
    const auth = this.#credential === null ? "" : JSON.stringify({ token: this.#credential });
    this.#credential = null;
    this.#socket.write(clientFrame(Opcode.text, Buffer.from(`40${auth}`)));
  }

  #goOnline(): void {
    if (this.#isOnline) return;
    this.#isOnline = true;
    this.#observer.online(this.#receiver);
  }
}

import { clientFrame, Opcode } from "@fanfare/fanout/frames";
import type { Dialect } from "../targets/dialect.ts";
import { CatchUp } from "./catch-up.ts";
import { callFrame, connectFrame } from "./client-packets.ts";
import { LightSocket, lightServer, readBuffer, socketIoPath, type LightServer } from "./light-socket.ts";
import { decodeMsgpackPacket, decodePacket, type Packet } from "./packet.ts";
import { PacketCache, type KnownPacket } from "./packet-cache.ts";
import type { Assignment, OpenReceiver, Receiver, ReceiverObserver } from "./receiver.ts";

const PONG = clientFrame(Opcode.text, Buffer.from("3"));

/** Shared by all light receivers of a thread. */
interface Shared {
  servers: readonly LightServer[];
  dialect: Dialect;
  runId: string;
  cache: PacketCache;
  buffer: Buffer;
  onRead: () => void;
}

export interface LightOptions {
  urls: readonly URL[];
  /** The IP address of each. */
  addresses: readonly string[];
  dialect: Dialect;
  runId: string;
  /** Called in every turn of the event loop with a read. */
  onRead: () => void;
}

/** Receivers on a plain socket: about a third of the cost of an official client. `http:` only. */
export function lightReceivers({ urls, addresses, dialect, runId, onRead }: LightOptions): OpenReceiver {
  const path = dialect.transport === "socket.io" ? socketIoPath(dialect.path) : dialect.path;
  const shared: Shared = {
    servers: urls.map((url, i) => lightServer(url, addresses[i]!, path)),
    dialect,
    runId,
    cache: new PacketCache(),
    buffer: readBuffer(),
    onRead,
  };
  return (assignment, observer) => new LightReceiver(shared, assignment, observer);
}

class LightReceiver implements Receiver {
  readonly #shared: Shared;
  readonly #observer: ReceiverObserver;
  readonly #receiver: number;
  readonly #socket: LightSocket;
  readonly #catchUp: CatchUp | undefined;
  #credential: string | null;
  #isReady = false;
  #isOnline = false;
  #last: KnownPacket | undefined;

  constructor(shared: Shared, assignment: Assignment, observer: ReceiverObserver) {
    const { receiver, credential, localAddress, server, position } = assignment;
    this.#shared = shared;
    this.#observer = observer;
    this.#receiver = receiver;
    this.#credential = credential;
    this.#socket = new LightSocket(shared.servers[server]!, localAddress, shared.buffer, this, shared.onRead);
    if (position === undefined) return;
    this.#catchUp = new CatchUp(position, {
      write: (frame) => this.#socket.write(frame),
      recovered: (indexes) => observer.messages(receiver, indexes, "sync", []),
      caughtUp: () => this.#goOnline(),
      failed: (code) => this.#socket.end(code),
    });
  }

  close(): void {
    this.#socket.close();
  }

  destroy(): void {
    this.#catchUp?.stop();
    this.#socket.destroy();
  }

  opened(): void {
    const { transport, hello, waitsForReady } = this.#shared.dialect;
    if (transport !== "websocket") return;
    if (hello) this.#socket.write(clientFrame(Opcode.text, Buffer.from(hello(this.#credential))));
    if (!waitsForReady) this.#goOnline();
  }

  ended(code: string): void {
    this.#catchUp?.stop();
    this.#observer.ended(this.#receiver, code);
  }

  text(bytes: Buffer, start: number, end: number): void {
    this.#handle(this.#decode(Opcode.text, bytes, start, end));
  }

  binary(bytes: Buffer, start: number, end: number): void {
    if (this.#shared.dialect.parser !== "msgpack") this.#socket.end("BINARY_MESSAGE");
    else this.#handle(this.#decode(Opcode.binary, bytes, start, end));
  }

  #decode(opcode: number, bytes: Buffer, start: number, end: number): Packet {
    const { cache, dialect, runId } = this.#shared;
    // Packets before a connection is ready are its own (session ids), so caching them is useless.
    const known = this.#isReady ? cache.find(bytes, start, end, this.#last) : undefined;
    if (known) {
      this.#last = known;
      return known.packet;
    }
    const packet =
      opcode === Opcode.text
        ? decodePacket(bytes.toString("utf8", start, end), dialect, runId)
        : decodeMsgpackPacket(bytes.subarray(start, end), dialect, runId);
    if (this.#isReady) this.#last = cache.add(bytes, start, end, packet, this.#last);
    return packet;
  }

  #handle(packet: Packet): void {
    switch (packet.kind) {
      case "messages":
        this.#observer.messages(this.#receiver, packet.indexes, "event", packet.revs);
        this.#catchUp?.received(packet.revs);
        break;
      case "ping":
        this.#socket.write(PONG);
        break;
      case "opened":
        this.#join();
        break;
      case "joined":
        this.#joined();
        break;
      case "login":
        if (packet.refusal === undefined) this.#ready();
        else this.#socket.end(packet.refusal);
        break;
      case "ready":
        this.#ready();
        break;
      case "resync":
        this.#observer.resync(this.#receiver);
        this.#catchUp?.start();
        break;
      case "draining":
        this.#observer.draining(this.#receiver, packet.withinMs);
        break;
      case "answer":
        this.#catchUp?.answered(packet.answer);
        break;
      case "refused":
      case "closed":
      case "invalid":
        this.#socket.end(packet.code);
        break;
      default:
    }
  }

  #join(): void {
    this.#socket.write(connectFrame(this.#shared.dialect, this.#credential));
    this.#credential = null;
  }

  #joined(): void {
    const { dialect } = this.#shared;
    if (dialect.login) this.#socket.write(callFrame(dialect, dialect.login.event, dialect.login.payload));
    else if (!dialect.waitsForReady) this.#ready();
  }

  #ready(): void {
    this.#isReady = true;
    if (this.#catchUp) this.#catchUp.start();
    else this.#goOnline();
  }

  #goOnline(): void {
    this.#isReady = true;
    if (this.#isOnline) return;
    this.#isOnline = true;
    this.#observer.online(this.#receiver);
  }
}

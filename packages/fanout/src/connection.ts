import { Socket as NetSocket } from "node:net";
import type { Socket } from "socket.io";
import type { ResolvedOptions } from "./options.ts";

/** One broadcast, encoded once for all its receivers. */
export interface EncodedPacket {
  /** The Socket.IO packet as text. */
  readonly text: string;
  /** The same as a WebSocket frame. */
  readonly frame: Buffer;
  /** Event name and arguments, for `onAnyOutgoing` listeners. */
  readonly args: readonly unknown[];
  /** What its publisher's `traceOf` said. */
  readonly trace?: string | undefined;
}

/**
 * Packets that a socket has yet to be sent, oldest first. Sockets that wait for the same packets share one batch, so
 * their bytes are put together once.
 */
class Batch {
  readonly latest: readonly EncodedPacket[];
  readonly #previous: Batch | null;
  #bytes: Buffer | null = null;

  constructor(previous: Batch | null, latest: readonly EncodedPacket[]) {
    this.#previous = previous;
    this.latest = latest;
  }

  get packets(): readonly EncodedPacket[] {
    return Batch.#runs(this).toReversed().flat();
  }

  get bytes(): Buffer {
    if (this.#bytes === null) {
      const frames = this.packets.map((packet) => packet.frame);
      this.#bytes = frames.length === 1 && frames[0] ? frames[0] : Buffer.concat(frames);
    }
    return this.#bytes;
  }

  static #runs(newest: Batch): (readonly EncodedPacket[])[] {
    const runs: (readonly EncodedPacket[])[] = [];
    for (let batch: Batch | null = newest; batch !== null; batch = batch.#previous) runs.push(batch.latest);
    return runs;
  }
}

/** Appends one run of packets to whatever each socket waits for already, keeping equal batches shared. */
export class Extension {
  readonly packets: readonly EncodedPacket[];
  readonly #extended = new Map<Batch | null, Batch>();
  #lastFrom: Batch | null = null;
  #lastTo: Batch | null = null;

  constructor(packets: readonly EncodedPacket[]) {
    this.packets = packets;
  }

  of(previous: Batch | null): Batch {
    if (this.#lastTo !== null && previous === this.#lastFrom) return this.#lastTo;
    let batch = this.#extended.get(previous);
    if (batch === undefined) {
      batch = new Batch(previous, this.packets);
      this.#extended.set(previous, batch);
    }
    this.#lastFrom = previous;
    this.#lastTo = batch;
    return batch;
  }
}

/** What the adapter keeps for each connected socket. */
export class Connection {
  readonly socket: Socket;
  /** Broadcasts that have been published to this socket and not been written. */
  pending: Batch | null = null;
  /** Whether it stands in the flush queue. */
  enqueued = false;
  /** Whether it has fallen behind: it gets no broadcasts and is not read from until its buffer has drained. */
  slow = false;
  /** Whether a broadcast was left out while it was slow. */
  missed = false;
  readonly #net: NetSocket | null;
  readonly #options: ResolvedOptions;
  readonly #settle: (connection: Connection) => void;
  /** Engine.IO holds packets of its own; a write to the connection would overtake them. */
  #held = false;
  /** How much of them there is; characters where they are text. */
  #heldBytes = 0;
  #writing = false;

  /** @param settle called before a packet of Engine.IO's own goes out: brings `pending` up to date. */
  constructor(socket: Socket, options: ResolvedOptions, settle: (connection: Connection) => void) {
    this.socket = socket;
    this.#net = directlyWritable(socket);
    this.#options = options;
    this.#settle = settle;
    socket.conn.on("packetCreate", this.#beforePacket);
  }

  /** Writes what is pending. */
  flush(): void {
    const batch = this.pending;
    if (batch === null) return;
    this.pending = null;
    const net = this.#net;
    if (net !== null && !net.writable) return;
    if (net !== null && this.#isBehind(net)) {
      this.missed = true;
      this.#fallBehind(net);
      return;
    }
    this.#notifyOutgoingListeners(batch);
    if (net !== null && !this.#held) net.write(batch.bytes);
    else this.#writeThroughEngine(batch);
  }

  /**
   * Writes one packet at once, after what is pending.
   * @returns false, and does not, where it would overtake packets of Engine.IO's, or the socket reads too slowly
   */
  write(packet: EncodedPacket): boolean {
    this.#settle(this);
    this.flush();
    const net = this.#net;
    if (net === null || this.#held || this.slow || !net.writable) return false;
    for (const listener of this.socket.listenersAnyOutgoing()) listener(...packet.args);
    net.write(packet.frame);
    return true;
  }

  /** The socket leaves the namespace. What is pending goes out as long as the connection stands. */
  close(): void {
    const { conn } = this.socket;
    if (conn.readyState === "open") this.flush();
    this.pending = null;
    conn.off("packetCreate", this.#beforePacket);
  }

  #beforePacket = (packet: { data?: string | Uint8Array }): void => {
    if (!this.#writing) {
      this.#settle(this);
      this.flush();
    }
    const { conn } = this.socket;
    if (!this.#held && conn.transport.writable) return;
    this.#heldBytes += packet.data?.length ?? 0;
    if (!this.#held) {
      this.#held = true;
      conn.once("drain", () => {
        this.#held = false;
        this.#heldBytes = 0;
      });
    }
    // Answers to calls come this way: a client that calls without reading must not fill the memory.
    const net = this.#net;
    if (net !== null && !this.slow && this.#isBehind(net)) this.#fallBehind(net);
  };

  #writeThroughEngine(batch: Batch): void {
    this.#writing = true;
    for (const packet of batch.packets) this.socket.conn.write(packet.text);
    this.#writing = false;
  }

  #notifyOutgoingListeners(batch: Batch): void {
    const listeners = this.socket.listenersAnyOutgoing();
    if (listeners.length === 0) return;
    for (const packet of batch.packets) for (const listener of listeners) listener(...packet.args);
  }

  #isBehind(net: NetSocket): boolean {
    // Without one of these there would be no event to recover by.
    if (!this.#held && !net.writableNeedDrain) return false;
    return net.writableLength + this.#heldBytes > this.#options.maxBufferedBytes;
  }

  #fallBehind(net: NetSocket): void {
    if (this.slow) return;
    this.slow = true;
    webSocketOf(this.socket)?.pause();
    // Not reached as long as bytes leave, however slowly: Node restarts it then.
    net.setTimeout(this.#options.stallTimeoutMs, this.#onStalled);
    this.#recoverOnceDrained(net);
    // In its own turn: an error thrown in there must not end the flush of the others.
    const { onSlow } = this.#options;
    if (onSlow) process.nextTick(onSlow, this.socket);
  }

  #recoverOnceDrained(net: NetSocket): void {
    const again = (): void => this.#recoverOnceDrained(net);
    if (this.#held) {
      this.socket.conn.once("drain", again);
    } else if (net.writableNeedDrain) {
      net.once("drain", again);
    } else {
      this.slow = false;
      net.setTimeout(0, this.#onStalled);
      webSocketOf(this.socket)?.resume();
      const { missed } = this;
      this.missed = false;
      if (missed && this.socket.connected) this.socket.emit(this.#options.resyncEvent);
    }
  }

  #onStalled = (): void => {
    this.#options.onStalled?.(this.socket);
    // A close frame would wait behind what is not read.
    webSocketOf(this.socket)?.terminate();
  };
}

/** What is used of the `ws` package's WebSocket. */
interface WebSocketHandle {
  pause(): void;
  resume(): void;
  terminate(): void;
}

/** Only for connections that are `directlyWritable`. */
function webSocketOf({ conn }: Socket): WebSocketHandle | undefined {
  return (conn.transport as { socket?: WebSocketHandle }).socket;
}

/**
 * The TCP connection under a socket, where a finished WebSocket frame may be written to it: Engine.IO protocol 4,
 * WebSocket from the start, the `ws` package, and no compression (which is asynchronous, so frames could overtake).
 */
function directlyWritable(socket: Socket): NetSocket | null {
  const { conn } = socket;
  const { wsEngine, perMessageDeflate } = socket.nsp.server.engine.opts;
  if (conn.protocol !== 4 || conn.transport.name !== "websocket" || conn.upgraded) return null;
  if (perMessageDeflate || wsEngine.name !== "WebSocketServer") return null;
  const net = conn.request?.socket;
  return net instanceof NetSocket ? net : null;
}

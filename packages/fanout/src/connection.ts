import { Socket as NetSocket } from "node:net";
import type { Socket } from "socket.io";
import type { ResolvedOptions } from "./options.ts";

/** One broadcast, encoded once for all its receivers. */
export interface EncodedPacket {
  /** The Socket.IO packet as text. */
  readonly text: string;
  /** The packet as a WebSocket frame. */
  readonly frame: Buffer;
  /** Event name and arguments, for `onAnyOutgoing` listeners. */
  readonly args: readonly unknown[];
  /** The result of the publisher's `traceOf`. */
  readonly trace?: string | undefined;
}

/**
 * Pending packets of a socket, oldest first. Sockets with the same pending packets share one batch, so that their bytes are
 * concatenated once.
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

/** Appends packets to the pending batches of sockets, so that equal batches stay shared. */
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

/** The adapter's state of a connected socket. */
export class Connection {
  readonly socket: Socket;
  /** Broadcasts to this socket that are not written yet. */
  pending: Batch | null = null;
  /** Whether it is in the flush queue. */
  enqueued = false;
  /** Whether its buffer is full: broadcasts are skipped and reading is paused until the buffer has drained. */
  slow = false;
  /** Whether a broadcast was skipped while it was slow. */
  missed = false;
  readonly #net: NetSocket | null;
  readonly #options: ResolvedOptions;
  readonly #settle: (connection: Connection) => void;
  /** Whether Engine.IO buffers packets, which a write to the connection would overtake. */
  #held = false;
  /** The size of the packets buffered by Engine.IO, with text counted in characters. */
  #heldBytes = 0;
  #writing = false;

  /** @param settle called before Engine.IO sends a packet, to update `pending` */
  constructor(socket: Socket, options: ResolvedOptions, settle: (connection: Connection) => void) {
    this.socket = socket;
    this.#net = directlyWritable(socket);
    this.#options = options;
    this.#settle = settle;
    socket.conn.on("packetCreate", this.#beforePacket);
  }

  /** Writes the pending packets. */
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
   * Writes the pending packets and then one more packet immediately.
   * @returns false if the packet was not written, because it would overtake packets of Engine.IO or the socket is too slow
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

  /** Called when the socket leaves the namespace. Pending packets are written if the connection is still open. */
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
    // Responses to calls are sent this way; a client that calls without reading must not fill the memory.
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
    // Otherwise there would be no drain event to recover on.
    if (!this.#held && !net.writableNeedDrain) return false;
    return net.writableLength + this.#heldBytes > this.#options.maxBufferedBytes;
  }

  #fallBehind(net: NetSocket): void {
    if (this.slow) return;
    this.slow = true;
    webSocketOf(this.socket)?.pause();
    // Node restarts this timeout whenever bytes are sent, however slowly.
    net.setTimeout(this.#options.stallTimeoutMs, this.#onStalled);
    this.#recoverOnceDrained(net);
    // On the next tick, so that an exception doesn't interrupt the flush of other sockets.
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
    // Not `close`, because its frame would wait behind the unread data.
    webSocketOf(this.socket)?.terminate();
  };
}

/** The part of the `ws` package's WebSocket that is used here. */
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
 * The TCP connection of a socket, if WebSocket frames can be written to it directly. This requires Engine.IO protocol 4, WebSocket
 * from the start, the `ws` package, and no compression, which is asynchronous, so that frames could overtake each other.
 */
function directlyWritable(socket: Socket): NetSocket | null {
  const { conn } = socket;
  const { wsEngine, perMessageDeflate } = socket.nsp.server.engine.opts;
  if (conn.protocol !== 4 || conn.transport.name !== "websocket" || conn.upgraded) return null;
  if (perMessageDeflate || wsEngine.name !== "WebSocketServer") return null;
  const net = conn.request?.socket;
  return net instanceof NetSocket ? net : null;
}

import type { Namespace, Socket } from "socket.io";
import { Adapter, type BroadcastOptions, type Room, type SocketId } from "socket.io-adapter";
import type { EventPacket } from "./bus/wire.ts";
import { Connection, type EncodedPacket, Extension } from "./connection.ts";
import { FlushQueue } from "./flush-queue.ts";
import { textFrame } from "./frames.ts";
import { JoinGuard, Members } from "./membership.ts";
import type { ResolvedOptions } from "./options.ts";

/** Engine.IO's packet type "message", which carries every Socket.IO packet. */
const ENGINE_MESSAGE = "4";
/** Socket.IO's packet type of an event. */
const EVENT = 2;

/** Consecutive publications to one room, without another publication, join or leave in between. */
interface Run {
  readonly room: Room;
  readonly packets: EncodedPacket[];
  readonly since: number;
}

/**
 * A Socket.IO adapter for one process. A broadcast is encoded once, and the same bytes are written to every connection. All
 * broadcasts of one turn of the event loop are sent in one write per socket. Each socket receives exactly what the default adapter
 * would send, in the same order.
 */
export class FanoutAdapter extends Adapter {
  readonly #options: ResolvedOptions;
  readonly #connections = new Map<SocketId, Connection>();
  readonly #members = new Members(this.#connections, this.rooms);
  readonly #guard = new JoinGuard();
  readonly #queue: FlushQueue;
  #run: Run | null = null;

  constructor(nsp: Namespace, options: ResolvedOptions) {
    super(nsp);
    this.#options = options;
    this.#queue = new FlushQueue(options.socketsPerSlice, () => this.#closeRun());
  }

  override broadcast(packet: EventPacket, opts: BroadcastOptions): void {
    const { rooms } = opts;
    if (rooms.size > 0 && !anyIn(rooms, this.rooms)) return;
    const encoded = opts.flags?.volatile ? null : this.#encode(packet);
    if (encoded === null) super.broadcast(packet, opts);
    else this.deliver(encoded, opts);
  }

  /**
   * Delivers an encoded packet to the sockets of this process.
   * @param afterTurns turns of the event loop to wait beyond the next one
   * @param publishedMs time of publication on the clock of `performance.now()`, to measure the delay
   */
  protected deliver(
    packet: EncodedPacket,
    opts: BroadcastOptions,
    afterTurns = 0,
    publishedMs = Infinity,
  ): void {
    const { rooms, except } = opts;
    // Ignores a publisher's clock that is ahead.
    const since = Math.min(publishedMs, performance.now());
    const [room] = rooms;
    if (room !== undefined && rooms.size === 1 && !except?.size) {
      this.#publishToRoom(room, packet, since);
    } else {
      this.#closeRun();
      this.#publish(packet, opts, since);
    }
    this.#queue.schedule(afterTurns);
  }

  /** Sends `resync` to sockets of this process; null: to all. */
  protected resyncLocally(ids: ReadonlySet<SocketId> | null): void {
    if (ids?.size === 0) return;
    const packet = { type: EVENT, data: [this.#options.resyncEvent] };
    FanoutAdapter.prototype.broadcast.call(this, packet, { rooms: new Set(ids) });
  }

  override addAll(id: SocketId, rooms: Set<Room>): Promise<void> | void {
    if (this.#run !== null && rooms.has(this.#run.room)) this.#closeRun();
    void super.addAll(id, rooms);
    this.#guard.joined(id, rooms);
    for (const room of rooms) this.#members.changed(room);
    if (!this.#connections.has(id)) this.#connect(id);
  }

  override del(id: SocketId, room: Room): void {
    if (this.#run?.room === room) this.#closeRun();
    void super.del(id, room);
    this.#guard.left(id, room);
    this.#members.changed(room);
  }

  override delAll(id: SocketId): void {
    const rooms = this.sids.get(id) ?? new Set();
    if (this.#run !== null && rooms.has(this.#run.room)) this.#closeRun();
    this.#connections.get(id)?.close();
    this.#connections.delete(id);
    for (const room of rooms) {
      this.#guard.left(id, room);
      this.#members.changed(room);
    }
    super.delAll(id);
  }

  /** See the function of the same name. */
  async joinFresh(socket: Socket, fetchRooms: () => Promise<readonly Room[]>): Promise<Room[]> {
    const left = this.#guard.begin(socket.id);
    try {
      const rooms = await fetchRooms();
      if (!socket.connected) return [];
      const joined = rooms.filter((room) => !left.has(room));
      await socket.join(joined);
      return joined;
    } finally {
      this.#guard.end(socket.id, left);
    }
  }

  /** See the function of the same name. */
  emitDirectly(socket: Socket, event: string, payload: unknown): void {
    const encoded = this.#encode({ type: EVENT, data: [event, payload] });
    const written = encoded !== null && this.#connections.get(socket.id)?.write(encoded);
    if (!written) socket.emit(event, payload);
  }

  /** See the function of the same name. */
  isSlow(socket: Socket): boolean {
    return this.#connections.get(socket.id)?.slow === true;
  }

  /** The number of entries held in memory; all are 0 without connections. */
  get held(): { connections: number; queued: number; lists: number; joining: number } {
    return {
      connections: this.#connections.size,
      queued: this.#queue.size,
      lists: this.#members.size,
      joining: this.#guard.size,
    };
  }

  /** Returns null if the packet isn't a single text frame: it has binary parts, or the parser isn't a text parser. */
  #encode(packet: EventPacket): EncodedPacket | null {
    packet.nsp = this.nsp.name;
    const parts: unknown[] = this.nsp.server.encoder.encode(packet);
    const [text] = parts;
    if (parts.length !== 1 || typeof text !== "string") return null;
    const trace = this.#options.traceOf?.();
    return { text, frame: textFrame(ENGINE_MESSAGE + text), args: packet.data, trace };
  }

  #connect(id: SocketId): void {
    // A middleware can join a socket to rooms before it is connected; it receives nothing until then.
    const socket: Socket | undefined = this.nsp.sockets.get(id);
    if (socket === undefined) return;
    const rooms = this.sids.get(id) ?? new Set();
    if (this.#run !== null && rooms.has(this.#run.room)) this.#closeRun();
    this.#connections.set(id, new Connection(socket, this.#options, this.#settle));
    for (const room of rooms) this.#members.changed(room);
  }

  #publishToRoom(room: Room, packet: EncodedPacket, since: number): void {
    if (this.#run?.room === room) {
      this.#run.packets.push(packet);
    } else {
      this.#closeRun();
      this.#run = { room, packets: [packet], since };
    }
  }

  #publish(packet: EncodedPacket, { rooms, except }: BroadcastOptions, since: number): void {
    const extension = new Extension([packet]);
    const excluded = new Set<SocketId>();
    for (const room of except ?? []) for (const id of this.rooms.get(room) ?? []) excluded.add(id);
    let sockets = 0;
    if (rooms.size === 0) sockets = this.#append(extension, this.#connections.values(), excluded);
    for (const room of rooms) sockets += this.#append(extension, this.#members.of(room), excluded);
    this.#report([...rooms][0] ?? "", extension.packets, sockets, since);
  }

  /** Determines the receivers of the run. Call it before the room's members change and before any other publication. */
  #closeRun(): void {
    if (this.#run === null) return;
    const { room, packets, since } = this.#run;
    this.#run = null;
    const sockets = this.#append(new Extension(packets), this.#members.of(room), NO_SOCKETS);
    this.#report(room, packets, sockets, since);
  }

  #append(extension: Extension, connections: Iterable<Connection>, excluded: ReadonlySet<SocketId>): number {
    let appended = 0;
    for (const connection of connections) {
      const { pending } = connection;
      // The socket is in several of the rooms.
      if (pending?.latest === extension.packets) continue;
      if (excluded.size > 0 && excluded.has(connection.socket.id)) continue;
      if (connection.slow) {
        connection.missed = true;
        continue;
      }
      connection.pending = extension.of(pending);
      this.#queue.add(connection);
      appended++;
    }
    return appended;
  }

  #settle = (connection: Connection): void => {
    if (this.#run !== null && this.rooms.get(this.#run.room)?.has(connection.socket.id)) this.#closeRun();
  };

  #report(room: Room, packets: readonly EncodedPacket[], sockets: number, since: number): void {
    const { onBroadcast } = this.#options;
    if (onBroadcast === undefined) return;
    const bytes = packets.reduce((sum, packet) => sum + packet.frame.length, 0);
    this.#queue.whenWritten(() => {
      onBroadcast({
        room,
        publications: packets.length,
        sockets,
        bytes,
        durationMs: performance.now() - since,
        traces: tracesOf(packets),
      });
    });
  }
}

const NO_SOCKETS: ReadonlySet<SocketId> = new Set();
const NO_TRACES: readonly string[] = [];

function tracesOf(packets: readonly EncodedPacket[]): readonly string[] {
  let traces: string[] | null = null;
  for (const { trace } of packets) if (trace !== undefined) (traces ??= []).push(trace);
  return traces ?? NO_TRACES;
}

/** Whether any of the rooms exists. */
export const anyIn = (rooms: ReadonlySet<Room>, existing: ReadonlyMap<Room, unknown>): boolean => {
  for (const room of rooms) if (existing.has(room)) return true;
  return false;
};

import type { Namespace, Socket } from "socket.io";
import type { BroadcastOptions, Room, SocketId } from "socket.io-adapter";
import { PacketType } from "socket.io-parser";
import { anyIn, FanoutAdapter } from "../adapter.ts";
import type { ResolvedBusOptions, ResolvedOptions, ResyncReason } from "../options.ts";
import { Publisher } from "./publisher.ts";
import { Duplicates, RoomSubscriptions } from "./room-subscriptions.ts";
import { Subjects } from "./bus.ts";
import {
  decodeEvent,
  decodeMessage,
  decodeParts,
  encodeEvent,
  type EventPacket,
  type Header,
  Kind,
  type Message,
  WirePacket,
} from "./wire.ts";

/**
 * Event loop turns to wait before writing to this process's sockets, so that a publication is first sent to other servers.
 */
const TURNS_FOR_OTHERS = 1;
/** Origin of `performance.now()`. */
const STARTED_AT_MS = performance.timeOrigin;
/** Resyncs within this time are combined. */
const RESYNC_GATHER_MS = 200;

/**
 * The adapter of a server in a cluster. Each room is a subject of the bus, which a server subscribes to when the first member joins.
 * Local sockets are handled by FanoutAdapter.
 */
export class BusAdapter extends FanoutAdapter {
  readonly #options: ResolvedBusOptions;
  readonly #subjects: Subjects;
  readonly #publisher: Publisher;
  readonly #subscriptions: RoomSubscriptions;
  readonly #duplicates = new Duplicates();
  readonly #ends: (() => void)[];
  readonly #writesText: boolean;
  /** During `socketsJoin`: sockets with pending subscriptions to their new rooms, and the promise of these becoming active. */
  #joining: Joining | null = null;
  #resyncTimer: NodeJS.Timeout | null = null;

  constructor(nsp: Namespace, options: ResolvedOptions, busOptions: ResolvedBusOptions) {
    super(nsp, options);
    const { bus, prefix, lingerMs, onPublished } = busOptions;
    this.#options = busOptions;
    this.#subjects = new Subjects(prefix, nsp.name);
    this.#publisher = new Publisher({
      bus,
      subjects: this.#subjects,
      namespace: nsp.name,
      onPublished,
      traceOf: options.traceOf,
    });
    this.#subscriptions = new RoomSubscriptions({
      bus,
      subjects: this.#subjects,
      lingerMs,
      onMessage: this.#receive,
      onCount: (count) => busOptions.onSubscriptions?.(count),
    });
    const { servers } = this.#subjects;
    this.#ends = [
      bus.subscribe(servers, (message) => this.#receive(servers, null, message)),
      bus.onInterrupted(() => this.#resyncSoon("interrupted")),
    ];
    this.#writesText = writesText(nsp);
  }

  override close(): void {
    this.#publisher.close();
    this.#subscriptions.close();
    for (const end of this.#ends) end();
    if (this.#resyncTimer !== null) clearTimeout(this.#resyncTimer);
  }

  override broadcast(packet: EventPacket, opts: BroadcastOptions): void {
    if (opts.flags?.local) {
      super.broadcast(packet, opts);
      return;
    }
    const encoded = this.#publisher.event(headerOf(opts), packet.data);
    if (encoded === null || opts.flags?.volatile || !this.#writesText) super.broadcast(packet, opts);
    else if (this.#hasAny(opts.rooms)) this.deliver(encoded, opts, TURNS_FOR_OTHERS);
  }

  override addSockets(opts: BroadcastOptions, rooms: Room[]): void {
    if (!opts.flags?.local) this.#publisher.join(headerOf(opts), rooms);
    this.#joinHere(opts, rooms);
  }

  override delSockets(opts: BroadcastOptions, rooms: Room[]): void {
    if (!opts.flags?.local) this.#publisher.leave(headerOf(opts), rooms);
    super.delSockets(opts, rooms);
  }

  override disconnectSockets(opts: BroadcastOptions, close: boolean): void {
    if (!opts.flags?.local) this.#publisher.disconnect(headerOf(opts), close);
    super.disconnectSockets(opts, close);
  }

  /** @returns a promise that resolves once the subscriptions to the rooms are active; undefined if they are. Never rejects. */
  override addAll(id: SocketId, rooms: Set<Room>): Promise<void> | void {
    let active = this.#subscriptions.subscribe(null);
    for (const room of rooms) active = this.#subscriptions.subscribe(room) ?? active;
    void super.addAll(id, rooms);
    if (active === undefined) return;
    if (this.#joining !== null) {
      this.#joining.ids.add(id);
      this.#joining.active = active;
    }
    return active;
  }

  override del(id: SocketId, room: Room): void {
    super.del(id, room);
    if (!this.rooms.has(room)) this.#subscriptions.release(room);
  }

  override delAll(id: SocketId): void {
    const rooms = [...(this.sids.get(id) ?? [])];
    super.delAll(id);
    for (const room of rooms) if (!this.rooms.has(room)) this.#subscriptions.release(room);
    if (this.sids.size === 0) this.#subscriptions.release(null);
  }

  /** Waits for active subscriptions before fetching, so that no publication between fetch and join is lost. */
  override async joinFresh(socket: Socket, fetchRooms: () => Promise<readonly Room[]>): Promise<Room[]> {
    await this.#subscriptions.active();
    return super.joinFresh(socket, fetchRooms);
  }

  /** The number of subscribed rooms, including lingering ones. */
  get subscriptions(): number {
    return this.#subscriptions.size;
  }

  #onError = (error: Error): void => this.#options.onBusError?.(error);

  #receive = (subject: string, room: Room | null, data: Uint8Array): void => {
    try {
      const message = decodeMessage(data);
      if (message.publisher === this.#publisher.id) return;
      if (message.kind === Kind.resync) this.#resyncSoon("requested");
      else this.#receiveForSockets(subject, room, message, data.length);
    } catch (error) {
      this.#onError(error as Error);
    }
  };

  #receiveForSockets(subject: string, room: Room | null, message: Message, bytes: number): void {
    const { onReceived } = this.#options;
    if (this.#duplicates.isRepeated(message)) {
      onReceived?.("repeated", bytes);
      return;
    }
    const header = message.header ?? { rooms: room === null ? [] : [room] };
    const opts = optionsOf(header);
    if (this.#hasAny(opts.rooms)) {
      onReceived?.("members", bytes);
      this.#execute(message, header, opts);
    } else if (this.#subscriptions.isLingering(subject)) {
      onReceived?.("lingering", bytes);
    } else {
      // A copy on the subject of a recent join, for servers without an active subscription.
      const isCopy = !header.rooms.some((name) => this.#subjects.room(name) === subject);
      onReceived?.(isCopy || subject === this.#subjects.all ? "elsewhere" : "stray", bytes);
    }
  }

  #execute({ kind, body, publishedAtMs }: Message, header: Header, opts: BroadcastOptions): void {
    const change = [...(header.change ?? [])];
    if (kind === Kind.frame) {
      const packet = new WirePacket(body, header.trace);
      if (this.#writesText && !header.volatile) this.deliver(packet, opts, 0, publishedAtMs - STARTED_AT_MS);
      else super.broadcast(decodeEvent(packet.text), opts);
    } else if (kind === Kind.packet) super.broadcast(decodeParts(body), opts);
    else if (kind === Kind.join) this.#joinHere(opts, change);
    else if (kind === Kind.leave) super.delSockets(opts, change);
    else if (kind === Kind.disconnect) super.disconnectSockets(opts, header.close ?? false);
    else throw new Error(`Unknown kind of bus message: ${kind}.`);
  }

  #hasAny(rooms: ReadonlySet<Room>): boolean {
    return rooms.size === 0 ? this.sids.size > 0 : anyIn(rooms, this.rooms);
  }

  #joinHere(opts: BroadcastOptions, rooms: Room[]): void {
    const joining: Joining = { ids: new Set(), active: null };
    this.#joining = joining;
    try {
      super.addSockets(opts, rooms);
    } finally {
      this.#joining = null;
    }
    if (joining.active !== null) void this.#resyncWhen(joining.active, joining.ids);
  }

  async #resyncWhen(active: Promise<void>, ids: ReadonlySet<SocketId>): Promise<void> {
    await active;
    this.#resync(ids, "joined");
  }

  #resyncSoon(reason: ResyncReason): void {
    this.#resyncTimer ??= setTimeout(() => {
      this.#resyncTimer = null;
      this.#resync(null, reason);
    }, RESYNC_GATHER_MS);
  }

  /** @param ids null for all sockets of this server. */
  #resync(ids: ReadonlySet<SocketId> | null, reason: ResyncReason): void {
    const { onResync } = this.#options;
    if (onResync === undefined) {
      this.resyncLocally(ids);
    } else {
      const sockets: ReadonlyMap<SocketId, Socket> = this.nsp.sockets;
      const found = ids && [...ids].map((id) => sockets.get(id)).filter((socket) => socket !== undefined);
      onResync(found, reason);
    }
  }
}

interface Joining {
  readonly ids: Set<SocketId>;
  active: Promise<void> | null;
}

/** Whether the parser's output is that of Socket.IO's default parser. */
function writesText(nsp: Namespace): boolean {
  const { encoder }: { encoder: { encode(packet: object): unknown[] } } = nsp.server;
  const data = ["probe", { value: [1, null] }];
  const parts = encoder.encode({ type: PacketType.EVENT, nsp: "/", data });
  return parts.length === 1 && parts[0] === encodeEvent("/", data)[0];
}

function headerOf({ rooms, except, flags }: BroadcastOptions): Header {
  return {
    rooms: [...rooms],
    ...(except !== undefined && except.size > 0 ? { except: [...except] } : {}),
    ...(flags?.volatile ? { volatile: true } : {}),
    ...(flags?.compress === undefined ? {} : { compress: flags.compress }),
  };
}

function optionsOf({ rooms, except, volatile, compress }: Header): BroadcastOptions {
  return {
    rooms: new Set(rooms),
    except: new Set(except),
    flags: {
      ...(volatile === undefined ? {} : { volatile }),
      ...(compress === undefined ? {} : { compress }),
    },
  };
}

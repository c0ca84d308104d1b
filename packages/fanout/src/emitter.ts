import type { Namespace, Server } from "socket.io";
import { MessageType } from "socket.io-adapter";
import { FanoutAdapter } from "./adapter.ts";
import type { Bus } from "./bus/bus.ts";
import { Publisher } from "./bus/publisher.ts";
import { checkedPrefix, Subjects } from "./bus/subjects.ts";
import type { Header } from "./bus/wire.ts";

export interface EmitterOptions {
  /** Reaches the sockets of other processes. null: only those of the attached server. */
  bus?: Bus | null;
  /** First words of all subjects; the servers' must be the same. Default "fanfare". */
  prefix?: string;
  /** Default "/". */
  namespace?: string;
  /** Called for each publication over the bus with the number of its copies (one per subject) and their size in bytes. */
  onPublished?: ((copies: number, bytes: number) => void) | undefined;
  /** As that of the adapter. */
  traceOf?: (() => string | undefined) | undefined;
}

/** The sender of a message between servers that is not one of them. */
const NO_SERVER = "emitter";

type Rooms = string | readonly string[];

/**
 * Publishes to the sockets of every server that uses this package's adapter. While a server of this process is attached,
 * everything goes through it: it publishes to the others. Without one, it goes over the bus; without a bus either, it is
 * dropped, since no socket can be connected. What one emitter does arrives everywhere in that order.
 */
export class Emitter {
  readonly #publisher: Publisher | null = null;
  readonly #namespace: string;
  #server: Server | null = null;
  #sockets: Namespace | null = null;

  /** @throws RangeError for an option out of range. */
  constructor({
    bus = null,
    prefix = "fanfare",
    namespace = "/",
    onPublished,
    traceOf,
  }: EmitterOptions = {}) {
    const subjects = new Subjects(checkedPrefix(prefix), namespace);
    this.#namespace = namespace;
    if (bus !== null) {
      this.#publisher = new Publisher({ bus, subjects, namespace, onPublished, traceOf });
    }
  }

  /** Publishes through `io` from now on. Throws when another server is attached. */
  attach(io: Server): void {
    if (this.#server !== null && this.#server !== io) {
      throw new Error("Another Socket.IO server is attached to this emitter: call detach() first.");
    }
    this.#server = io;
    this.#sockets = io.of(this.#namespace);
  }

  detach(): void {
    this.#server = null;
    this.#sockets = null;
  }

  /**
   * One publication to every socket in any of `rooms`; a socket in several of them gets it once. No rooms, no receivers.
   * @param payload anything JSON can carry.
   * @param except sockets in any of these rooms do not get it
   * @throws RangeError when the event is larger than the bus takes.
   */
  emit(rooms: Rooms, event: string, payload: unknown, except: readonly string[] = []): void {
    // Socket.IO takes an empty list of rooms for all sockets.
    if (rooms.length === 0) return;
    if (this.#sockets !== null) {
      const to = this.#sockets.to(rooms as string | string[]);
      (except.length === 0 ? to : to.except([...except])).emit(event, payload);
    } else {
      this.#publisher?.event(headerOf(rooms, except), [event, payload]);
    }
  }

  /** All sockets now in `room`, or in any of several, join `rooms`, but not those in any of `except`. */
  socketsJoin(room: Rooms, rooms: readonly string[], except: readonly string[] = []): void {
    if (room.length === 0) return;
    if (this.#sockets !== null) this.#members(this.#sockets, room, except).socketsJoin([...rooms]);
    else this.#publisher?.join(headerOf(room, except), rooms);
  }

  /** The same with leaving. What was published before still reaches them, nothing after does. */
  socketsLeave(room: Rooms, rooms: readonly string[], except: readonly string[] = []): void {
    if (room.length === 0) return;
    if (this.#sockets !== null) this.#members(this.#sockets, room, except).socketsLeave([...rooms]);
    else this.#publisher?.leave(headerOf(room, except), rooms);
  }

  /** Closes the connection of every socket in `room`, after what was already sent to them. */
  disconnectSockets(room: string): void {
    if (this.#sockets !== null) this.#sockets.in(room).disconnectSockets(true);
    else this.#publisher?.disconnect({ rooms: [room] }, true);
  }

  /** Tells all sockets to fetch the state again (`resync`), because publications may have been lost. */
  publishResync(): void {
    if (this.#sockets === null) this.#publisher?.resync();
    else if (this.#sockets.adapter instanceof FanoutAdapter) this.#sockets.adapter.publishResync();
  }

  /** What `namespace.serverSideEmit` is on a server: an event that the namespaces of the other servers emit. */
  serverSideEmit(event: string, ...args: unknown[]): void {
    if (this.#sockets !== null) {
      this.#sockets.serverSideEmit(event, ...args);
      return;
    }
    this.#publisher?.cluster({
      uid: NO_SERVER,
      nsp: this.#namespace,
      type: MessageType.SERVER_SIDE_EMIT,
      data: { packet: [event, ...args] },
    });
  }

  /** Lets go of the bus, which stays open. */
  close(): void {
    this.#publisher?.close();
  }

  #members(sockets: Namespace, room: Rooms, except: readonly string[]) {
    return sockets.in(room as string | string[]).except([...except]);
  }
}

function headerOf(rooms: Rooms, except: readonly string[]): Header {
  const header = { rooms: typeof rooms === "string" ? [rooms] : rooms };
  return except.length === 0 ? header : { ...header, except };
}

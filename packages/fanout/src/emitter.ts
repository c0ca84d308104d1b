import type { Namespace, Server } from "socket.io";
import { type Bus, checkedPrefix, Subjects } from "./bus/bus.ts";
import { Publisher } from "./bus/publisher.ts";
import type { Header } from "./bus/wire.ts";

export interface EmitterOptions {
  /** Transport to other processes; null: publishes only to the attached server. */
  bus?: Bus | null;
  /** Prefix of all subjects; must be that of the servers. Default: "fanfare". */
  prefix?: string;
  /** Default: "/". */
  namespace?: string;
  /** Called for each publication to the bus with the number of copies (one per subject) and their size in bytes. */
  onPublished?: ((copies: number, bytes: number) => void) | undefined;
  /** See the option of the adapter. */
  traceOf?: (() => string | undefined) | undefined;
}

type Rooms = string | readonly string[];

/**
 * Publishes to the sockets of all servers that use this package's adapter, in order. Uses the attached server of this process if there
 * is one, otherwise the bus. Without both, publications are dropped, because no socket can be connected.
 */
export class Emitter {
  readonly #publisher: Publisher | null = null;
  readonly #namespace: string;
  #server: Server | null = null;
  #sockets: Namespace | null = null;

  /** @throws RangeError if an option is out of range. */
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

  /** Publishes through `io` from now on. Throws if another server is attached. */
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
   * Publishes to every socket in any of `rooms`, once even if it is in several of them. Without rooms, there are no receivers.
   * @param payload JSON-serializable.
   * @param except excludes sockets in any of these rooms
   * @throws RangeError if the event exceeds the bus's maximum size.
   */
  emit(rooms: Rooms, event: string, payload: unknown, except: readonly string[] = []): void {
    // For Socket.IO, an empty list of rooms means all sockets.
    if (rooms.length === 0) return;
    if (this.#sockets !== null) {
      const to = this.#sockets.to(rooms as string | string[]);
      (except.length === 0 ? to : to.except([...except])).emit(event, payload);
    } else {
      const header = headerOf(rooms, except);
      if (this.#publisher?.isHeard(header.rooms)) this.#publisher.event(header, [event, payload]);
    }
  }

  /** Joins all sockets that are in any of the given rooms, but in none of `except`, to `rooms`. */
  socketsJoin(room: Rooms, rooms: readonly string[], except: readonly string[] = []): void {
    if (room.length === 0) return;
    if (this.#sockets !== null) this.#members(this.#sockets, room, except).socketsJoin([...rooms]);
    else this.#publisher?.join(headerOf(room, except), rooms);
  }

  /** Removes the sockets from `rooms`. They receive earlier publications, but no later ones. */
  socketsLeave(room: Rooms, rooms: readonly string[], except: readonly string[] = []): void {
    if (room.length === 0) return;
    if (this.#sockets !== null) this.#members(this.#sockets, room, except).socketsLeave([...rooms]);
    else this.#publisher?.leave(headerOf(room, except), rooms);
  }

  /** Stops using the bus, which stays open. */
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

import type { Room, SocketId } from "socket.io-adapter";
import type { Connection } from "./connection.ts";

/** Smaller rooms are not cached, because most rooms belong to one user and caching them would only use memory. */
const MIN_CACHED = 16;

/** Caches the connections of each room as an array, which is several times faster to iterate than looking up ids. */
export class Members {
  readonly #connections: ReadonlyMap<SocketId, Connection>;
  readonly #rooms: ReadonlyMap<Room, ReadonlySet<SocketId>>;
  readonly #lists = new Map<Room, readonly Connection[]>();

  constructor(
    connections: ReadonlyMap<SocketId, Connection>,
    rooms: ReadonlyMap<Room, ReadonlySet<SocketId>>,
  ) {
    this.#connections = connections;
    this.#rooms = rooms;
  }

  of(room: Room): readonly Connection[] {
    const known = this.#lists.get(room);
    if (known !== undefined) return known;
    const list: Connection[] = [];
    for (const id of this.#rooms.get(room) ?? []) {
      const connection = this.#connections.get(id);
      if (connection !== undefined) list.push(connection);
    }
    if (list.length >= MIN_CACHED) this.#lists.set(room, list);
    return list;
  }

  /** Call it after a connection has joined or left `room`. */
  changed(room: Room): void {
    this.#lists.delete(room);
  }

  /** The number of cached rooms. */
  get size(): number {
    return this.#lists.size;
  }
}

/** Tracks the rooms that a socket was removed from while its rooms are being fetched. */
export class JoinGuard {
  readonly #left = new Map<SocketId, Set<Room>[]>();

  begin(id: SocketId): Set<Room> {
    const left = new Set<Room>();
    this.#left.set(id, [...(this.#left.get(id) ?? []), left]);
    return left;
  }

  end(id: SocketId, left: Set<Room>): void {
    const others = (this.#left.get(id) ?? []).filter((other) => other !== left);
    if (others.length > 0) this.#left.set(id, others);
    else this.#left.delete(id);
  }

  joined(id: SocketId, rooms: Iterable<Room>): void {
    for (const left of this.#left.get(id) ?? []) for (const room of rooms) left.delete(room);
  }

  left(id: SocketId, room: Room): void {
    for (const left of this.#left.get(id) ?? []) left.add(room);
  }

  /** The number of sockets whose rooms are being fetched. */
  get size(): number {
    return this.#left.size;
  }
}

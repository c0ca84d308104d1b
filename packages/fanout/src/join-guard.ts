import type { Room, SocketId } from "socket.io-adapter";

/** Remembers, while a socket's rooms are being fetched, which rooms it was told to leave in the meantime. */
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

  /** Sockets whose rooms are being fetched. */
  get size(): number {
    return this.#left.size;
  }
}

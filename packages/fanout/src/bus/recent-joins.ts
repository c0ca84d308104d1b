/** Longer than a server takes from hearing of a join to having its subscription. */
const WINDOW_MS = 2000;
const MAX_ROOMS = 10_000;
/** With more, one message to all servers is cheaper than a copy to each subject. */
const MAX_SUBJECTS = 16;

/**
 * Sockets told to join a room may be on a server that has had nobody in it: until its subscription is active, it hears of
 * the room only on the subject where the join was published. So what this publisher says to the room goes there too.
 */
export class RecentJoins {
  readonly #all: string;
  /** By room: subject → until when. The room of the latest join is the last. */
  readonly #rooms = new Map<string, Map<string, number>>();

  /** @param all the subject that every server with a socket hears. */
  constructor(all: string) {
    this.#all = all;
  }

  joined(room: string, subjects: Iterable<string>): void {
    const now = performance.now();
    const known = this.#rooms.get(room) ?? new Map<string, number>();
    for (const subject of subjects) known.set(subject, now + WINDOW_MS);
    if (known.size > MAX_SUBJECTS) {
      known.clear();
      known.set(this.#all, now + WINDOW_MS);
    }
    this.#rooms.delete(room);
    this.#rooms.set(room, known);
    this.#forget(now);
  }

  /** Adds to `subjects` where else `room` has to be addressed. */
  extend(subjects: Set<string>, room: string): void {
    if (this.#rooms.size === 0) return;
    const known = this.#rooms.get(room);
    if (known === undefined) return;
    const now = performance.now();
    for (const [subject, until] of known) {
      if (until > now) subjects.add(subject);
      else known.delete(subject);
    }
    if (known.size === 0) this.#rooms.delete(room);
  }

  #forget(now: number): void {
    for (const [room, known] of this.#rooms) {
      const latest = Math.max(...known.values());
      if (latest > now && this.#rooms.size <= MAX_ROOMS) return;
      this.#rooms.delete(room);
    }
  }

  /** Rooms remembered. */
  get size(): number {
    return this.#rooms.size;
  }
}

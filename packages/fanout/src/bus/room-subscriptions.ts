import type { Bus, Subjects } from "./bus.ts";
import type { Message } from "./wire.ts";

/** Maximum number of unsubscribes per turn, so that the event loop isn't blocked. */
const UNSUBSCRIBED_PER_TURN = 500;

/** Subscriptions that become active together, with one flush of the bus. */
interface Batch {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  isActive: boolean;
}

interface Subscription {
  readonly end: () => void;
  readonly batch: Batch;
}

interface Released {
  readonly at: number;
  /** The pending batch at that time. Until it is active, its messages can arrive on this subject: see RecentJoins. */
  readonly during: Batch | null;
}

interface RoomSubscriptionsOptions {
  readonly bus: Bus;
  readonly subjects: Subjects;
  /** How long a subscription is kept after the last member has left, in milliseconds. */
  readonly lingerMs: number;
  readonly onMessage: (subject: string, room: string | null, message: Uint8Array) => void;
  readonly onCount: (subscriptions: number) => void;
}

/** The subscriptions of a server to the rooms of its sockets; null: the subject of all sockets in the namespace. */
export class RoomSubscriptions {
  readonly #options: RoomSubscriptionsOptions;
  readonly #subscriptions = new Map<string, Subscription>();
  /** By subject, oldest first. */
  readonly #lingering = new Map<string, Released>();
  #open: Batch | null = null;
  #latest: Batch | null = null;
  #isFlushing = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: RoomSubscriptionsOptions) {
    this.#options = options;
  }

  /** @returns undefined if the subscription is active, otherwise a promise of it. */
  subscribe(room: string | null): Promise<void> | undefined {
    const { bus, subjects, onMessage, onCount } = this.#options;
    const subject = room === null ? subjects.all : subjects.room(room);
    if (room !== null && subject === subjects.all) return undefined;
    const known = this.#subscriptions.get(subject);
    if (known !== undefined) {
      this.#lingering.delete(subject);
      return known.batch.isActive ? undefined : known.batch.promise;
    }
    const end = bus.subscribe(subject, (message) => onMessage(subject, room, message));
    const batch = this.#openBatch();
    this.#subscriptions.set(subject, { end, batch });
    onCount(this.#subscriptions.size);
    return batch.promise;
  }

  /** Called when the last socket has left the room. */
  release(room: string | null): void {
    const { subjects } = this.#options;
    const subject = room === null ? subjects.all : subjects.room(room);
    if (room !== null && subject === subjects.all) return;
    if (!this.#subscriptions.has(subject)) return;
    this.#lingering.set(subject, { at: performance.now(), during: this.#latest });
    this.#schedule();
  }

  isLingering(subject: string): boolean {
    return this.#lingering.has(subject);
  }

  /** Resolves when all subscriptions made so far are active. */
  async active(): Promise<void> {
    // Flushes are answered in order.
    if (this.#open !== null || this.#isFlushing) await this.#openBatch().promise;
  }

  close(): void {
    for (const { end } of this.#subscriptions.values()) end();
    this.#subscriptions.clear();
    this.#lingering.clear();
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  get size(): number {
    return this.#subscriptions.size;
  }

  #openBatch(): Batch {
    if (this.#open === null) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#open = { promise, resolve, isActive: false };
      this.#latest = this.#open;
      if (!this.#isFlushing) queueMicrotask(() => void this.#flush());
    }
    return this.#open;
  }

  async #flush(): Promise<void> {
    const batch = this.#open;
    if (batch === null) return;
    this.#open = null;
    this.#isFlushing = true;
    await this.#options.bus.flush();
    this.#isFlushing = false;
    batch.isActive = true;
    if (this.#latest === batch) this.#latest = null;
    batch.resolve();
    await this.#flush();
  }

  #schedule(): void {
    if (this.#timer !== null) return;
    const [first] = this.#lingering.values();
    if (first === undefined) return;
    const dueMs = Math.max(1, first.at + this.#options.lingerMs - performance.now());
    this.#timer = setTimeout(this.#unsubscribe, dueMs).unref();
  }

  #unsubscribe = (): void => {
    this.#timer = null;
    const before = performance.now() - this.#options.lingerMs;
    let ended = 0;
    for (const [subject, { at, during }] of this.#lingering) {
      if (at > before || ended === UNSUBSCRIBED_PER_TURN || during?.isActive === false) break;
      this.#lingering.delete(subject);
      this.#subscriptions.get(subject)?.end();
      this.#subscriptions.delete(subject);
      ended++;
    }
    if (ended > 0) this.#options.onCount(this.#subscriptions.size);
    this.#schedule();
  };
}

const MAX_PUBLISHERS = 10_000;

/**
 * Detects copies of a publication to several subjects, of which a server receives one per subscription. Copies arrive consecutively,
 * so only the last sequence number of each publisher is stored.
 */
export class Duplicates {
  readonly #last = new Map<string, number>();

  /** Whether this method was called with a copy of the publication before. */
  isRepeated({ publisher, sequence }: Message): boolean {
    if (this.#last.get(publisher) === sequence) return true;
    this.#last.delete(publisher);
    this.#last.set(publisher, sequence);
    if (this.#last.size > MAX_PUBLISHERS) {
      for (const oldest of this.#last.keys()) {
        this.#last.delete(oldest);
        break;
      }
    }
    return false;
  }
}

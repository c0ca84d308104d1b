import type { Bus } from "./bus.ts";
import type { Subjects } from "./subjects.ts";
import type { Message } from "./wire.ts";

/** Unsubscribed from at once when many rooms have emptied, so that the event loop stays free. */
const UNSUBSCRIBED_PER_TURN = 500;

/** Subscriptions that become active together: one question to the bus for all of them. */
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
  /** What was becoming active then. Its messages may come over this subject until it is: see RecentJoins. */
  readonly during: Batch | null;
}

interface RoomSubscriptionsOptions {
  readonly bus: Bus;
  readonly subjects: Subjects;
  /** How long a subscription stays after its last member has left, in milliseconds. */
  readonly lingerMs: number;
  readonly onMessage: (subject: string, room: string | null, message: Uint8Array) => void;
  readonly onCount: (subscriptions: number) => void;
}

/** The subscriptions of one server to the rooms that it has members of; null stands for all sockets of the namespace. */
export class RoomSubscriptions {
  readonly #options: RoomSubscriptionsOptions;
  readonly #subscriptions = new Map<string, Subscription>();
  /** By subject. The first has waited the longest. */
  readonly #lingering = new Map<string, Released>();
  #open: Batch | null = null;
  #latest: Batch | null = null;
  #isFlushing = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: RoomSubscriptionsOptions) {
    this.#options = options;
  }

  /** @returns undefined where the subscription is active, or what resolves when it is. */
  need(room: string | null): Promise<void> | undefined {
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
    // What is asked first is answered first.
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
 * A publication to several subjects reaches a server once for each that it has subscribed to. The copies of one
 * publisher's publication follow each other directly, so its last number is all that has to be remembered of it.
 */
export class Duplicates {
  readonly #last = new Map<string, number>();

  /** Whether a copy of this publication was shown before. */
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

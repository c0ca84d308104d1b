import type { Call, Presence } from "@fanfare/contract";
import type { Backoff } from "@fanfare/contract/backoff";
import { callSafely } from "./emitter.ts";
import { FanfareError, localError, retryAfterMsOf } from "./errors.ts";
import { USERS_PER_LOOKUP, WATCHED_USERS } from "./limits.ts";
import { retryMs, sleep } from "./timing.ts";

/** The presence of a user, as far as this user can see it. */
export type Status = Presence["status"];

export interface PresenceWatchOptions {
  call: Call;
  isOnline: () => boolean;
  backoff: Backoff;
  /** The longest random delay after an event that many clients received at once. */
  spreadMs: number;
}

/** A watch is renewed after this fraction of its lifetime. */
const RENEW_AT = 0.8;
/** Pause after a call that the server rejected. */
const REJECTED_RETRY_MS = 60_000;

/**
 * Tracks the presence of users: renews the watch after every reconnect, and before it expires on the server.
 * Users whose presence isn't visible have no status. At most 500 can be watched.
 */
export class PresenceWatch {
  readonly #options: PresenceWatchOptions;
  readonly #stop = new AbortController();
  readonly #listeners = new Set<() => void>();
  /** By user: the number of watches. */
  readonly #watchCounts = new Map<string, number>();
  readonly #statuses = new Map<string, Status>();
  readonly #queue = new Set<string>();
  /** Users with an event during the current call: the event is newer than the result. */
  #received: Set<string> | null = null;
  #running = false;
  #renewal: ReturnType<typeof setTimeout> | null = null;
  #renewalAtMs = 0;
  readonly #refetchQueue = new Set<string>();
  #refetchTimer: ReturnType<typeof setTimeout> | null = null;

  constructor(options: PresenceWatchOptions) {
    this.#options = options;
  }

  /** The presence of a user; undefined if not watched, not visible or not known yet. */
  status(userId: string): Status | undefined {
    return this.#statuses.get(userId);
  }

  /** Calls `listener` after every change. Returns a function that unsubscribes. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * Watches users. Returns a function that stops the watch.
   * @throws {FanfareError} TOO_MANY_WATCHED if this would exceed 500 users; none of the given users is watched then
   */
  watch(userIds: readonly string[]): () => void {
    const ids = new Set(userIds);
    const added = [...ids].filter((id) => !this.#watchCounts.has(id));
    if (this.#watchCounts.size + added.length > WATCHED_USERS) {
      throw localError(
        "TOO_MANY_WATCHED",
        `No more than ${WATCHED_USERS} users can be watched: end other watches.`,
      );
    }
    for (const id of ids) this.#watchCounts.set(id, (this.#watchCounts.get(id) ?? 0) + 1);
    this.#enqueue(added);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#release(ids);
    };
  }

  /** @internal The server may have lost all watches. */
  refetch(): void {
    this.#enqueue(this.#watchCounts.keys());
  }

  /** @internal The visibility of these users, or of all, may have changed. Delayed at random, because many clients received the same event. */
  refetchLater(userIds: Iterable<string> = this.#watchCounts.keys()): void {
    for (const id of userIds) if (this.#watchCounts.has(id)) this.#refetchQueue.add(id);
    if (this.#refetchQueue.size === 0) return;
    this.#refetchTimer ??= setTimeout(() => {
      this.#refetchTimer = null;
      const due = [...this.#refetchQueue];
      this.#refetchQueue.clear();
      this.#enqueue(due.filter((id) => this.#watchCounts.has(id)));
    }, Math.random() * this.#options.spreadMs);
  }

  /** @internal */
  receive(presences: readonly Presence[]): void {
    let isChanged = false;
    for (const { userId, status } of presences) {
      this.#received?.add(userId);
      // A late event of a user who is no longer visible is ignored.
      const isInFlight = this.#received !== null && this.#watchCounts.has(userId);
      if (!isInFlight && !this.#statuses.has(userId)) continue;
      isChanged ||= this.#statuses.get(userId) !== status;
      this.#statuses.set(userId, status);
    }
    if (isChanged) this.#publish();
  }

  close(): void {
    this.#stop.abort();
    if (this.#renewal !== null) clearTimeout(this.#renewal);
    if (this.#refetchTimer !== null) clearTimeout(this.#refetchTimer);
    this.#listeners.clear();
  }

  #enqueue(userIds: Iterable<string>): void {
    for (const id of userIds) this.#queue.add(id);
    if (!this.#running && this.#queue.size > 0) void this.#run();
  }

  async #run(): Promise<void> {
    this.#running = true;
    const { signal } = this.#stop;
    // Combines all requests of one turn into one call.
    await Promise.resolve();
    for (let failures = 0; this.#queue.size > 0 && this.#options.isOnline() && !signal.aborted;) {
      const userIds = [...this.#queue].slice(0, USERS_PER_LOOKUP);
      for (const id of userIds) this.#queue.delete(id);
      this.#received = new Set();
      try {
        const response = await this.#options.call("presence.watch", { userIds });
        this.#apply(userIds, response.presences, this.#received);
        this.#renewIn(response.expiresInMs * RENEW_AT);
        failures = 0;
      } catch (error) {
        this.#received = null;
        if (!(error instanceof FanfareError) || !error.retryable) {
          // Such as LIMIT_REACHED while an unwatch call is pending.
          this.#renewIn(REJECTED_RETRY_MS);
          continue;
        }
        for (const id of userIds) if (this.#watchCounts.has(id)) this.#queue.add(id);
        await sleep(retryMs(failures++, this.#options.backoff, retryAfterMsOf(error)), signal);
      } finally {
        this.#received = null;
      }
    }
    this.#running = false;
  }

  #apply(userIds: readonly string[], presences: readonly Presence[], received: ReadonlySet<string>): void {
    const answered = new Map(presences.map(({ userId, status }) => [userId, status]));
    for (const id of userIds) {
      const status = answered.get(id);
      if (!this.#watchCounts.has(id) || status === undefined) this.#statuses.delete(id);
      else if (!received.has(id)) this.#statuses.set(id, status);
    }
    this.#publish();
  }

  /** One timer renews all watches, at the earliest time that any of them needs. */
  #renewIn(ms: number): void {
    const atMs = Date.now() + ms;
    if (this.#renewal !== null && this.#renewalAtMs <= atMs) return;
    if (this.#renewal !== null) clearTimeout(this.#renewal);
    this.#renewalAtMs = atMs;
    this.#renewal = setTimeout(() => {
      this.#renewal = null;
      this.refetch();
    }, ms);
  }

  #release(userIds: Iterable<string>): void {
    const over: string[] = [];
    for (const id of userIds) {
      const left = (this.#watchCounts.get(id) ?? 1) - 1;
      if (left > 0) {
        this.#watchCounts.set(id, left);
        continue;
      }
      this.#watchCounts.delete(id);
      this.#queue.delete(id);
      this.#statuses.delete(id);
      over.push(id);
    }
    if (over.length === 0 || !this.#options.isOnline()) return;
    // If it fails, the watch expires anyway.
    this.#options.call("presence.unwatch", { userIds: over }).catch(() => undefined);
  }

  #publish(): void {
    for (const listener of this.#listeners) callSafely(listener);
  }
}

import type { Call, Presence } from "@fanfare/contract";
import { callSafely } from "./emitter.ts";
import { FanfareError, localError, retryAfterMsOf } from "./errors.ts";
import { USERS_PER_LOOKUP, WATCHED_USERS } from "./limits.ts";
import { type Backoff, retryMs, sleep } from "./timing.ts";

/** How a user is, as far as this client may see it. */
export type Status = Presence["status"];

export interface PresenceWatchOptions {
  call: Call;
  isOnline: () => boolean;
  backoff: Backoff;
  /** How long to wait at most after something that thousands heard in the same moment. */
  spreadMs: number;
}

/** A watch is made anew after this part of its time. */
const RENEW_AT = 0.8;
/** Who was refused asks again after this long. */
const REFUSED_PAUSE_MS = 60_000;

/**
 * Keeps up how users are: asks anew after every connection, and before the server forgets that somebody listens.
 * Users whom this one may not see, or not any more, have no status. At most 500 are watched.
 */
export class PresenceWatch {
  readonly #options: PresenceWatchOptions;
  readonly #stop = new AbortController();
  readonly #listeners = new Set<() => void>();
  /** By user: how many want to know. */
  readonly #wanted = new Map<string, number>();
  readonly #statuses = new Map<string, Status>();
  readonly #due = new Set<string>();
  /** Users of whom something was heard while they were asked for: that is newer than the answer. */
  #heard: Set<string> | null = null;
  #running = false;
  #renewal: ReturnType<typeof setTimeout> | null = null;
  #renewalAtMs = 0;
  readonly #later = new Set<string>();
  #laterTimer: ReturnType<typeof setTimeout> | null = null;

  constructor(options: PresenceWatchOptions) {
    this.#options = options;
  }

  /** How the user is; undefined where nobody watches, where this user may not know, or nothing is known yet. */
  status(userId: string): Status | undefined {
    return this.#statuses.get(userId);
  }

  /** Calls `listener` after every change. Returns the function that ends it. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * Watches users, until the function that it returns is called.
   * @throws {FanfareError} TOO_MANY_WATCHED when there would be more than 500; then none of them is
   */
  watch(userIds: readonly string[]): () => void {
    const ids = new Set(userIds);
    const added = [...ids].filter((id) => !this.#wanted.has(id));
    if (this.#wanted.size + added.length > WATCHED_USERS) {
      throw localError(
        "TOO_MANY_WATCHED",
        `No more than ${WATCHED_USERS} users can be watched: end other watches.`,
      );
    }
    for (const id of ids) this.#wanted.set(id, (this.#wanted.get(id) ?? 0) + 1);
    this.#ask(added);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#release(ids);
    };
  }

  /** @internal Everything that was watched is unknown to the server, or may be. */
  askAgain(): void {
    this.#ask(this.#wanted.keys());
  }

  /** @internal These, or all, may be seen now or not any more. Everybody heard of the reason, so it takes a random moment. */
  askAgainLater(userIds: Iterable<string> = this.#wanted.keys()): void {
    for (const id of userIds) if (this.#wanted.has(id)) this.#later.add(id);
    if (this.#later.size === 0) return;
    this.#laterTimer ??= setTimeout(() => {
      this.#laterTimer = null;
      const due = [...this.#later];
      this.#later.clear();
      this.#ask(due.filter((id) => this.#wanted.has(id)));
    }, Math.random() * this.#options.spreadMs);
  }

  /** @internal */
  hear(presences: readonly Presence[]): void {
    let isChanged = false;
    for (const { userId, status } of presences) {
      this.#heard?.add(userId);
      // Of somebody who may not be seen any more a last event may be on its way.
      const isUnderWay = this.#heard !== null && this.#wanted.has(userId);
      if (!isUnderWay && !this.#statuses.has(userId)) continue;
      isChanged ||= this.#statuses.get(userId) !== status;
      this.#statuses.set(userId, status);
    }
    if (isChanged) this.#publish();
  }

  close(): void {
    this.#stop.abort();
    if (this.#renewal !== null) clearTimeout(this.#renewal);
    if (this.#laterTimer !== null) clearTimeout(this.#laterTimer);
    this.#listeners.clear();
  }

  #ask(userIds: Iterable<string>): void {
    for (const id of userIds) this.#due.add(id);
    if (!this.#running && this.#due.size > 0) void this.#run();
  }

  async #run(): Promise<void> {
    this.#running = true;
    const { signal } = this.#stop;
    // What is asked for in one turn goes into one call.
    await Promise.resolve();
    for (let failures = 0; this.#due.size > 0 && this.#options.isOnline() && !signal.aborted;) {
      const asked = [...this.#due].slice(0, USERS_PER_LOOKUP);
      for (const id of asked) this.#due.delete(id);
      this.#heard = new Set();
      try {
        const answer = await this.#options.call("presence.watch", { userIds: asked });
        this.#take(asked, answer.presences, this.#heard);
        this.#renewIn(answer.expiresInMs * RENEW_AT);
        failures = 0;
      } catch (error) {
        this.#heard = null;
        if (!(error instanceof FanfareError) || !error.retryable) {
          // Such as LIMIT_REACHED, while the end of other watches is under way.
          this.#renewIn(REFUSED_PAUSE_MS);
          continue;
        }
        for (const id of asked) if (this.#wanted.has(id)) this.#due.add(id);
        await sleep(retryMs(failures++, this.#options.backoff, retryAfterMsOf(error)), signal);
      } finally {
        this.#heard = null;
      }
    }
    this.#running = false;
  }

  #take(asked: readonly string[], presences: readonly Presence[], heard: ReadonlySet<string>): void {
    const answered = new Map(presences.map(({ userId, status }) => [userId, status]));
    for (const id of asked) {
      const status = answered.get(id);
      if (!this.#wanted.has(id) || status === undefined) this.#statuses.delete(id);
      else if (!heard.has(id)) this.#statuses.set(id, status);
    }
    this.#publish();
  }

  /** One renewal for all: the first that is needed decides. */
  #renewIn(ms: number): void {
    const atMs = Date.now() + ms;
    if (this.#renewal !== null && this.#renewalAtMs <= atMs) return;
    if (this.#renewal !== null) clearTimeout(this.#renewal);
    this.#renewalAtMs = atMs;
    this.#renewal = setTimeout(() => {
      this.#renewal = null;
      this.askAgain();
    }, ms);
  }

  #release(userIds: Iterable<string>): void {
    const over: string[] = [];
    for (const id of userIds) {
      const left = (this.#wanted.get(id) ?? 1) - 1;
      if (left > 0) {
        this.#wanted.set(id, left);
        continue;
      }
      this.#wanted.delete(id);
      this.#due.delete(id);
      this.#statuses.delete(id);
      over.push(id);
    }
    if (over.length === 0 || !this.#options.isOnline()) return;
    // If it fails the watch ends by itself.
    this.#options.call("presence.unwatch", { userIds: over }).catch(() => undefined);
  }

  #publish(): void {
    for (const listener of this.#listeners) callSafely(listener);
  }
}

import { ACCESS_TOKEN_LIFETIME_MS } from "@fanfare/kernel";
import { MAX_ENDED_SESSIONS } from "./bounds.ts";

/** Clocks of several processes differ by less than this. */
export const CLOCK_SKEW_MS = 60_000;
const REMEMBER_MS = ACCESS_TOKEN_LIFETIME_MS + CLOCK_SKEW_MS;

/** Sessions that have ended while access tokens of theirs may still look valid. */
export class EndedSessions {
  readonly #maxSessions: number;
  /** Until when each is remembered, in that order. */
  readonly #sessions = new Map<string, number>();

  constructor(maxSessions = MAX_ENDED_SESSIONS) {
    this.#maxSessions = maxSessions;
  }

  add(sessionIds: readonly string[], nowMs: number): void {
    for (const sessionId of sessionIds) {
      this.#sessions.delete(sessionId);
      this.#sessions.set(sessionId, nowMs + REMEMBER_MS);
    }
    for (const [sessionId, untilMs] of this.#sessions) {
      if (untilMs > nowMs && this.#sessions.size <= this.#maxSessions) break;
      this.#sessions.delete(sessionId);
    }
  }

  has(sessionId: string): boolean {
    return this.#sessions.has(sessionId);
  }

  get size(): number {
    return this.#sessions.size;
  }
}

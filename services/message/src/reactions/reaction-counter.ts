import { randomUUID } from "node:crypto";
import type { Logger } from "@fanfare/kernel";
import { LRUCache } from "lru-cache";
import { GATHER_REACTIONS_MS, UNCOUNTED_TAKEN_UP, WAITING_COUNTS } from "../bounds.ts";
import type { UncountedRepository } from "./uncounted.repository.ts";

/** A count that is due. What was written before it begins is in it. */
interface DueCount {
  channelId: string;
  rooms: readonly string[] | null;
  noted: Promise<void>;
  begun: boolean;
  timer: NodeJS.Timeout | null;
}

export interface ReactionCounterOptions {
  uncounted: UncountedRepository;
  /**
   * Counts the reactions of a message and stores the result.
   * @param rooms null: not known
   * @returns how many changes the message has had
   */
  count: (channelId: string, messageId: string, rooms: readonly string[] | null) => Promise<number>;
  logger: Pick<Logger, "error">;
}

/**
 * Sees to it that messages show their reactions: those that come together are counted together, as one change of the message.
 * A note in the database says which messages are to be counted; it is there before a reaction is answered, and goes when a count
 * that began later is stored. So a worker that dies leaves nothing wrong for good.
 */
export class ReactionCounter {
  readonly #options: ReactionCounterOptions;
  readonly #due = new Map<string, DueCount>();
  /** When a message was last counted, and how long its next reactions gather. */
  readonly #counted = new LRUCache<string, { atMs: number; gatherMs: number }>({ max: WAITING_COUNTS });
  readonly #running = new Set<Promise<void>>();
  #isClosed = false;

  constructor(options: ReactionCounterOptions) {
    this.#options = options;
  }

  /** Finishes the counts that run. What is due stays noted. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { timer } of this.#due.values()) if (timer !== null) clearTimeout(timer);
    this.#due.clear();
    await Promise.all(this.#running);
  }

  /** Carries out the write of a reaction; when it is answered the message will be counted, come what may. */
  async change(
    channelId: string,
    messageId: string,
    rooms: readonly string[] | null,
    write: () => Promise<void>,
  ): Promise<void> {
    const due = this.#dueCount(channelId, messageId, rooms);
    try {
      await Promise.all([due.noted, write()]);
      // The count that this was noted for may have begun before the write.
      if (due.begun) await this.#dueCount(channelId, messageId, rooms).noted;
    } finally {
      this.#schedule(messageId);
    }
  }

  #dueCount(channelId: string, messageId: string, rooms: readonly string[] | null): DueCount {
    let due = this.#due.get(messageId);
    if (due === undefined) {
      const noted = this.#options.uncounted.note(channelId, messageId, randomUUID());
      due = { channelId, rooms, noted, begun: false, timer: null };
      if (!this.#isClosed && this.#due.size < WAITING_COUNTS) this.#due.set(messageId, due);
    }
    // Who sees the channel may have changed since the first of those that are counted together.
    due.rooms = rooms ?? due.rooms;
    return due;
  }

  #schedule(messageId: string): void {
    const due = this.#due.get(messageId);
    if (due === undefined || due.timer !== null) return;
    const last = this.#counted.get(messageId);
    const waitMs = last === undefined ? 0 : Math.max(0, last.atMs + last.gatherMs - Date.now());
    due.timer = setTimeout(() => this.#begin(messageId, due), waitMs);
  }

  #begin(messageId: string, due: DueCount): void {
    due.begun = true;
    this.#due.delete(messageId);
    const running = this.#count(messageId, due)
      .catch((error: unknown) =>
        this.#options.logger.error({ err: error }, "reaction count failed, a later one continues"),
      )
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #count(messageId: string, { channelId, rooms, noted }: DueCount): Promise<void> {
    const { uncounted, count } = this.#options;
    this.#counted.set(messageId, { atMs: Date.now(), gatherMs: GATHER_REACTIONS_MS[0]![1] });
    // Its failure was returned to the caller.
    await noted.catch(() => undefined);
    const note = await uncounted.find(messageId);
    const changes = await count(channelId, messageId, rooms);
    this.#counted.set(messageId, { atMs: Date.now(), gatherMs: gatherMs(changes) });
    if (note !== null) await uncounted.delete(messageId, note.token);
  }

  /** Begins to count what a worker that died has left. @param leftMs how old its notes are then, in milliseconds */
  async takeUp(leftMs: number): Promise<void> {
    const notes = await this.#options.uncounted.findBefore(new Date(Date.now() - leftMs), UNCOUNTED_TAKEN_UP);
    if (this.#isClosed) return;
    for (const { _id: messageId, channelId } of notes) {
      if (this.#due.has(messageId)) continue;
      const left = { rooms: null, noted: Promise.resolve(), begun: false, timer: null };
      this.#begin(messageId, { ...left, channelId });
    }
  }
}

function gatherMs(changes: number): number {
  return GATHER_REACTIONS_MS.find(([below]) => changes < below)![1];
}

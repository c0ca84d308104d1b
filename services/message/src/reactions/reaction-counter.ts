import { randomUUID } from "node:crypto";
import type { Logger } from "@fanfare/kernel";
import { LRUCache } from "lru-cache";
import { REACTION_BATCH_MS, UNCOUNTED_BATCH, MAX_QUEUED_COUNTS } from "../constants.ts";
import type { UncountedRepository } from "./reaction.repository.ts";

/** A scheduled count, which includes everything written before it begins. */
interface DueCount {
  channelId: string;
  rooms: readonly string[] | null;
  noted: Promise<void>;
  begun: boolean;
  timer: NodeJS.Timeout | null;
}

interface ReactionCounterOptions {
  uncounted: UncountedRepository;
  /**
   * Counts the reactions of a message and stores the result.
   * @param rooms null: unknown
   * @returns the number of changes of the message
   */
  count: (channelId: string, messageId: string, rooms: readonly string[] | null) => Promise<number>;
  logger: Pick<Logger, "error">;
}

/**
 * Keeps the reactions shown on messages up to date: concurrent reactions are counted together, as one change of the message. A
 * mark in the database says that a message must be counted. It is stored before a reaction is acknowledged and removed after a
 * count that began later, so a worker that dies never leaves a wrong count permanently.
 */
export class ReactionCounter {
  readonly #options: ReactionCounterOptions;
  readonly #due = new Map<string, DueCount>();
  /** When a message was last counted, and how long its next reactions are batched. */
  readonly #counted = new LRUCache<string, { atMs: number; gatherMs: number }>({ max: MAX_QUEUED_COUNTS });
  readonly #running = new Set<Promise<void>>();
  #isClosed = false;

  constructor(options: ReactionCounterOptions) {
    this.#options = options;
  }

  /** Completes running counts. Scheduled ones stay marked in the database. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { timer } of this.#due.values()) if (timer !== null) clearTimeout(timer);
    this.#due.clear();
    await Promise.all(this.#running);
  }

  /** Writes a reaction. When this resolves, the message is marked and will be counted. */
  async change(
    channelId: string,
    messageId: string,
    rooms: readonly string[] | null,
    write: () => Promise<void>,
  ): Promise<void> {
    const due = this.#dueCount(channelId, messageId, rooms);
    try {
      await Promise.all([due.noted, write()]);
      // The scheduled count may have begun before the write.
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
      if (!this.#isClosed && this.#due.size < MAX_QUEUED_COUNTS) this.#due.set(messageId, due);
    }
    // The viewers of the channel may have changed since the first of the batched reactions.
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
        this.#options.logger.error({ err: error }, "reaction count failed, a later one will include it"),
      )
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #count(messageId: string, { channelId, rooms, noted }: DueCount): Promise<void> {
    const { uncounted, count } = this.#options;
    this.#counted.set(messageId, { atMs: Date.now(), gatherMs: REACTION_BATCH_MS[0]![1] });
    // The caller already received this error.
    await noted.catch(() => undefined);
    const note = await uncounted.find(messageId);
    const changes = await count(channelId, messageId, rooms);
    this.#counted.set(messageId, { atMs: Date.now(), gatherMs: gatherMs(changes) });
    if (note !== null) await uncounted.delete(messageId, note.token);
  }

  /** Counts messages marked by dead workers. @param leftMs minimum age of the marks, in milliseconds */
  async takeUp(leftMs: number): Promise<void> {
    const notes = await this.#options.uncounted.findBefore(new Date(Date.now() - leftMs), UNCOUNTED_BATCH);
    if (this.#isClosed) return;
    for (const { _id: messageId, channelId } of notes) {
      if (this.#due.has(messageId)) continue;
      const left = { rooms: null, noted: Promise.resolve(), begun: false, timer: null };
      this.#begin(messageId, { ...left, channelId });
    }
  }
}

function gatherMs(changes: number): number {
  return REACTION_BATCH_MS.find(([below]) => changes < below)![1];
}

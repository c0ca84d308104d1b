import { setTimeout as wait } from "node:timers/promises";
import type { Call } from "@fanfare/contract";
import type { Logger } from "@fanfare/kernel";
import { CHANGES_PER_STEP, INDEX_AFTER_MS, INDEX_SHARE, WAITING_CHANNELS } from "./bounds.ts";
import type { EntryRepository } from "./entry.repository.ts";
import { messageTokens } from "./message-tokens.ts";
import type { ProgressRepository } from "./progress.repository.ts";

export interface IndexerOptions {
  entries: Pick<EntryRepository, "put">;
  progress: Pick<ProgressRepository, "find" | "advance">;
  call: Call;
  logger: Pick<Logger, "warn">;
  indexAfterMs?: number;
  /** Resolves after this long, or when the signal is aborted. */
  pause?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Reads the logs of channels, from where it has come, and makes entries of them. Being told of new messages only makes it earlier:
 * a search looks itself how far its channels are indexed. So it can wait, and rests after each step: the longer, the more
 * the server has to do.
 */
export class Indexer {
  readonly #options: IndexerOptions;
  readonly #waiting = new Set<string>();
  /** By channel: its step that is under way. */
  readonly #steps = new Map<string, Promise<boolean>>();
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> = Promise.resolve();
  readonly #closing = new AbortController();

  constructor(options: IndexerOptions) {
    this.#options = options;
  }

  /** The channel has changes that are to be indexed soon. */
  hint(channelId: string): void {
    if (this.#isClosed() || this.#waiting.size >= WAITING_CHANNELS) return;
    this.#waiting.add(channelId);
    this.#timer ??= setTimeout(() => this.#begin(), this.#options.indexAfterMs ?? INDEX_AFTER_MS);
  }

  /** Indexes the next changes of a channel. @returns whether that was all of them */
  step(channelId: string): Promise<boolean> {
    let step = this.#steps.get(channelId);
    if (step === undefined) {
      step = this.#step(channelId).finally(() => this.#steps.delete(channelId));
      this.#steps.set(channelId, step);
    }
    return step;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#waiting.clear();
    await this.#running;
    await Promise.allSettled(this.#steps.values());
  }

  #begin(): void {
    this.#running = this.#work()
      // What is left shows at the next message of the channel, or the next search.
      .catch((error: unknown) => this.#options.logger.warn({ err: error }, "messages could not be indexed"))
      .finally(() => {
        this.#timer = null;
        const [next] = this.#waiting;
        if (next !== undefined) this.hint(next);
      });
  }

  async #work(): Promise<void> {
    const { pause = defaultPause } = this.#options;
    for (const channelId of this.#waiting) {
      this.#waiting.delete(channelId);
      let isComplete = false;
      while (!isComplete && !this.#isClosed()) {
        const begin = performance.now();
        isComplete = await this.step(channelId);
        await pause((performance.now() - begin) * (1 / INDEX_SHARE - 1), this.#closing.signal);
      }
    }
  }

  #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  async #step(channelId: string): Promise<boolean> {
    const { entries, progress, call } = this.#options;
    const from = (await progress.find([channelId])).get(channelId)!;
    const limit = CHANGES_PER_STEP;
    const { messages } = await call("message.listChanges", { channelId, afterRev: from, limit });
    if (messages.length === 0) return true;
    const there = messages.filter(({ deletedAt }) => deletedAt === null);
    const deleted = messages.filter(({ deletedAt }) => deletedAt !== null);
    await entries.put(
      there.map((message) => ({
        messageId: message.id,
        channelId,
        rev: message.rev,
        tokens: messageTokens(message),
      })),
      deleted.map(({ id }) => id),
    );
    // Only then: a process that dies in between does the same again.
    await progress.advance(channelId, from, messages.at(-1)!.rev);
    return messages.length < limit;
  }
}

async function defaultPause(ms: number, signal: AbortSignal): Promise<void> {
  // Aborted: there is nothing more to wait for.
  await wait(ms, undefined, { signal }).catch(() => undefined);
}

import { setTimeout as wait } from "node:timers/promises";
import type { Services } from "@fanfare/contract";
import { boundedMap, type Logger } from "@fanfare/kernel";
import {
  CHANGES_PER_STEP,
  CHANNELS_PER_ROUND,
  INDEX_DELAY_MS,
  INDEX_TIME_SHARE,
  LOG_READ_CONCURRENCY,
  MAX_QUEUED_CHANNELS,
} from "./constants.ts";
import type { SearchEntries } from "./entries.ts";
import { messageTokens } from "./tokenize.ts";
import type { Progress, ProgressRepository } from "./progress.repository.ts";

interface IndexerOptions {
  entries: Pick<SearchEntries, "put">;
  progress: Pick<ProgressRepository, "find" | "advance">;
  services: Services;
  logger: Pick<Logger, "warn">;
  indexAfterMs?: number;
  /** Resolves after this time, or when the signal is aborted. */
  pause?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Reads the logs of channels from the stored progress and creates index entries. Notifications of new messages only make this
 * happen earlier: every search checks the progress of its channels. So the indexer can delay work, combine many channels, and
 * pause after each round, longer when the server is busy.
 *
 * It doesn't use `packages/jobs`: nothing is lost with a process, because searches don't depend on it, and one job per channel
 * would cost 15 times as much CPU per message in 2,000 channels.
 */
export class Indexer {
  readonly #options: IndexerOptions;
  readonly #waiting = new Set<string>();
  /** The running round of each channel, which resolves to the channels that are up to date. */
  readonly #rounds = new Map<string, Promise<ReadonlySet<string>>>();
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> = Promise.resolve();
  readonly #closing = new AbortController();

  constructor(options: IndexerOptions) {
    this.#options = options;
  }

  /** Schedules a channel with new changes. */
  hint(channelId: string): void {
    if (this.#isClosed() || this.#waiting.size >= MAX_QUEUED_CHANNELS) return;
    this.#waiting.add(channelId);
    this.#timer ??= setTimeout(() => this.#begin(), this.#options.indexAfterMs ?? INDEX_DELAY_MS);
  }

  /**
   * Indexes the next changes of at most CHANNELS_PER_ROUND channels.
   * @returns the channels that are up to date as of the call
   */
  async step(channelIds: readonly string[]): Promise<ReadonlySet<string>> {
    const others = channelIds.flatMap((channelId) => this.#rounds.get(channelId) ?? []);
    const idle = channelIds.filter((channelId) => !this.#rounds.has(channelId));
    // A running round may have read a log before its newest changes, so its channels need another step.
    const [done] = await Promise.all([this.#start(idle), ...new Set(others)]);
    return done;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#waiting.clear();
    await this.#running;
    await Promise.allSettled(this.#rounds.values());
  }

  #begin(): void {
    this.#running = this.#work()
      // The rest is indexed with the channel's next message or the next search.
      .catch((error: unknown) => this.#options.logger.warn({ err: error }, "search indexing failed"))
      .finally(() => {
        this.#timer = null;
        const [next] = this.#waiting;
        if (next !== undefined) this.hint(next);
      });
  }

  async #work(): Promise<void> {
    while (this.#waiting.size > 0 && !this.#isClosed()) {
      const some = [...this.#waiting].slice(0, CHANNELS_PER_ROUND);
      for (const channelId of some) this.#waiting.delete(channelId);
      for (let left = some; left.length > 0 && !this.#isClosed();) {
        const done = await this.#resting(() => this.step(left));
        left = left.filter((channelId) => !done.has(channelId));
      }
    }
  }

  async #resting<T>(work: () => Promise<T>): Promise<T> {
    const { pause = defaultPause } = this.#options;
    const begin = performance.now();
    const result = await work();
    await pause((performance.now() - begin) * (1 / INDEX_TIME_SHARE - 1), this.#closing.signal);
    return result;
  }

  #start(channelIds: readonly string[]): Promise<ReadonlySet<string>> {
    const round = this.#round(channelIds).finally(() => {
      for (const channelId of channelIds) this.#rounds.delete(channelId);
    });
    for (const channelId of channelIds) this.#rounds.set(channelId, round);
    return round;
  }

  #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** Indexes these channels with one write. @returns those that are up to date */
  async #round(channelIds: readonly string[]): Promise<ReadonlySet<string>> {
    const { entries, progress, services } = this.#options;
    if (channelIds.length === 0) return new Set();
    const revs = await progress.find(channelIds);
    const limit = Math.floor(CHANGES_PER_STEP / channelIds.length);
    const logs = await boundedMap(channelIds, LOG_READ_CONCURRENCY, async (channelId) => {
      const from = revs.get(channelId)!.rev;
      const { messages } = await services.message.listChanges({ channelId, afterRev: from, limit });
      return { channelId, from, messages };
    });
    const changed = logs.filter(({ messages }) => messages.length > 0);
    if (changed.length > 0) {
      const parents = await this.#parents(changed.map(({ channelId }) => [channelId, revs.get(channelId)!]));
      const messages = changed.flatMap((log) => log.messages);
      const there = messages.filter(({ deletedAt }) => deletedAt === null);
      const deleted = messages.filter(({ deletedAt }) => deletedAt !== null);
      await entries.put(
        there.map((message) => ({
          messageId: message.id,
          channelId: parents.get(message.channelId) ?? message.channelId,
          rev: message.rev,
          tokens: messageTokens(message, parents.has(message.channelId)),
        })),
        deleted.map(({ id }) => id),
      );
      // Stored last: if the process dies before, the same is done again.
      await progress.advance(
        changed.map(({ channelId, from, messages: changes }) => ({
          channelId,
          parentId: parents.get(channelId) ?? null,
          from,
          to: changes.at(-1)!.rev,
        })),
      );
    }
    return new Set(logs.filter((log) => log.messages.length < limit).map(({ channelId }) => channelId));
  }

  /** The parents of threads. Whether a channel is a thread is looked up only once. */
  async #parents(channels: readonly [string, Progress][]): Promise<Map<string, string>> {
    const parents = new Map<string, string>();
    for (const [channelId, { parentId }] of channels) if (parentId != null) parents.set(channelId, parentId);
    const unknown = channels.filter(([, { parentId }]) => parentId === undefined);
    if (unknown.length === 0) return parents;
    const asked = { channelIds: unknown.map(([channelId]) => channelId) };
    const { channels: threads } = await this.#options.services.channel.findThreads(asked);
    for (const { id, parentId } of threads) parents.set(id, parentId!);
    return parents;
  }
}

async function defaultPause(ms: number, signal: AbortSignal): Promise<void> {
  // Aborted: there is nothing left to wait for.
  await wait(ms, undefined, { signal }).catch(() => undefined);
}

import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "@fanfare/kernel";
import type { ChannelHeadRepository } from "./channel-head.repository.ts";
import type { ChannelRemovalRepository } from "./channel-removal.repository.ts";
import { LATE_WRITE_MS, REMOVALS_PER_BATCH } from "./limits.ts";
import type { MessageRepository } from "./message.repository.ts";
import type { ReadMarkerRepository } from "./read-marker.repository.ts";

export interface ChannelRemoverOptions {
  messages: Pick<MessageRepository, "deleteSome">;
  markers: Pick<ReadMarkerRepository, "deleteSome">;
  heads: Pick<ChannelHeadRepository, "delete">;
  removals: ChannelRemovalRepository;
  logger: Pick<Logger, "error">;
  /** Forgets what is remembered of a channel in this process. */
  forget: (channelId: string) => void;
  /** How long a write that had begun before the removal can still come in. */
  graceMs?: number;
}

/**
 * Deletes what belongs to removed channels, one channel after the other and a bounded number of documents at a time.
 * A channel is swept a second time when no write that began before its removal can come in any more; until then the
 * removal stays noted in the database, and a restart takes it up again.
 */
export class ChannelRemover {
  readonly #options: ChannelRemoverOptions;
  readonly #stop = new AbortController();
  #work: Promise<void> = Promise.resolve();

  constructor(options: ChannelRemoverOptions) {
    this.#options = options;
  }

  /** Notes the removals durably, then carries them out in the background. */
  async remove(channelIds: readonly string[]): Promise<void> {
    const requestedAt = new Date();
    await this.#options.removals.add(channelIds, requestedAt);
    for (const channelId of channelIds) this.#enqueue(channelId, requestedAt);
  }

  /** Takes up what a former process has left. */
  async resume(): Promise<void> {
    for (const { channelId, requestedAt } of await this.#options.removals.findAll()) {
      this.#enqueue(channelId, requestedAt);
    }
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#work;
  }

  #enqueue(channelId: string, requestedAt: Date): void {
    this.#then(() => this.#sweep(channelId));
    const { graceMs = LATE_WRITE_MS } = this.#options;
    const restMs = Math.max(0, requestedAt.getTime() + graceMs - Date.now());
    sleep(restMs, undefined, { ref: false, signal: this.#stop.signal }).then(
      () => this.#then(() => this.#finish(channelId)),
      () => undefined,
    );
  }

  #then(step: () => Promise<void>): void {
    this.#work = this.#work
      .then(() => (this.#stop.signal.aborted ? undefined : step()))
      .catch((error: unknown) =>
        this.#options.logger.error({ err: error }, "a channel could not be removed: the next start goes on"),
      );
  }

  async #sweep(channelId: string): Promise<void> {
    const { messages, markers, heads, forget } = this.#options;
    for (const owned of [messages, markers]) {
      while ((await owned.deleteSome(channelId, REMOVALS_PER_BATCH)) === REMOVALS_PER_BATCH) {
        if (this.#stop.signal.aborted) return;
      }
    }
    await heads.delete(channelId);
    forget(channelId);
  }

  async #finish(channelId: string): Promise<void> {
    await this.#sweep(channelId);
    if (!this.#stop.signal.aborted) await this.#options.removals.delete(channelId);
  }
}

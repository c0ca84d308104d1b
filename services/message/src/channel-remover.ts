import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "@fanfare/kernel";
import type { ChannelHeadRepository } from "./channel-head.repository.ts";
import type { ChannelRemovalRepository } from "./channel-removal.repository.ts";
import { LATE_WRITE_MS, LOOK_FOR_REMOVALS_MS, REMOVALS_PER_BATCH, REMOVALS_TAKEN_UP } from "./limits.ts";
import type { MessageRepository } from "./message.repository.ts";

export interface ChannelRemoverOptions {
  messages: Pick<MessageRepository, "deleteSome">;
  /** What belongs to the messages and readers of a channel. */
  others: readonly { deleteSome(channelId: string, limit: number): Promise<number> }[];
  heads: Pick<ChannelHeadRepository, "delete">;
  removals: ChannelRemovalRepository;
  logger: Pick<Logger, "error">;
  /** Forgets what is remembered of a channel in this process. */
  forget: (channelId: string) => void;
  /** How long a write that had begun before the removal can still come in. */
  graceMs?: number;
  /** How often to look for what another worker has left. */
  lookEveryMs?: number;
}

/**
 * Deletes what belongs to removed channels, one channel after the other and a bounded number of documents at a time.
 * A channel is swept a second time when no write that began before its removal can come in any more; until then the
 * removal stays noted in the database. What is still noted later than that was left by a worker that died or failed: each
 * worker looks for it now and then, and two that find the same do no harm.
 */
export class ChannelRemover {
  readonly #options: ChannelRemoverOptions;
  readonly #stop = new AbortController();
  readonly #underWay = new Set<string>();
  #work: Promise<void> = Promise.resolve();
  /** One is waiting for its turn. */
  #isLookDue = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ChannelRemoverOptions) {
    this.#options = options;
  }

  /** Notes the removals durably, then carries them out in the background. */
  async remove(channelIds: readonly string[]): Promise<void> {
    const requestedAt = new Date();
    await this.#options.removals.add(channelIds, requestedAt);
    for (const channelId of channelIds) this.#enqueue(channelId, requestedAt);
  }

  /** Takes up what has been left, now and from time to time. */
  start(): void {
    this.#look();
    const { lookEveryMs = LOOK_FOR_REMOVALS_MS } = this.#options;
    this.#timer = setInterval(() => this.#look(), lookEveryMs);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#stop.abort();
    await this.#work;
  }

  #look(): void {
    if (this.#isLookDue) return;
    this.#isLookDue = true;
    this.#then(() => this.#takeUp());
  }

  async #takeUp(): Promise<void> {
    this.#isLookDue = false;
    const { removals, graceMs = LATE_WRITE_MS } = this.#options;
    const left = await removals.findBefore(new Date(Date.now() - graceMs), REMOVALS_TAKEN_UP);
    for (const { channelId, requestedAt } of left) this.#enqueue(channelId, requestedAt);
  }

  #enqueue(channelId: string, requestedAt: Date): void {
    if (this.#underWay.has(channelId)) return;
    this.#underWay.add(channelId);
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
        this.#options.logger.error({ err: error }, "channels could not be removed: a later look goes on"),
      );
  }

  async #sweep(channelId: string): Promise<void> {
    const { messages, others, heads, forget } = this.#options;
    for (const owned of [messages, ...others]) {
      while ((await owned.deleteSome(channelId, REMOVALS_PER_BATCH)) === REMOVALS_PER_BATCH) {
        if (this.#stop.signal.aborted) return;
      }
    }
    await heads.delete(channelId);
    forget(channelId);
  }

  async #finish(channelId: string): Promise<void> {
    this.#underWay.delete(channelId);
    await this.#sweep(channelId);
    if (!this.#stop.signal.aborted) await this.#options.removals.delete(channelId);
  }
}

import type { Call } from "@fanfare/contract";
import type { Backoff } from "@fanfare/contract/backoff";
import { type ChannelChange, type ChannelCopy, syncCursor } from "./channel-state.ts";
import { retryAfterMsOf } from "./errors.ts";
import { CHANNELS_PER_SYNC } from "./limits.ts";
import { retryMs, sleep } from "./timing.ts";

/** A copy of a channel to sync. */
export interface SyncTarget {
  readonly copy: ChannelCopy;
  /** Whether its first page was requested. */
  readonly isRequested: boolean;
  apply(change: ChannelChange): void;
  reload(): Promise<void>;
}

export interface SyncLoopOptions {
  call: Call;
  targets(): Iterable<SyncTarget>;
  isOnline(): boolean;
  /** Delay between attempts. */
  backoff: Backoff;
}

/**
 * The longest delay after a gap was detected. The missing event is often only late, and all clients that lost it
 * detect the gap at the same moment.
 */
const GAP_DELAY_MS = 200;

/** Syncs all copies with one call, until nothing is missing. */
export class SyncLoop {
  readonly #options: SyncLoopOptions;
  readonly #stop = new AbortController();
  #skipDelay = new AbortController();
  #running = false;

  constructor(options: SyncLoopOptions) {
    this.#options = options;
  }

  /** Starts a sync. `now`: without waiting for late events. */
  start(urgency: "now" | "soon"): void {
    if (urgency === "now") this.#skipDelay.abort();
    if (!this.#running) void this.#run(urgency);
  }

  close(): void {
    this.#stop.abort();
    this.#skipDelay.abort();
  }

  async #run(urgency: "now" | "soon"): Promise<void> {
    this.#running = true;
    let waitMs = urgency === "now" ? 0 : GAP_DELAY_MS * (0.25 + 0.75 * Math.random());
    for (let round = 0; this.#due().length > 0; round++) {
      if (waitMs > 0) await sleep(waitMs, this.#skipDelay.signal);
      if (this.#stop.signal.aborted || !this.#options.isOnline()) break;
      this.#skipDelay = new AbortController();
      const retryAfterMs = await this.#syncAll(this.#due());
      waitMs = retryMs(round, this.#options.backoff, retryAfterMs);
    }
    this.#running = false;
  }

  #due(): SyncTarget[] {
    return [...this.#options.targets()].filter(
      ({ copy, isRequested: wanted }) => wanted && (copy.needsPage || syncCursor(copy) !== undefined),
    );
  }

  /**
   * A failed call does not block the others; the next round retries it.
   * @returns the delay requested by the server
   */
  async #syncAll(targets: readonly SyncTarget[]): Promise<number> {
    let retryAfterMs = 0;
    const failed = (error: unknown): void => {
      retryAfterMs = Math.max(retryAfterMs, retryAfterMsOf(error));
    };
    for (let from = 0; from < targets.length; from += CHANNELS_PER_SYNC) {
      await this.#syncBatch(targets.slice(from, from + CHANNELS_PER_SYNC)).catch(failed);
    }
    for (const target of targets) {
      if (target.copy.needsPage) await target.reload().catch(failed);
    }
    return retryAfterMs;
  }

  async #syncBatch(targets: readonly SyncTarget[]): Promise<void> {
    const due = targets.filter(({ copy }) => syncCursor(copy) !== undefined);
    if (due.length === 0) return;
    const asked = due.map(({ copy }) => copy);
    const cursors = asked.map((copy) => ({ channelId: copy.channelId, afterRev: syncCursor(copy)! }));
    const { channels } = await this.#options.call("channel.sync", { cursors });
    for (const answer of channels) {
      const index = cursors.findIndex(({ channelId }) => channelId === answer.channelId);
      due[index]?.apply({ type: "synced", answer, asked: asked[index]! });
    }
  }
}

import { serviceError, type Logger, type SharedCounters } from "@fanfare/kernel";

/** Who writes in a channel in slow mode waits between two messages, whichever process they go to. */
export class SlowMode {
  readonly #counters: SharedCounters;
  readonly #logger: Pick<Logger, "warn">;

  constructor(counters: SharedCounters, logger: Pick<Logger, "warn">) {
    this.#counters = counters;
    this.#logger = logger;
  }

  /**
   * Takes the place of one message. While the counters are away everybody may write: a channel that is silent is worse.
   * @returns what gives the place back, for a message that could not be stored
   * @throws {ServiceError} SLOW_MODE
   */
  async take(channelId: string, userId: string, slowModeMs: number): Promise<() => void> {
    const key = `slow:${channelId}:${userId}`;
    const giveBack = (): void => void this.#add(key, -1, slowModeMs);
    const answer = await this.#add(key, 1, slowModeMs);
    if (answer === null) return () => undefined;
    const [total, leftMs] = answer;
    if (total! <= 1) return giveBack;
    giveBack();
    throw serviceError("SLOW_MODE", { retryAfterMs: Math.max(1, Math.ceil(leftMs!)) });
  }

  async #add(key: string, points: number, slowModeMs: number): Promise<number[] | null> {
    try {
      return await this.#counters.add([key, points, slowModeMs]);
    } catch (error) {
      this.#logger.warn({ err: error }, "slow mode: the counters are away");
      return null;
    }
  }
}

import { userRoom } from "@fanfare/contract";
import { Counter, type NodeContext } from "@fanfare/kernel";
import type { BotDocument, Callback } from "../bot.model.ts";
import type { BotRepository } from "../bot.repository.ts";
import {
  BOTS_PER_SWEEP,
  CALLBACK_CONCURRENCY,
  ERROR_MAX_CHARS,
  LEASE_MS,
  LEASED_RETRY_MS,
  LOOK_AGAIN_MS,
  MAX_FAILURES,
  retryAfterMs,
  SWEEP_MS,
  WAITING_BOTS,
} from "../bounds.ts";
import { NotDelivered } from "./deliver.ts";
import { tell, type TellOptions } from "./tell.ts";

export interface CallbacksOptions extends Omit<TellOptions, "node"> {
  node: NodeContext;
  bots: BotRepository;
}

/**
 * Makes the callbacks of all bots: when something is said to be new, when a failed one is due again, and now and then anyway, so
 * that nothing hangs on being told. A lease keeps two processes from telling the same bot at once.
 */
export class Callbacks {
  readonly #options: CallbacksOptions;
  readonly #waiting = new Set<string>();
  /** With those that are to be looked at once more. */
  readonly #running = new Map<string, { again: boolean }>();
  readonly #tasks = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;
  readonly #told: Counter<"outcome">;

  constructor(options: CallbacksOptions) {
    this.#options = options;
    this.#told = new Counter({
      name: "fanfare_bot_callbacks_total",
      help: "Rounds of telling a bot what is new: 'taken', or 'failed' because its address did not take it.",
      labelNames: ["outcome"],
      registers: [options.node.metrics],
    });
    for (const outcome of ["taken", "failed"]) this.#told.inc({ outcome }, 0);
  }

  start(): void {
    this.#timer = setTimeout(() => {
      this.#track(this.#sweep().finally(() => this.#stopped || this.start()));
    }, SWEEP_MS);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#waiting.clear();
    await Promise.all(this.#tasks);
  }

  /** There may be something to tell this bot. */
  hint(botId: string): void {
    if (this.#stopped) return;
    const running = this.#running.get(botId);
    if (running !== undefined) running.again = true;
    else if (this.#waiting.size < WAITING_BOTS) this.#waiting.add(botId);
    this.#next();
  }

  #next(): void {
    while (this.#running.size < CALLBACK_CONCURRENCY) {
      const [botId] = this.#waiting;
      if (botId === undefined) return;
      this.#waiting.delete(botId);
      const running = { again: false };
      this.#running.set(botId, running);
      this.#track(
        this.#tellOne(botId).finally(() => {
          this.#running.delete(botId);
          if (running.again) this.hint(botId);
          this.#next();
        }),
      );
    }
  }

  async #sweep(): Promise<void> {
    for (const { _id } of await this.#options.bots.listDue(new Date(), BOTS_PER_SWEEP))
      this.hint(_id.toHexString());
  }

  async #tellOne(botId: string): Promise<void> {
    const { bots } = this.#options;
    const now = new Date();
    const bot = await bots.lease(botId, now, new Date(now.getTime() + LEASE_MS));
    if (!isSubscribed(bot)) return this.#ifLeased(botId, now);
    const { callback } = bot;
    let outcome = { failures: 0, lastError: null as string | null, isDisabled: false };
    let isMore = true;
    try {
      const untilMs = Date.now() + LEASE_MS / 2;
      while (isMore && !this.#stopped && Date.now() < untilMs) isMore = await tell(this.#options, bot);
    } catch (error) {
      if (!(error instanceof NotDelivered)) {
        // A fault of ours is no failure of the bot's.
        await bots.settle(botId, callback.id, { ...callback, nextAt: new Date(Date.now() + LOOK_AGAIN_MS) });
        throw error;
      }
      outcome = afterFailure(callback, error);
      isMore = false;
    }
    this.#told.inc({ outcome: outcome.failures > 0 ? "failed" : "taken" });
    const waitMs = isMore ? 0 : outcome.failures > 0 ? retryAfterMs(outcome.failures) : LOOK_AGAIN_MS;
    await bots.settle(botId, callback.id, { ...outcome, nextAt: new Date(Date.now() + waitMs) });
    if (outcome.isDisabled) this.#tellDisabled(bot, outcome.lastError ?? "");
  }

  /** Another process tells it, and may have looked already. */
  async #ifLeased(botId: string, now: Date): Promise<void> {
    const bot = await this.#options.bots.find(botId);
    if (!isSubscribed(bot) || bot.callback.leasedUntil <= now) return;
    setTimeout(() => this.hint(botId), LEASED_RETRY_MS).unref();
  }

  #tellDisabled(bot: BotDocument, lastError: string): void {
    const { node } = this.#options;
    const [groupId, botId] = [bot.groupId.toHexString(), bot._id.toHexString()];
    node.publish(userRoom(bot.createdBy.toHexString()), "bot.disabled", { groupId, botId, lastError });
    node.logger.info({ botId, lastError }, "a bot's callbacks were given up");
  }

  #track(work: Promise<unknown>): void {
    const task = work
      .catch((error: unknown) => this.#options.node.logger.warn({ err: error }, "a callback was not made"))
      .then(() => void this.#tasks.delete(task));
    this.#tasks.add(task);
  }
}

function isSubscribed(bot: BotDocument | null): bot is BotDocument & { callback: Callback } {
  return bot?.callback !== undefined;
}

function afterFailure(callback: Callback, { message, isGone }: NotDelivered) {
  const failures = callback.failures + 1;
  return {
    failures,
    lastError: message.slice(0, ERROR_MAX_CHARS),
    isDisabled: isGone || failures >= MAX_FAILURES,
  };
}

import {
  type Interaction,
  LIMITS,
  type ModalErrors,
  type ModalSubmission,
  userRoom,
} from "@fanfare/contract";
import { PermanentError } from "@fanfare/jobs";
import { Counter, type NodeContext, entryLimit } from "@fanfare/kernel";
import { LRUCache } from "lru-cache";
import type { BotDocument, BotRepository } from "../bot.repository.ts";
import {
  CALLBACK_BACKOFF,
  CALLBACK_CONCURRENCY,
  ERROR_MAX_CHARS,
  POLL_INTERVAL_MS,
  MAX_FAILURES,
  TIME_SLICE_MS,
  SUBSCRIBERS_TTL_MS,
} from "../constants.ts";
import { isHeld } from "../holder.ts";
import { answerWith, deliver, DeliveryError, errorsOf } from "./deliver.ts";
import { deliverChanges, type ChangesOptions, type Subscribed } from "./deliver-changes.ts";

interface CallbacksOptions extends Omit<ChangesOptions, "node"> {
  node: Pick<NodeContext, "access" | "services" | "jobs" | "logger" | "metrics" | "publish">;
  bots: Pick<BotRepository, "find" | "settle">;
}

/** Identifies a callback; it changes when the bot subscribes again. */
interface Subscription {
  botId: string;
  callbackId: string;
}

/**
 * Delivers to each subscribed bot with one job, which runs when there are messages or commands for it, and every 10 s for changes
 * without events. The progress is stored in the cursors, so an interrupted run loses nothing and continues there.
 */
export function createCallbacks(options: CallbacksOptions) {
  const { node, bots } = options;
  /** Running rounds of this process by job key, and whether there may be more to deliver. */
  const rounds = new Map<string, { isMore: boolean }>();
  const total = new Counter({
    name: "fanfare_bot_callbacks_total",
    help: "Bot callbacks by outcome: 'taken', or 'failed' if the bot's server did not accept them.",
    labelNames: ["outcome"],
    registers: [node.metrics],
  });
  for (const outcome of ["taken", "failed"]) total.inc({ outcome }, 0);

  const fail = async (bot: Subscribed, failuresBefore: number, error: DeliveryError): Promise<never> => {
    const { _id: botId, groupId, createdBy } = bot;
    const failures = failuresBefore + 1;
    const isDisabled = error.isGone || failures >= MAX_FAILURES;
    const lastError = error.message.slice(0, ERROR_MAX_CHARS);
    total.inc({ outcome: "failed" });
    await bots.settle(botId, bot.callback.id, { failures, lastError, isDisabled });
    if (!isDisabled) throw error;
    node.publish(userRoom(createdBy), "bot.disabled", { groupId, botId, lastError });
    throw new PermanentError(lastError);
  };

  const jobs = node.jobs.define<Subscription>("bot.callback", {
    concurrency: CALLBACK_CONCURRENCY,
    // Bounded by the number of bots.
    maxWaiting: Infinity,
    // `fail` counts failures of the URL; failures of this server must not disable a subscription.
    maxTries: Infinity,
    backoff: CALLBACK_BACKOFF,
    run: async ({ key, payload: { botId, callbackId }, tries, signal }) => {
      const current = async (): Promise<Subscribed | null> => {
        signal.throwIfAborted();
        const found = await bots.find(botId);
        return isSubscribed(found) && found.callback.id === callbackId ? found : null;
      };
      const bot = await current();
      if (bot === null) return;
      const { failures, lastError, isDisabled } = bot.callback;
      // A first try is a retry by an admin; on a later one, the process died between disabling the callback and ending the job.
      if (isDisabled && tries > 1) throw new PermanentError(lastError ?? "");
      const round = { isMore: true };
      const untilMs = Date.now() + TIME_SLICE_MS;
      rounds.set(key, round);
      try {
        while (round.isMore && Date.now() < untilMs) {
          round.isMore = false;
          if (await deliverChanges(options, current)) round.isMore = true;
        }
      } catch (error) {
        if (signal.aborted) throw error;
        if (error instanceof DeliveryError) return await fail(bot, isDisabled ? 0 : failures, error);
        node.logger.warn({ err: error, botId }, "bot callback failed, retrying");
        return { againAt: new Date(Date.now() + POLL_INTERVAL_MS) };
      } finally {
        rounds.delete(key);
      }
      total.inc({ outcome: "taken" });
      const settled = { failures: 0, lastError: null, isDisabled: false };
      if (failures > 0) await bots.settle(botId, callbackId, settled);
      return { againAt: new Date(Date.now() + (round.isMore ? 0 : POLL_INTERVAL_MS)) };
    },
  });

  return {
    /** Schedules a delivery to this bot. */
    async notify({ botId, callbackId }: Subscription, dueAt?: Date): Promise<void> {
      const key = `${botId}:${callbackId}`;
      const round = rounds.get(key);
      if (round !== undefined) round.isMore = true;
      else await jobs.enqueue(key, { botId, callbackId }, dueAt);
    },

    /**
     * Delivers an interaction or a submitted modal at once and without retries, because its user waits, and applies the response.
     * @param answered called as soon as the bot has responded; returns false if it is too late for its answer
     * @returns the errors of the modal; null if the bot has not accepted it, or isn't subscribed
     */
    async ask(bot: BotDocument, event: AskedEvent, answered: () => boolean): Promise<ModalErrors | null> {
      if (!isSubscribed(bot) || bot.callback.isDisabled) return null;
      const { callback } = bot;
      if (!callback.events.includes(event.type)) return null;
      const asked = askedOf(event);
      const untilMs = performance.now() + LIMITS.interactionTimeoutMs;
      try {
        if (!(await isHeld(node, bot))) return null;
        const leftMs = Math.max(1, Math.ceil(untilMs - performance.now()));
        const body = await deliver(options, bot, callback, asked.id, [event], leftMs);
        total.inc({ outcome: "taken" });
        if (!answered()) return {};
        const errors = event.type === "modal.submitted" ? errorsOf(body) : {};
        if (Object.keys(errors).length === 0) await answerWith(options, bot, asked, body);
        return errors;
      } catch (error) {
        if (error instanceof DeliveryError) total.inc({ outcome: "failed" });
        node.logger.warn({ err: error, botId: asked.botId }, "interaction callback failed");
        return null;
      }
    },
  };
}

/** An event whose user waits for the bot. */
export type AskedEvent =
  | { type: "interaction.created"; interaction: Interaction }
  | { type: "modal.submitted"; submission: ModalSubmission };

export const askedOf = (event: AskedEvent): Interaction | ModalSubmission =>
  event.type === "interaction.created" ? event.interaction : event.submission;

/** Earlier versions kept the callback of a bot that lost the scope. */
export function isSubscribed(bot: BotDocument | null): bot is Subscribed {
  return bot?.callback !== undefined && bot.scopes.includes("events");
}

const KNOWN_GROUPS = 10_000;

/** Caches for a moment which bots of a group have callbacks, because it is needed for every batch of messages. */
export class Subscribers {
  readonly #bots: BotRepository;
  readonly #known = new LRUCache<string, { subscriptions: Promise<Subscription[]> }>({
    ...entryLimit(KNOWN_GROUPS),
    ttl: SUBSCRIBERS_TTL_MS,
  });

  constructor(bots: BotRepository) {
    this.#bots = bots;
  }

  of(groupId: string): Promise<Subscription[]> {
    const known = this.#known.get(groupId);
    if (known !== undefined) return known.subscriptions;
    const subscriptions = this.#read(groupId);
    this.#known.set(groupId, { subscriptions });
    subscriptions.catch(() => this.#known.delete(groupId));
    return subscriptions;
  }

  async #read(groupId: string): Promise<Subscription[]> {
    const bots = await this.#bots.listOfGroup(groupId, LIMITS.botsPerGroup);
    return bots.flatMap((bot) =>
      isSubscribed(bot) && !bot.callback.isDisabled ? [{ botId: bot._id, callbackId: bot.callback.id }] : [],
    );
  }
}

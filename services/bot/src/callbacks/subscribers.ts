import { LIMITS } from "@fanfare/contract";
import { LRUCache } from "lru-cache";
import { SUBSCRIBERS_KNOWN_MS } from "../bounds.ts";
import type { BotRepository } from "../bot.repository.ts";
import type { Subscription } from "./callbacks.ts";

const KNOWN_GROUPS = 10_000;

/** Which bots of a group are told by callback, remembered for a moment: it is asked at every batch of messages. */
export class Subscribers {
  readonly #bots: BotRepository;
  readonly #known = new LRUCache<string, { subscriptions: Promise<Subscription[]> }>({
    max: KNOWN_GROUPS,
    ttl: SUBSCRIBERS_KNOWN_MS,
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
    return bots.flatMap(({ _id, callback }) =>
      callback === undefined || callback.isDisabled
        ? []
        : [{ botId: _id.toHexString(), callbackId: callback.id }],
    );
  }
}

import { LIMITS } from "@fanfare/contract";
import { LRUCache } from "lru-cache";
import { SUBSCRIBERS_KNOWN_MS } from "../bounds.ts";
import type { BotRepository } from "../bot.repository.ts";

const KNOWN_GROUPS = 10_000;

/** Which bots of a group are told by callback, remembered for a moment: it is asked at every batch of messages. */
export class Subscribers {
  readonly #bots: BotRepository;
  readonly #known = new LRUCache<string, { botIds: Promise<string[]> }>({
    max: KNOWN_GROUPS,
    ttl: SUBSCRIBERS_KNOWN_MS,
  });

  constructor(bots: BotRepository) {
    this.#bots = bots;
  }

  of(groupId: string): Promise<string[]> {
    const known = this.#known.get(groupId);
    if (known !== undefined) return known.botIds;
    const botIds = this.#read(groupId);
    this.#known.set(groupId, { botIds });
    botIds.catch(() => this.#known.delete(groupId));
    return botIds;
  }

  async #read(groupId: string): Promise<string[]> {
    const bots = await this.#bots.listOfGroup(groupId, LIMITS.botsPerGroup);
    return bots
      .filter(({ callback }) => callback !== undefined && !callback.isDisabled)
      .map(({ _id }) => _id.toHexString());
  }
}

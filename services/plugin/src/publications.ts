import type { EventPayload } from "@fanfare/contract";
import type { NodeContext } from "@fanfare/kernel";
import { PUBLISH_INTERVAL_MS, PUBLISHED_KEYS, PUBLISHED_KEYS_IN_ALL } from "./constants.ts";

type Published = EventPayload<"plugin.published">;

/** Sends what one plug-in publishes: of each key of a channel, at once and then the newest data of each interval. */
export class Publications {
  readonly #publish: NodeContext["publish"];
  /** By channel and then key; null: nothing new. */
  readonly #waiting = new Map<string, Map<string, (() => void) | null>>();
  /** Of all channels. */
  #keys = 0;

  constructor(publish: NodeContext["publish"]) {
    this.#publish = publish;
  }

  /** @throws {Error} for the plug-in if it publishes with too many keys */
  add(rooms: readonly string[], published: Published): void {
    const { channelId, key } = published;
    const ofChannel = this.#waiting.get(channelId) ?? new Map<string, (() => void) | null>();
    const send = () => this.#publish(rooms, "plugin.published", published);
    if (ofChannel.has(key)) {
      ofChannel.set(key, send);
      return;
    }
    if (ofChannel.size >= PUBLISHED_KEYS || this.#keys >= PUBLISHED_KEYS_IN_ALL)
      throw new Error(
        `Published too often: in ${PUBLISH_INTERVAL_MS} ms, ${PUBLISHED_KEYS} keys per channel and ${PUBLISHED_KEYS_IN_ALL} in all are possible. Publish less, or with the same key.`,
      );
    send();
    this.#waiting.set(channelId, ofChannel.set(key, null));
    this.#keys += 1;
    this.#sendLater(channelId, key, ofChannel);
  }

  #sendLater(channelId: string, key: string, ofChannel: Map<string, (() => void) | null>): void {
    setTimeout(() => {
      const send = ofChannel.get(key)!;
      if (send !== null) {
        ofChannel.set(key, null);
        this.#sendLater(channelId, key, ofChannel);
        send();
        return;
      }
      ofChannel.delete(key);
      this.#keys -= 1;
      if (ofChannel.size === 0) this.#waiting.delete(channelId);
    }, PUBLISH_INTERVAL_MS).unref();
  }
}

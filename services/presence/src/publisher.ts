import { presenceRoom, type Presence } from "@fanfare/contract";
import type { Publish } from "@fanfare/kernel";
import { CHUNK, CLAIM_MS, MAX_PUBLICATIONS_PER_SECOND, PUBLISH_EVERY_MS } from "./bounds.ts";
import type { PresenceStore } from "./store/presence-store.ts";

const MAX_PER_RUN = (MAX_PUBLICATIONS_PER_SECOND * PUBLISH_EVERY_MS) / 1000;

export interface PublisherOptions {
  /** Whether what this process publishes goes out now, and not at some later time. */
  isHeard: () => boolean;
  store: PresenceStore;
  read: (userIds: readonly string[]) => Promise<Presence[]>;
  publish: Publish;
  onPublished: (count: number) => void;
}

/**
 * A run publishes the due changes, each to the user's watchers. The status is read now, so if a user
 * came and went within the second, it is one event. If it fails, the claims expire, and another run publishes them.
 */
export function createPublisher({
  isHeard,
  store,
  read,
  publish,
  onPublished,
}: PublisherOptions): () => Promise<void> {
  return async () => {
    for (let published = 0; published < MAX_PER_RUN; published += CHUNK) {
      // Published after a reconnect, it would arrive after newer changes of other workers: they publish it.
      if (!isHeard()) return;
      const claimedAtMs = Date.now();
      const userIds = await store.claimChanged(Math.min(CHUNK, MAX_PER_RUN - published));
      if (userIds.length === 0) return;
      const presences = await read(userIds);
      // A worker that was frozen must not publish an outdated status.
      if (Date.now() - claimedAtMs > CLAIM_MS / 2 || !isHeard()) return;
      for (const presence of presences) {
        publish(presenceRoom(presence.userId), "presence.changed", { presences: [presence] });
      }
      onPublished(presences.length);
      await store.settle(userIds);
    }
  };
}

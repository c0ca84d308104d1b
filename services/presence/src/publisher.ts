import { presenceRoom, type Presence } from "@fanfare/contract";
import type { Publish } from "@fanfare/kernel";
import { CHUNK_SIZE, TIMES, MAX_PUBLICATIONS_PER_SECOND, PUBLISH_INTERVAL_MS } from "./constants.ts";
import type { PresenceStore } from "./store/presence-store.ts";

const MAX_PER_RUN = (MAX_PUBLICATIONS_PER_SECOND * PUBLISH_INTERVAL_MS) / 1000;

export interface PublisherOptions {
  /** Whether this process is connected, so that its publications are sent immediately. */
  isConnected: () => boolean;
  store: PresenceStore;
  read: (userIds: readonly string[]) => Promise<Presence[]>;
  publish: Publish;
  onPublished: (count: number) => void;
}

/**
 * Publishes due changes to the watchers of each user. The status is read at that time, so a user who connected and disconnected
 * within the delay causes one event. After a failure the claims expire, and a later run publishes the changes.
 */
export function createPublisher({
  isConnected,
  store,
  read,
  publish,
  onPublished,
}: PublisherOptions): () => Promise<void> {
  return async () => {
    for (let published = 0; published < MAX_PER_RUN; published += CHUNK_SIZE) {
      // After a reconnect this would arrive after newer changes from other workers, which publish it instead.
      if (!isConnected()) return;
      const claimedAtMs = Date.now();
      const userIds = await store.claimChanged(Math.min(CHUNK_SIZE, MAX_PER_RUN - published));
      if (userIds.length === 0) return;
      const presences = await read(userIds);
      // A worker that was suspended must not publish an outdated status.
      if (Date.now() - claimedAtMs > TIMES.claimMs / 2 || !isConnected()) return;
      for (const presence of presences) {
        publish(presenceRoom(presence.userId), "presence.changed", { presences: [presence] });
      }
      onPublished(presences.length);
      await store.settle(userIds);
    }
  };
}

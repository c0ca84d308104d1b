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
 * One run tells the changes that are due, each to those who watch the user: what is told is read now, so however often somebody
 * came and went within the second, it is one event. Should it fail the claims run out, and another run tells them.
 */
export function createPublisher({
  isHeard,
  store,
  read,
  publish,
  onPublished,
}: PublisherOptions): () => Promise<void> {
  return async () => {
    for (let told = 0; told < MAX_PER_RUN; told += CHUNK) {
      // Kept until it is heard again, it would come after what others have told since: it is for them to tell.
      if (!isHeard()) return;
      const claimedAtMs = Date.now();
      const userIds = await store.claimChanged(Math.min(CHUNK, MAX_PER_RUN - told));
      if (userIds.length === 0) return;
      const presences = await read(userIds);
      // A worker that was frozen must not tell what others have told better since.
      if (Date.now() - claimedAtMs > CLAIM_MS / 2 || !isHeard()) return;
      for (const presence of presences) {
        publish(presenceRoom(presence.userId), "presence.changed", { presences: [presence] });
      }
      onPublished(presences.length);
      await store.settle(userIds);
    }
  };
}

import {
  Counter,
  defineService,
  repeat,
  type NodeContext,
  type Repeated,
  type ServiceFactory,
  type Publish,
} from "@fanfare/kernel";
import { presenceRoom, type Presence } from "@fanfare/contract";
import { presenceActions, type PresenceDependencies, readPresences, typingActions } from "./presences.ts";
import {
  CHUNK_SIZE,
  PUBLISH_INTERVAL_MS,
  SWEEP_INTERVAL_MS,
  TIMES,
  MAX_PUBLICATIONS_PER_SECOND,
} from "./constants.ts";
import { createStatusRepository } from "./status.repository.ts";
import { MemoryPresenceStore } from "./store/memory-store.ts";
import { RedisPresenceStore } from "./store/redis-store.ts";
import type { PresenceStore } from "./store/presence-store.ts";

/** Presence and status, `presence.*`, and typing indicators, `channel.typing`. */
export function createPresenceService(node: NodeContext): ReturnType<ServiceFactory> {
  let repeated: Repeated[] = [];
  const onWork = (): void => {
    for (const task of repeated) task.start();
  };
  const store =
    node.redis === null ? new MemoryPresenceStore(TIMES, onWork) : new RedisPresenceStore(node.redis, TIMES);
  const dependencies: PresenceDependencies = { node, store, statuses: createStatusRepository(node.database) };
  const published = new Counter({
    name: "fanfare_presence_published_total",
    help: "Published presence changes.",
    registers: [node.metrics],
  });
  const isConnected = (): boolean => node.cluster.faults().length === 0;
  const publish = createPublisher({
    isConnected,
    store,
    read: (userIds) => readPresences(dependencies, userIds),
    publish: node.publish,
    onPublished: (count) => published.inc(count),
  });
  const sweep = async (): Promise<void> => {
    // A worker that can't publish can't receive reports either.
    if (!isConnected()) return;
    while ((await store.expireGateways(CHUNK_SIZE)) > 0);
  };
  const { logger } = node;
  return defineService(node, {
    name: "presence",
    actions: {
      ...presenceActions(dependencies),
      ...typingActions(dependencies),
    },
    async started() {
      repeated = [
        repeat(publish, {
          everyMs: PUBLISH_INTERVAL_MS,
          what: "publishing presence changes",
          logger,
          isNeeded: () => store.hasChanges,
        }),
        repeat(sweep, {
          everyMs: SWEEP_INTERVAL_MS,
          what: "looking for silent gateways",
          logger,
          isNeeded: () => store.hasGateways,
        }),
      ];
    },
    async stopped() {
      await Promise.all(repeated.map((task) => task.stop()));
    },
  });
}

const MAX_PER_RUN = (MAX_PUBLICATIONS_PER_SECOND * PUBLISH_INTERVAL_MS) / 1000;

interface PublisherOptions {
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

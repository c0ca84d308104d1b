import {
  Counter,
  defineService,
  repeat,
  type NodeContext,
  type Repeated,
  type ServiceFactory,
} from "@fanfare/kernel";
import { presenceActions, type PresenceDependencies, readPresences, typingActions } from "./presences.ts";
import { CHUNK_SIZE, PUBLISH_INTERVAL_MS, SWEEP_INTERVAL_MS, TIMES } from "./constants.ts";
import { createPublisher } from "./publisher.ts";
import { createStatusRepository } from "./status.repository.ts";
import { MemoryPresenceStore } from "./store/memory-store.ts";
import { RedisPresenceStore } from "./store/redis-store.ts";

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

import { Counter, Histogram, readGauge, MemoryCounters, type NodeContext } from "@fanfare/kernel";
import { ITEMS_PER_COMMIT, HEAD_CACHE_SIZE, WRITE_TIMEOUT_MS } from "./constants.ts";
import { createChannelHeadRepository } from "./channel-head.repository.ts";
import { DatabaseStore } from "./commit/database-store.ts";
import { GroupCommit, type GroupCommitOptions } from "./commit/group-commit.ts";
import { HeadCache } from "./commit/write-context.ts";
import { createMessageEditRepository } from "./message-edit.repository.ts";
import { HeldMessageRepository, createHoldRepository } from "./hold/hold.repository.ts";
import { createHolds } from "./hold/holds.ts";
import { MessageRepository } from "./message.repository.ts";
import { countReactions } from "./reactions/react.ts";
import { ReactionCounter } from "./reactions/reaction-counter.ts";
import { createReactionRepository, createUncountedRepository } from "./reactions/reaction.repository.ts";
import { createReadMarkerRepository } from "./read-marker.repository.ts";
import { createRetentionRepository, Retention } from "./retention.ts";
import { createSlowMode, Sender } from "./send.ts";
import { MessageFilters } from "./message-filters.ts";

export type MessageDependencies = ReturnType<typeof createDependencies>;

/** What the actions of this service need. */
export function createDependencies(node: NodeContext) {
  const { database, logger } = node;
  const messages = new MessageRepository(database);
  const heads = createChannelHeadRepository(database);
  const markers = createReadMarkerRepository(database);
  const store = new DatabaseStore(messages, heads);
  const knownHeads = new HeadCache(HEAD_CACHE_SIZE, (channelId) => store.readHead(channelId));
  const commit = new GroupCommit({
    store,
    heads: knownHeads,
    logger,
    publish: node.publish,
    broadcastStored: (stored) => node.broadcast("message.stored", stored),
    writeTimeoutMs: WRITE_TIMEOUT_MS,
    ...commitMetrics(node),
  });
  readGauge({
    name: "fanfare_messages_waiting",
    help: "Messages and changes waiting to be committed.",
    registry: node.metrics,
    read: () => commit.waiting,
  });
  const counters = node.counters ?? new MemoryCounters();
  const filters = new MessageFilters({ services: node.services, counters, logger });
  const boundaries = createRetentionRepository(database);
  const edits = createMessageEditRepository(database);
  const reactions = createReactionRepository(database);
  const holdRepository = createHoldRepository(database);
  const held = new HeldMessageRepository(database);
  const holds = createHolds({ holds: holdRepository, held, edits });
  const uncounted = createUncountedRepository(database);
  /** The rooms of a channel for a user; none when the user can no longer see it. */
  const roomsFor = async (userId: string, channelId: string): Promise<readonly string[]> => {
    return (await node.access.get(userId, { channelId })).rooms;
  };
  /** The last change in progress in this process, by message. */
  const changing = new Map<string, Promise<unknown>>();
  const counting = { changing, messages, reactions, commit, roomsFor };
  return {
    messages,
    heads,
    markers,
    boundaries,
    forgetHead: (channelId: string) => knownHeads.evict(channelId),
    retention: new Retention({
      node,
      messages,
      heads,
      commit,
      others: [edits, reactions],
      holds,
      boundaries,
      roomsFor,
    }),
    commit,
    sender: new Sender({
      commit,
      messages,
      slowMode: createSlowMode(counters, logger),
      filters,
      group: node.services.group,
    }),
    filters,
    changing,
    edits,
    holds,
    holdRepository,
    held,
    reactions,
    uncounted,
    reactionCounter: new ReactionCounter({
      uncounted,
      count: (channelId, messageId, rooms) => countReactions(counting, channelId, messageId, rooms),
      logger,
    }),
    roomsFor,
    node,
  };
}

function commitMetrics({ metrics }: NodeContext): Pick<GroupCommitOptions, "observe" | "countStored"> {
  const registers = [metrics];
  const size = new Histogram({
    name: "fanfare_message_batch_size",
    help: "Messages per commit.",
    buckets: [1, 2, 5, 10, 20, 50, 100, 200, ITEMS_PER_COMMIT],
    registers,
  });
  const duration = new Histogram({
    name: "fanfare_message_commit_seconds",
    help: "Duration of a commit in seconds, from reading the channel heads until everything is on disk.",
    buckets: [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5, 10],
    registers,
  });
  const total = new Counter({
    name: "fanfare_messages_stored_total",
    help: "Messages committed.",
    registers,
  });
  return {
    observe(items, seconds) {
      size.observe(items);
      duration.observe(seconds);
    },
    countStored: (messages) => total.inc(messages),
  };
}

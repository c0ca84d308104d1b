import { defineService, type NodeContext, type ServiceFactory } from "@fanfare/kernel";
import {
  filterMessages,
  indexChannel,
  removeChannel,
  search,
  type SearchDependencies,
} from "./find-messages.ts";
import { createEntries } from "./entries.ts";
import { createGroupProgressRepository, createProgressRepository } from "./progress.repository.ts";
import { Indexer } from "./indexer.ts";

/** Finds messages: `message.search`. */
export function createSearchService(node: NodeContext): ReturnType<ServiceFactory> {
  const entries = createEntries(node);
  const progress = createProgressRepository(node.database)(entries.version);
  const groupProgress = createGroupProgressRepository(node.database)(entries.version);
  const indexer = new Indexer({ entries, progress, services: node.services, logger: node.logger });
  const dependencies: SearchDependencies = { node, entries, progress, groupProgress, indexer };
  return defineService(node, {
    name: "search",
    actions: {
      "message.search": search(dependencies),
      "search.filterMessages": filterMessages(dependencies),
      "search.indexChannel": indexChannel(dependencies),
    },
    events: {
      "message.stored": ({ channelId }) => indexer.hint(channelId),
      "message.removed": ({ messageIds }) => entries.delete(messageIds),
      "channel.emptied": async ({ channelIds }) => {
        for (const channelId of channelIds) await removeChannel(dependencies, channelId);
      },
    },
    stopped: () => indexer.close(),
  });
}

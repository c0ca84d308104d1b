import { createGroupService } from "@fanfare/group";
import { createMessageService } from "@fanfare/message";
import { startFanfare } from "@fanfare/node";
import { loadConfig, startNode, type Config } from "@fanfare/kernel";
import { createSearchService } from "@fanfare/search";
import type { CommandModule } from "yargs";
import { databaseOf, SEARCH_COLLECTIONS } from "../backup/documents.ts";
import { withoutCluster, explainInUse, withStoppedInstance } from "../open-instance.ts";

export const reindexCommand: CommandModule = {
  command: "reindex",
  describe: "Rebuild all database indexes and the search index",
  async handler() {
    const channels = await reindex(loadConfig());
    process.stdout.write(`Indexes rebuilt. ${channels} channels can be searched.\n`);
  },
};

/** @returns the number of channels with messages */
export async function reindex(config: Config): Promise<number> {
  const channelIds = await withStoppedInstance(config, async ({ connection }) => {
    const db = databaseOf(connection);
    for (const name of SEARCH_COLLECTIONS) await db.dropCollection(name);
    const heads = await db
      .collection("channelHeads")
      .find({}, { projection: { _id: 1 } })
      .toArray();
    return heads.map(({ _id }) => _id.toHexString());
  });
  // Starting the services creates missing indexes.
  const workers = config.services.filter((name) => name !== "gateway");
  const all = await startFanfare(withoutCluster(config, workers)).catch((error: unknown) => {
    throw explainInUse(error);
  });
  await all.stop();
  await indexChannels(config, channelIds);
  return channelIds.length;
}

async function indexChannels(config: Config, channelIds: readonly string[]): Promise<void> {
  const fail = (error: Error): never => {
    throw error;
  };
  // Entries of a thread are stored under its parent, which the group service knows.
  const factories = [createGroupService, createMessageService, createSearchService];
  const node = await startNode(withoutCluster(config, ["group", "message", "search"]), factories, fail);
  try {
    for (const channelId of channelIds) {
      while (!(await node.context.services.search.indexChannel({ channelId })).isComplete);
    }
  } finally {
    await node.stop();
  }
}

import { createGroupService } from "@fanfare/group";
import { createMessageService } from "@fanfare/message";
import { WORKER_FACTORIES } from "@fanfare/node";
import { createLogger, declareModels, type Config } from "@fanfare/kernel";
import { prepareDatabase } from "@fanfare/kernel/migrations";
import { createSearchService } from "@fanfare/search";
import { SEARCH_COLLECTIONS } from "../backup/documents.ts";
import { command } from "../command.ts";
import { loadInstanceConfig, withoutCluster, withNode, withStoppedInstance } from "../open-instance.ts";

export const reindexCommand = command({
  command: "reindex",
  describe: "Rebuild all database indexes and the search index",
  async handler() {
    const channels = await reindex(loadInstanceConfig());
    console.log(`Indexes rebuilt. ${channels} channels can be searched.`);
  },
});

/** @returns the number of channels with messages */
export async function reindex(config: Config): Promise<number> {
  const own = withoutCluster(config, []);
  const channelIds = await withStoppedInstance(config, async (database) => {
    const { db } = database;
    for (const name of SEARCH_COLLECTIONS) await db.dropCollection(name);
    declareModels(own, Object.values(WORKER_FACTORIES), database);
    const logger = createLogger(own.logLevel, { environment: own.environment });
    await prepareDatabase(database, config, logger, () => undefined);
    const heads = db.collection("channelHeads").find({}, { projection: { _id: 1 } });
    return heads.map(({ _id }) => _id.toHexString()).toArray();
  });
  // Entries of a thread are stored under its parent, which the group service knows.
  const factories = [createGroupService, createMessageService, createSearchService];
  await withNode(config, ["group", "message", "search"], factories, async ({ services }) => {
    for (const channelId of channelIds) {
      while (!(await services.search.indexChannel({ channelId })).isComplete);
    }
  });
  return channelIds.length;
}

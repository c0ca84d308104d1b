import { createGroupService } from "@fanfare/group";
import { createMessageService } from "@fanfare/message";
import { startFanfare } from "@fanfare/node";
import { loadConfig, type Config } from "@fanfare/kernel";
import { createSearchService } from "@fanfare/search";
import { SEARCH_COLLECTIONS } from "../backup/documents.ts";
import { command } from "../command.ts";
import { withoutCluster, explainInUse, withNode, withStoppedInstance } from "../open-instance.ts";

export const reindexCommand = command({
  command: "reindex",
  describe: "Rebuild all database indexes and the search index",
  async handler() {
    const channels = await reindex(loadConfig());
    console.log(`Indexes rebuilt. ${channels} channels can be searched.`);
  },
});

/** @returns the number of channels with messages */
export async function reindex(config: Config): Promise<number> {
  const channelIds = await withStoppedInstance(config, async ({ db }) => {
    for (const name of SEARCH_COLLECTIONS) await db.dropCollection(name);
    const heads = db.collection("channelHeads").find({}, { projection: { _id: 1 } });
    return heads.map(({ _id }) => _id.toHexString()).toArray();
  });
  // Starting the services creates missing indexes.
  const workers = config.services.filter((name) => name !== "gateway");
  const all = await startFanfare(withoutCluster(config, workers)).catch((error: unknown) => {
    throw explainInUse(error);
  });
  await all.stop();
  // Entries of a thread are stored under its parent, which the group service knows.
  const factories = [createGroupService, createMessageService, createSearchService];
  await withNode(config, ["group", "message", "search"], factories, async ({ services }) => {
    for (const channelId of channelIds) {
      while (!(await services.search.indexChannel({ channelId })).isComplete);
    }
  });
  return channelIds.length;
}

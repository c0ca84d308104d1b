import type { NodeContext } from "@fanfare/kernel";
import type { SearchEntries } from "./entries.ts";
import type { GroupProgressRepository, ProgressRepository } from "./progress.repository.ts";
import type { Indexer } from "./indexer.ts";

/** Dependencies of the actions of this service. */
export interface SearchDependencies {
  node: NodeContext;
  entries: SearchEntries;
  progress: ProgressRepository;
  groupProgress: GroupProgressRepository;
  indexer: Indexer;
}

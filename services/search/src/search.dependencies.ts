import type { NodeContext } from "@fanfare/kernel";
import type { EntryRepository } from "./entry.repository.ts";
import type { GroupProgressRepository, ProgressRepository } from "./progress.repository.ts";
import type { Indexer } from "./indexer.ts";

/** What the actions of this service work with. */
export interface SearchDependencies {
  node: NodeContext;
  entries: EntryRepository;
  progress: ProgressRepository;
  groupProgress: GroupProgressRepository;
  indexer: Indexer;
}

import type { NodeContext } from "@fanfare/kernel";
import type { EntryRepository } from "./entry.repository.ts";
import type { GroupProgressRepository } from "./group-progress.repository.ts";
import type { Indexer } from "./indexer.ts";
import type { ProgressRepository } from "./progress.repository.ts";

/** What the actions of this service work with. */
export interface SearchDependencies {
  node: NodeContext;
  entries: EntryRepository;
  progress: ProgressRepository;
  groupProgress: GroupProgressRepository;
  indexer: Indexer;
}

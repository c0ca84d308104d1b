import type { NodeContext } from "@fanfare/kernel";
import type { StatusRepository } from "./status.repository.ts";
import type { PresenceStore } from "./store/presence-store.ts";

/** Dependencies of the actions of this service. */
export interface PresenceDependencies {
  node: NodeContext;
  store: PresenceStore;
  statuses: StatusRepository;
}

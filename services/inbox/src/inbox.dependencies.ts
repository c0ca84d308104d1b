import type { NodeContext } from "@fanfare/kernel";
import type { MarkerRepository } from "./marker.repository.ts";

/** What the actions of this service work with. */
export interface InboxDependencies {
  node: NodeContext;
  markers: MarkerRepository;
}

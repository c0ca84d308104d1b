import type { NodeContext } from "@fanfare/kernel";
import { createAuditRepository } from "./audit.repository.ts";
import { createDayStatsRepository } from "./day-stats.repository.ts";
import { createMaintenanceRepository, createPolicyRepository } from "./settings.repository.ts";

export type AdminDependencies = ReturnType<typeof createDependencies>;

/** What the actions of this service need. */
export function createDependencies(node: NodeContext) {
  return {
    node,
    audit: createAuditRepository(node.database),
    dayStats: createDayStatsRepository(node.database),
    maintenance: createMaintenanceRepository(node.database),
    policy: createPolicyRepository(node.database),
  };
}

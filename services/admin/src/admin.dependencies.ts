import type { NodeContext } from "@fanfare/kernel";
import type { AuditRepository } from "./audit.repository.ts";
import type { DayStatsRepository } from "./day-stats.repository.ts";
import type { MaintenanceRepository, PolicyRepository } from "./settings.repository.ts";

/** Dependencies of the actions of this service. */
export interface AdminDependencies {
  node: NodeContext;
  audit: AuditRepository;
  dayStats: DayStatsRepository;
  maintenance: MaintenanceRepository;
  policy: PolicyRepository;
}

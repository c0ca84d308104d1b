import type { NodeContext } from "@fanfare/kernel";
import type { AuditRepository } from "./audit.repository.ts";
import type { MaintenanceRepository, PolicyRepository } from "./settings.repository.ts";

/** What the actions of this service work with. */
export interface AdminDependencies {
  node: NodeContext;
  audit: AuditRepository;
  maintenance: MaintenanceRepository;
  policy: PolicyRepository;
}

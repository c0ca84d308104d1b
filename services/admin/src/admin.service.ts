import type { ActionName } from "@fanfare/contract";
import { defineService, type Handler, type NodeContext, type ServiceFactory } from "@fanfare/kernel";
import { announce, getMaintenance, getPolicy, readPolicy, setMaintenance, setPolicy } from "./settings.ts";
import { audited, auditLog } from "./audit.ts";
import {
  createUser,
  deleteGroup,
  disableUser,
  enableUser,
  listGroups,
  listUsers,
  resetTotp,
  sendPasswordReset,
  setAdmin,
  startGroupExport,
  startGroupImport,
} from "./users-and-groups.ts";
import { deleteJob, listDeadJobs, retryJob } from "./jobs.ts";
import { metrics } from "./metrics.ts";
import { stats } from "./status.ts";
import type { AdminDependencies } from "./admin.dependencies.ts";
import { createAuditRepository } from "./audit.repository.ts";
import { createMaintenanceRepository, createPolicyRepository } from "./settings.repository.ts";

/** What those do who run the instance: the actions `admin.*` of the contract. */
export function createAdminService(node: NodeContext): ReturnType<ServiceFactory> {
  const dependencies: AdminDependencies = {
    node,
    audit: createAuditRepository(node.database),
    maintenance: createMaintenanceRepository(node.database),
    policy: createPolicyRepository(node.database),
  };
  const recorded = <N extends ActionName>(name: N, handler: Handler<N>) =>
    audited(dependencies, name, handler);
  return defineService(node, {
    name: "admin",
    actions: {
      "admin.stats": stats(dependencies),
      "admin.metrics": metrics(dependencies),
      "admin.listUsers": listUsers(),
      "admin.listGroups": listGroups(),
      "admin.auditLog": auditLog(dependencies),
      "admin.listDeadJobs": listDeadJobs(dependencies),
      "admin.retryJob": recorded("admin.retryJob", retryJob(dependencies)),
      "admin.deleteJob": recorded("admin.deleteJob", deleteJob(dependencies)),
      "admin.getMaintenance": getMaintenance(dependencies),
      "admin.getPolicy": getPolicy(dependencies),
      "admin.readPolicy": readPolicy(dependencies),
      "admin.setPolicy": recorded("admin.setPolicy", setPolicy(dependencies)),
      "admin.createUser": recorded("admin.createUser", createUser()),
      "admin.sendPasswordReset": recorded("admin.sendPasswordReset", sendPasswordReset()),
      "admin.disableUser": recorded("admin.disableUser", disableUser()),
      "admin.enableUser": recorded("admin.enableUser", enableUser()),
      "admin.setAdmin": recorded("admin.setAdmin", setAdmin()),
      "admin.resetTotp": recorded("admin.resetTotp", resetTotp()),
      "admin.deleteGroup": recorded("admin.deleteGroup", deleteGroup()),
      "admin.startGroupImport": recorded("admin.startGroupImport", startGroupImport()),
      "admin.startGroupExport": recorded("admin.startGroupExport", startGroupExport()),
      "admin.announce": recorded("admin.announce", announce(dependencies)),
      "admin.setMaintenance": recorded("admin.setMaintenance", setMaintenance(dependencies)),
    },
  });
}

import { defineService, type NodeContext, type ServiceFactory } from "@fanfare/kernel";
import { settingsActions } from "./settings.ts";
import { audited, auditActions } from "./audit.ts";
import { createChatImportRepository } from "./chat-import.repository.ts";
import { createChatImports, type ImportTools } from "./chat-imports.ts";
import { complianceActions, usersAndGroupActions } from "./users-and-groups.ts";
import { metricsActions, jobActions, pluginActions, statusActions } from "./operations.ts";
import { countDays, trendActions } from "./trends.ts";
import { provisioningActions } from "./provisioning.ts";
import { createDependencies } from "./admin.dependencies.ts";

/**
 * Administration of the instance: the actions `admin.*` of the contract.
 * @param tools absent in the command line, which runs imports itself and no jobs
 */
export function createAdminService(node: NodeContext, tools?: ImportTools): ReturnType<ServiceFactory> {
  const chatImports =
    tools === undefined
      ? null
      : createChatImports({ node, imports: createChatImportRepository(node.database) }, tools);
  const dependencies = createDependencies(node);
  const countFirst = tools === undefined ? undefined : countDays(node, dependencies.dayStats);
  return defineService(node, {
    name: "admin",
    actions: audited(dependencies, {
      ...auditActions(dependencies),
      ...chatImports?.actions,
      ...complianceActions,
      ...jobActions(dependencies),
      ...metricsActions(dependencies),
      ...pluginActions,
      ...provisioningActions(dependencies),
      ...settingsActions(dependencies),
      ...statusActions(dependencies),
      ...trendActions(dependencies),
      ...usersAndGroupActions,
    }),
    started: async () => countFirst?.(),
    stopped: async () => chatImports?.close(),
  });
}

import { ACTIONS, actionsWhere, type Result } from "@fanfare/contract";
import type { ThreadHub } from "@fanfare/fanout";
import { createGatewayService, capacityNotice } from "@fanfare/gateway";
import {
  type Config,
  hostForUrl,
  type NodeContext,
  type ServiceFactory,
  startNode,
  type Threads,
} from "@fanfare/kernel";
import { createAdminService } from "@fanfare/admin";
import { createBotService } from "@fanfare/bot";
import { createCallService } from "@fanfare/call";
import { createFileService, createImportedFiles } from "@fanfare/file";
import { createGroupService } from "@fanfare/group";
import { createInboxService } from "@fanfare/inbox";
import { createMessageService } from "@fanfare/message";
import { createPluginService } from "@fanfare/plugin";
import { createPresenceService } from "@fanfare/presence";
import { createPreviewService } from "@fanfare/preview";
import { createSearchService } from "@fanfare/search";
import { createImportedAccounts, createUserService } from "@fanfare/user";
import { GatewayThreads } from "./gateway-threads/gateway-threads.ts";

export interface Fanfare {
  /** URL of the page, the API and the sockets, without a trailing slash. */
  url: string;
  /** URL of /livez, /readyz and /metrics. */
  opsUrl: string;
  /** null: this process has no database. */
  engine: "embedded" | "mongodb" | null;
  /** Whether there is an admin and how to become one; null: only another process knows. */
  adminState(): Promise<Result<"user.adminState">["state"] | null>;
  /** For the link that creates the first admin; only if this process runs the user service. */
  createSetupToken(): Promise<string>;
  context: Pick<NodeContext, "logger">;
  /** Completes running calls, drains the clients, and closes the database. */
  stop(): Promise<void>;
  /** Rejects all calls and disconnects the clients, before the process ends without completing anything. */
  abandon(): Promise<void>;
}

/**
 * Starts an instance in this process, with all configured services.
 * @param onFatal called when it can no longer work and should be stopped
 * @throws {Error} which `explainStartError` explains if the operator can fix it
 */
export async function startFanfare(
  config: Config,
  onFatal: (error: Error) => void = () => {},
): Promise<Fanfare> {
  let port = config.port;
  const onListening = (listening: number): void => {
    port = listening;
  };
  const hosted = new Set<string>(actionsWhere(({ answeredByGateway }) => answeredByGateway === true));
  const remember =
    (factory: ServiceFactory): ServiceFactory =>
    (node) => {
      const schema = factory(node);
      for (const name of Object.keys(schema.actions ?? {})) hosted.add(name);
      return schema;
    };
  const gateway: ServiceFactory = (node) => {
    if (config.natsUrl === undefined) assertAllHosted(hosted);
    return createGatewayService(node, { onListening });
  };
  const hasThreads = config.gatewayThreads > 0;
  const workers = (Object.keys(WORKER_FACTORIES) as (keyof typeof WORKER_FACTORIES)[])
    .filter((name) => config.services.includes(name))
    .map((name) => remember(WORKER_FACTORIES[name]));
  const hasGateway = config.services.includes("gateway") && !hasThreads;
  const startThreads = async (hub: ThreadHub): Promise<Threads> => {
    assertAllHosted(hosted);
    const threads = await GatewayThreads.start(config, hub, onFatal);
    onListening(threads.port);
    return threads;
  };
  const node = await startNode(
    config,
    // The gateway stops first: it drains while the other services still respond.
    hasGateway ? [...workers, gateway] : workers,
    onFatal,
    hasThreads ? { startThreads } : {},
  );
  const notice = config.services.includes("gateway") ? capacityNotice(config) : null;
  if (notice !== null) node.context.logger[notice.level](notice.text);
  return {
    url: `http://${hostForUrl(config.host)}:${port}`,
    opsUrl: `http://${hostForUrl(config.opsHost)}:${node.opsPort}`,
    engine: node.engine,
    async adminState() {
      if (!config.services.includes("user")) return null;
      return (await node.context.services.user.adminState({})).state;
    },
    createSetupToken: async () => (await node.context.services.user.createSetupToken({})).token,
    context: node.context,
    stop: () => node.stop(),
    abandon: () => node.abandon(),
  };
}

function assertAllHosted(hosted: ReadonlySet<string>): void {
  const missing = Object.keys(ACTIONS).filter((name) => !hosted.has(name));
  if (missing.length > 0) throw new Error(`No service answers these actions: ${missing.join(", ")}.`);
}

/** All services except the gateway, in the order in which they start. */
export const WORKER_FACTORIES: Record<Exclude<Config["services"][number], "gateway">, ServiceFactory> = {
  user: createUserService,
  group: createGroupService,
  message: createMessageService,
  presence: createPresenceService,
  search: createSearchService,
  bot: createBotService,
  preview: createPreviewService,
  admin: (node) => createAdminService(node, { createImportedAccounts, createImportedFiles }),
  file: createFileService,
  inbox: createInboxService,
  call: createCallService,
  plugin: createPluginService,
};

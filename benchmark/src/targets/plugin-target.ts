import { connectError, ExitError } from "../cli/exit.ts";
import { metricsUsage } from "../kernels/broadcast/prometheus.ts";
import type { DialectRef } from "./plugins.ts";
import type { ChatServer } from "./plugin.ts";
import { registerAll } from "./registration.ts";
import type { ServerUsage, Target } from "./target.ts";

export interface PluginTargetOptions {
  name: string;
  dialect: DialectRef;
  metricsUrl: string | undefined;
  /** Concurrent registrations. */
  concurrency: number;
  /** Of users that exist already, instead of registrations. */
  memberTokens: readonly string[] | undefined;
}

/** Adapts a plug-in to a target. */
export function pluginTarget(server: ChatServer, options: PluginTargetOptions): Target {
  const { name, dialect, metricsUrl, concurrency, memberTokens } = options;
  const usage = async (): Promise<ServerUsage | null> => {
    if (server.usage) return server.usage();
    return metricsUrl === undefined ? null : metricsUsage(metricsUrl);
  };
  const explain = (error: unknown): never => {
    if (error instanceof ExitError) throw error;
    throw connectError(`${name}: ${(error as Error).message}`);
  };
  return {
    name,
    dialect,
    urls: server.urls,
    isThrowaway: server.isThrowaway ?? false,
    async prepare(count, progress, signal) {
      if (memberTokens) {
        const credentials = memberTokens
          .slice(0, count)
          .map((token) => server.credentialOf?.(token) ?? token);
        return { credentials, registration: null };
      }
      if (!server.join) return { credentials: Array.from({ length: count }, () => null), registration: null };
      const work = { label: "registering users", count, concurrency, progress, signal };
      const { users, result } = await registerAll(work, () => server.join!()).catch((error: unknown) =>
        signal.aborted ? Promise.reject(error as Error) : explain(error),
      );
      return { credentials: users, registration: result };
    },
    openSender: () => server.openSender().catch(explain),
    countStored: async (isMeasured) => (await server.countStored?.(isMeasured).catch(explain)) ?? null,
    usage,
    cpuSeconds: async () => (server.cpuSeconds ? server.cpuSeconds() : ((await usage())?.cpuSeconds ?? null)),
    cpuSecondsByKind: () => null,
    natsTraffic: () => Promise.resolve(null),
    close: () => server.close(),
  };
}

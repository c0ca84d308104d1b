import { connectError, ExitError } from "../cli/exit.ts";
import type { RunContext } from "../cli/scenario.ts";
import { metricsUsage } from "../kernels/broadcast/server-metrics.ts";
import { openFanfareTarget, type FanfareOptions } from "./fanfare/fanfare-target.ts";
import { loadPlugin, pluginRef } from "./plugins.ts";
import { registerAll } from "./registration.ts";
import type { ServerUsage, Target } from "./target.ts";

export interface TargetOptions extends FanfareOptions {
  /** Of a bare server: how many processes share its port. */
  processes?: number;
}

/**
 * @param name a known target, or the path of a plug-in
 * @throws {ExitError}
 */
export async function openTarget(name: string, options: TargetOptions, signal: AbortSignal): Promise<Target> {
  if (name === "fanfare") return openFanfareTarget(options, signal);
  const dialect = pluginRef(name);
  const plugin = await loadPlugin(dialect);
  const { url, metricsUrl, registrations, ...opening } = options;
  const explain = (error: unknown): never => {
    if (error instanceof ExitError || signal.aborted) throw error;
    throw connectError(`${plugin.name}: ${(error as Error).message}`);
  };
  const server = await plugin.open({ ...opening, url, signal }).catch(explain);
  const concurrency = Math.min(registrations, plugin.mostRegistrations ?? Infinity);
  const existing = options.existing?.memberTokens.map((token) => server.credentialOf?.(token) ?? token);
  const usage = async (): Promise<ServerUsage | null> =>
    server.usage ? server.usage() : metricsUrl === undefined ? null : metricsUsage(metricsUrl);
  return {
    name: plugin.name,
    dialect,
    urls: server.urls,
    isThrowaway: server.isThrowaway ?? false,
    size: server.size,
    async prepare(count, progress, signal) {
      if (existing) return { credentials: async () => existing.slice(0, count), registration: null };
      if (!server.join)
        return { credentials: async () => Array.from({ length: count }, () => null), registration: null };
      const work = { label: "registering users", count, concurrency, progress, signal };
      const { users, result } = await registerAll(work, () => server.join!()).catch(explain);
      return { credentials: async () => users, registration: result };
    },
    openSender: () => server.openSender().catch(explain),
    contents: server.contents && (() => explained(server.contents!(), explain)),
    usage,
    cpuSeconds: async () => (server.cpuSeconds ? server.cpuSeconds() : ((await usage())?.cpuSeconds ?? null)),
    cpuSecondsByKind: () => null,
    natsTraffic: async () => null,
    close: () => server.close(),
  };
}

async function* explained<T>(items: AsyncIterable<T>, explain: (error: unknown) => never): AsyncGenerator<T> {
  try {
    yield* items;
  } catch (error) {
    explain(error);
  }
}

/** The same for a command: closed when it ends. Errors of the server's API go to the command's table, as of this phase. */
export async function openServer(
  { errors, signal, defer }: RunContext,
  name: string,
  options: Omit<TargetOptions, "onError">,
  phase = "api",
): Promise<Target> {
  const target = await openTarget(name, { ...options, onError: (code) => errors.add(phase, code) }, signal);
  defer(() => target.close());
  return target;
}

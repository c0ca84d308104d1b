import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { connectError, ExitError, usageError } from "../cli/exit.ts";
import type { RunContext } from "../cli/scenario.ts";
import { metricsUsage } from "../kernels/broadcast/server-metrics.ts";
import { openFanfareTarget, type FanfareOptions } from "./fanfare/fanfare-target.ts";
import type { ChatServer, TargetPlugin } from "./plugin.ts";
import { importPlugin, PLUGINS, type DialectRef } from "./plugins.ts";
import { registerAll } from "./registration.ts";
import type { ServerUsage, Target } from "./target.ts";

interface PluginTargetOptions {
  name: string;
  dialect: DialectRef;
  metricsUrl: string | undefined;
  /** Concurrent registrations. */
  concurrency: number;
  /** Of users that exist already, instead of registrations. */
  memberTokens: readonly string[] | undefined;
}

/** Adapts a plug-in to a target. */
function pluginTarget(server: ChatServer, options: PluginTargetOptions): Target {
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
    size: server.size,
    async prepare(count, progress, signal) {
      if (memberTokens) {
        const credentials = memberTokens
          .slice(0, count)
          .map((token) => server.credentialOf?.(token) ?? token);
        return { credentials: async () => credentials, registration: null };
      }
      if (!server.join)
        return { credentials: async () => Array.from({ length: count }, () => null), registration: null };
      const work = { label: "registering users", count, concurrency, progress, signal };
      const { users, result } = await registerAll(work, () => server.join!()).catch((error: unknown) =>
        signal.aborted ? Promise.reject(error as Error) : explain(error),
      );
      return { credentials: async () => users, registration: result };
    },
    openSender: () => server.openSender().catch(explain),
    contents: server.contents && (() => explained(server.contents!(), explain)),
    usage,
    cpuSeconds: async () => (server.cpuSeconds ? server.cpuSeconds() : ((await usage())?.cpuSeconds ?? null)),
    cpuSecondsByKind: () => null,
    natsTraffic: () => Promise.resolve(null),
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

export interface TargetOptions extends FanfareOptions {
  /** Of a bare server: how many processes share its port. */
  processes?: number;
}

/** The values of --target, besides the file of a plug-in. */
export const KNOWN_TARGETS = ["fanfare", ...Object.keys(PLUGINS)];

/**
 * @param name a known target, or the path of a plug-in
 * @throws {ExitError}
 */
export async function openTarget(name: string, options: TargetOptions, signal: AbortSignal): Promise<Target> {
  if (name === "fanfare") return openFanfareTarget(options, signal);
  const { dialect, plugin } = await findPlugin(name);
  const { url, onError, metricsUrl, registrations, existing, processes, cores } = options;
  const opening = plugin.open({ url, onError, signal, existing, processes, cores });
  const server = await opening.catch((error: unknown) => {
    if (error instanceof ExitError || signal.aborted) throw error;
    throw connectError(`${plugin.name}: ${(error as Error).message}`);
  });
  const concurrency = Math.min(registrations, plugin.mostRegistrations ?? Infinity);
  const { memberTokens } = existing ?? {};
  return pluginTarget(server, { name: plugin.name, dialect, metricsUrl, concurrency, memberTokens });
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

async function findPlugin(name: string): Promise<{ dialect: DialectRef; plugin: TargetPlugin }> {
  if (isKnown(name)) return { dialect: name, plugin: await PLUGINS[name]() };
  if (!/\.[cm]?[jt]s$/.test(name)) {
    throw usageError(
      `--target: unknown ${name}. Choices: ${KNOWN_TARGETS.join(", ")}, or the path of a plug-in (a .js or .ts file).`,
    );
  }
  const dialect = pathToFileURL(resolve(name)).href as DialectRef;
  return { dialect, plugin: await importPlugin(dialect) };
}

function isKnown(name: string): name is keyof typeof PLUGINS {
  return Object.hasOwn(PLUGINS, name);
}

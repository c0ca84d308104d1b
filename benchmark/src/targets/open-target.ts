import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { connectError, ExitError, usageError } from "../cli/exit.ts";
import type { RunContext } from "../cli/scenario.ts";
import { openFanfareTarget, type FanfareOptions } from "./fanfare/fanfare-target.ts";
import { importPlugin } from "./import-plugin.ts";
import type { TargetPlugin } from "./plugin.ts";
import { pluginTarget } from "./plugin-target.ts";
import { PLUGINS, type DialectRef } from "./plugins.ts";
import type { Target } from "./target.ts";

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
  if (isKnown(name)) return { dialect: name, plugin: PLUGINS[name] };
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

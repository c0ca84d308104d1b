import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { usageError } from "../cli/exit.ts";
import { DIALECTS } from "./dialect.ts";
import type { Dialect, TargetPlugin } from "./plugin.ts";

/** The values of --target besides fanfare, in the order of the help. Every thread loads only what it needs. */
const PLUGINS = {
  "socket.io": async () => (await import("./bare/bare-target.ts")).bareSocketIo,
  ws: async () => (await import("./bare/bare-target.ts")).bareWs,
  tailchat: async () => (await import("./tailchat.ts")).tailchat,
  centrifugo: async () => (await import("./centrifugo.ts")).centrifugo,
  matrix: async () => (await import("./matrix.ts")).matrix,
  mattermost: async () => (await import("./mattermost.ts")).mattermost,
  rocketchat: async () => (await import("./rocketchat.ts")).rocketchat,
  zulip: async () => (await import("./zulip.ts")).zulip,
};

/** The values of --target, besides the file of a plug-in. */
export const KNOWN_TARGETS = ["fanfare", ...Object.keys(PLUGINS)];

type PluginRef = keyof typeof PLUGINS | `file:${string}`;
/** Names the dialect of a target for threads, which load it themselves: a plug-in is named by its file. */
export type DialectRef = "fanfare" | PluginRef;

/**
 * @param name a known target, or the path of a plug-in
 * @throws {ExitError} if it is neither
 */
export function pluginRef(name: string): PluginRef {
  if (Object.hasOwn(PLUGINS, name)) return name as PluginRef;
  if (/\.[cm]?[jt]s$/.test(name)) return pathToFileURL(resolve(name)).href as PluginRef;
  throw usageError(
    `--target: unknown ${name}. Choices: ${KNOWN_TARGETS.join(", ")}, or the path of a plug-in (a .js or .ts file).`,
  );
}

/** @throws {ExitError} if the file is not a plug-in */
export async function loadPlugin(ref: PluginRef): Promise<TargetPlugin> {
  if (!isFile(ref)) return PLUGINS[ref]();
  let plugin: Partial<TargetPlugin> | undefined;
  try {
    plugin = ((await import(ref)) as { default?: Partial<TargetPlugin> }).default;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // Before Node 22.18.
    const advice = code === "ERR_UNKNOWN_FILE_EXTENSION" ? ". Use a newer Node, or JavaScript." : "";
    throw usageError(`Could not load --target ${ref}: ${message}${advice}`);
  }
  const { name, dialect, open } = plugin ?? {};
  const has = {
    name: typeof name === "string",
    dialect: typeof dialect?.read === "function",
    open: typeof open === "function",
  };
  const missing = Object.entries(has).flatMap(([part, isThere]) => (isThere ? [] : [part]));
  if (missing.length === 0) return plugin as TargetPlugin;
  throw usageError(
    `--target ${ref}: its default export has no ${missing.join(", no ")}. See "A server of your own" in the tester's README.`,
  );
}

export async function loadDialect(ref: DialectRef): Promise<Dialect> {
  if (ref === "fanfare" || ref === "socket.io" || ref === "ws") return DIALECTS[ref];
  return (await loadPlugin(ref)).dialect;
}

const isFile = (ref: PluginRef): ref is `file:${string}` => ref.startsWith("file:");

import { usageError } from "../cli/exit.ts";
import { DIALECTS } from "./dialect.ts";
import type { Dialect, TargetPlugin } from "./plugin.ts";

/** @throws {ExitError} if the file is not a plug-in */
export async function importPlugin(file: string): Promise<TargetPlugin> {
  let plugin: Partial<TargetPlugin> | undefined;
  try {
    plugin = ((await import(file)) as { default?: Partial<TargetPlugin> }).default;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // Before Node 22.18.
    const advice = code === "ERR_UNKNOWN_FILE_EXTENSION" ? ". Use a newer Node, or JavaScript." : "";
    throw usageError(`Could not load --target ${file}: ${message}${advice}`);
  }
  const { name, dialect, open } = plugin ?? {};
  const missing = [
    ...(typeof name === "string" ? [] : ["name"]),
    ...(typeof dialect?.read === "function" ? [] : ["dialect"]),
    ...(typeof open === "function" ? [] : ["open"]),
  ];
  if (missing.length === 0) return plugin as TargetPlugin;
  throw usageError(
    `--target ${file}: its default export has no ${missing.join(", no ")}. See "A server of your own" in the tester's README.`,
  );
}

/** The values of --target besides fanfare, in the order of the help. Every thread loads only what it needs. */
export const PLUGINS = {
  "socket.io": async () => (await import("./bare/bare-target.ts")).bareSocketIo,
  ws: async () => (await import("./bare/bare-target.ts")).bareWs,
  tailchat: async () => (await import("./tailchat.ts")).tailchat,
  centrifugo: async () => (await import("./centrifugo.ts")).centrifugo,
  matrix: async () => (await import("./matrix.ts")).matrix,
  mattermost: async () => (await import("./mattermost.ts")).mattermost,
  rocketchat: async () => (await import("./rocketchat.ts")).rocketchat,
  zulip: async () => (await import("./zulip.ts")).zulip,
} as const;

/** Names the dialect of a target for threads, which load it themselves: a plug-in is named by its file. */
export type DialectRef = "fanfare" | keyof typeof PLUGINS | `file:${string}`;

export async function loadDialect(ref: DialectRef): Promise<Dialect> {
  if (ref === "fanfare" || ref === "socket.io" || ref === "ws") return DIALECTS[ref];
  return (await (isFile(ref) ? importPlugin(ref) : PLUGINS[ref]())).dialect;
}

function isFile(ref: DialectRef): ref is `file:${string}` {
  return ref.startsWith("file:");
}

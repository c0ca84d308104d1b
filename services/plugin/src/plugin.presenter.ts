import type { InstalledPlugin } from "@fanfare/contract";
import { pluginAction, type Plugin, variableOf } from "@fanfare/plugins";
import type { PluginProcess } from "./plugin-process.ts";

/** What admins see of a plug-in: all that it can do, and whether it runs. */
export function presentInstalled(
  plugin: Plugin,
  variables: Readonly<Record<string, string | undefined>>,
  process: Pick<PluginProcess<unknown>, "isRunning" | "lastError" | "restarts"> | undefined,
): InstalledPlugin {
  const { name, title, version, description, server, page, commands } = plugin.manifest;
  const isSet = (variable: string): boolean =>
    (variables[variable] ?? variables[`${variable}_FILE`] ?? "") !== "";
  return {
    name,
    title,
    version,
    description,
    server:
      server === undefined
        ? null
        : {
            isRunning: process?.isRunning ?? false,
            restarts: process?.restarts ?? 0,
            lastError: process?.lastError ?? null,
            actions: Object.entries(server.actions).map(([action, { summary, permission }]) => ({
              name: pluginAction(name, action),
              summary,
              rule: permission.rule,
              permission: "can" in permission ? permission.can : null,
            })),
            events: server.events,
            hosts: server.hosts,
            scopes: server.scopes,
            settings: Object.entries(server.settings).map(([setting, { description: text }]) => ({
              variable: variableOf(name, setting),
              description: text,
              isSet: isSet(variableOf(name, setting)),
            })),
          },
    page:
      page === undefined
        ? null
        : {
            actions: page.actions.map((action) => pluginAction(name, action)),
            messageCards: page.messageCards,
            composerActions: page.composerActions.map((place) => place.title),
            panels: page.panels.map((place) => place.title),
          },
    commands: commands.map((command) => command.name),
  };
}

/** The plug-ins of all processes: one for each version. */
export function mergeInstalled(ofProcesses: readonly (readonly InstalledPlugin[])[]): InstalledPlugin[] {
  const merged = new Map<string, InstalledPlugin>();
  for (const plugin of ofProcesses.flat()) {
    const key = JSON.stringify([plugin.name, plugin.version]);
    const known = merged.get(key);
    merged.set(key, known === undefined ? plugin : merge(known, plugin));
  }
  return [...merged.values()];
}

function merge(one: InstalledPlugin, other: InstalledPlugin): InstalledPlugin {
  if (one.server === null || other.server === null) return one;
  return {
    ...one,
    server: {
      ...one.server,
      isRunning: one.server.isRunning && other.server.isRunning,
      restarts: one.server.restarts + other.server.restarts,
      lastError: one.server.lastError ?? other.server.lastError,
    },
  };
}

import type { InstalledPlugin, PagePlugin } from "@fanfare/contract";
import { pluginAction, type Plugin, variableOf } from "@fanfare/plugins";
import type { PluginProcess } from "./plugin-process.ts";

/** What clients need of a plug-in; null if it has nothing for them. */
export function presentPage({ manifest, page }: Plugin): PagePlugin | null {
  const { name, title, version, commands } = manifest;
  if (page === null && commands.length === 0) return null;
  return {
    name,
    title,
    version,
    page:
      page === null
        ? null
        : {
            path: page.path,
            integrity: page.integrity,
            actions: manifest.page!.actions,
            messageCards: manifest.page!.messageCards,
            composerActions: manifest.page!.composerActions,
            panels: manifest.page!.panels,
          },
    commands: commands.map(({ action, usage = "", ...command }) => ({
      ...command,
      usage,
      action: pluginAction(name, action),
    })),
  };
}

/** What admins see of a plug-in: all that it can do, and whether it runs. */
export function presentInstalled(
  plugin: Plugin,
  variables: Readonly<Record<string, string | undefined>>,
  process: PluginProcess | undefined,
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

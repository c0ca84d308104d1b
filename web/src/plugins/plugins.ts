import type { Call, PagePlugin } from "@fanfare/contract";
import { create } from "zustand";

/** A plug-in with a program for the page. */
export type PluginWithPage = PagePlugin & { page: NonNullable<PagePlugin["page"]> };
type PluginCommand = PagePlugin["commands"][number];

interface PluginState {
  /** Those with a program for the page. */
  withPage: readonly PluginWithPage[];
  withCards: readonly PluginWithPage[];
  commands: readonly PluginCommand[];
  /** Whether they are loaded, also if there are none. */
  isLoaded: boolean;
}

/** The plug-ins of the server: none until they are loaded, which the first page doesn't wait for. */
export const usePlugins = create<PluginState>(() => ({
  withPage: [],
  withCards: [],
  commands: [],
  isLoaded: false,
}));

/** @param listed null until they are loaded */
export function setPlugins(listed: readonly PagePlugin[] | null): void {
  const plugins = listed ?? [];
  const withPage = plugins.filter((plugin): plugin is PluginWithPage => plugin.page !== null);
  usePlugins.setState({
    withPage,
    withCards: withPage.filter(({ page }) => page.messageCards.length > 0),
    commands: plugins.flatMap(({ commands }) => commands),
    isLoaded: listed !== null,
  });
}

/** Calls an action of a plug-in, which the contract's types don't know. */
export function callPlugin(call: Call, action: string, params: object): Promise<unknown> {
  return (call as unknown as (name: string, params: object) => Promise<unknown>)(action, params);
}

/** @returns what to tell the user; null: nothing */
export async function runPluginCommand(
  action: string,
  params: { channelId: string; text: string },
  call: Call,
): Promise<string | null> {
  const result = (await callPlugin(call, action, params)) as { notice?: unknown } | null;
  return typeof result?.notice === "string" ? result.notice : null;
}

/** The name of a plug-in's panel among the page's panels. */
export const panelName = (plugin: string, panel: string) => `plugin:${plugin}:${panel}` as const;

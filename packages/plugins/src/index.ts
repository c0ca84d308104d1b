export { actionsOf, pluginAction, type PluginManifest, type PluginSetting } from "./manifest.ts";
export { PLUGIN_LIMITS } from "./limits.ts";
export { type PageFile, type Plugin, PluginError, readPlugins } from "./read-plugins.ts";
export { readSettings, variableOf } from "./settings.ts";

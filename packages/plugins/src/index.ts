export {
  actionsOf,
  pluginAction,
  type PluginManifest,
  type PluginSetting,
  PLUGIN_LIMITS,
} from "./manifest.ts";
export {
  type PageFile,
  type Plugin,
  PluginError,
  readPlugins,
  readSettings,
  variableOf,
} from "./read-plugins.ts";

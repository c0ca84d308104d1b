import { useEffect } from "react";
import { useActionQuery } from "../data/data-context.ts";
import { setPlugins } from "./plugins.ts";

/** Loads the list of plug-ins. Renders nothing. */
export function PluginLoader() {
  const { data } = useActionQuery("plugin.list", {});
  useEffect(() => {
    if (data !== undefined) setPlugins(data.plugins);
  }, [data]);
  // The next session loads them again: programs and their cards end with this one.
  useEffect(() => () => setPlugins([]), []);
  return null;
}

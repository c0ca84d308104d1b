import { type Handlers, type NodeContext, serviceError } from "@fanfare/kernel";
import type { Plugin } from "@fanfare/plugins";
import { LIST_TIMEOUT_MS, RETRY_AFTER_MS } from "./constants.ts";
import { mergeInstalled } from "./plugin.presenter.ts";
import type { ValueRepository } from "./value.repository.ts";

interface DataDependencies {
  node: Pick<NodeContext, "callEach">;
  /** Of this process. */
  plugins: readonly Plugin[];
  values: Pick<ValueRepository, "count" | "removeOf">;
}

/** Actions for what removed plug-ins have stored. A process that does not answer can still run one, so nothing is deleted then. */
export function dataActions({ node, plugins: own, values }: DataDependencies): Handlers {
  const listInstalled = async () => {
    const { results, unresponsive } = await node.callEach("plugin.listInstalled", {}, LIST_TIMEOUT_MS);
    const plugins = mergeInstalled(results.map((result) => result.plugins));
    const names = new Set([...plugins, ...own.map(({ manifest }) => manifest)].map(({ name }) => name));
    return { plugins, names, isComplete: unresponsive === 0 };
  };
  return {
    "admin.listPlugins": async () => {
      const [{ plugins, names, isComplete }, stored] = await Promise.all([listInstalled(), values.count()]);
      return { plugins, leftovers: isComplete ? stored.filter(({ plugin }) => !names.has(plugin)) : [] };
    },
    "plugin.removeData": async ({ params: { plugin } }) => {
      const { names, isComplete } = await listInstalled();
      if (names.has(plugin)) {
        const message = "is installed. Remove it from PLUGINS first.";
        throw serviceError("VALIDATION_FAILED", { issues: [{ path: "plugin", message }] });
      }
      if (!isComplete) throw serviceError("UNAVAILABLE", { retryAfterMs: RETRY_AFTER_MS });
      await values.removeOf(plugin);
      return {};
    },
  };
}

import { ACTIONS, type ActionDefinition, type PagePlugin } from "@fanfare/contract";
import {
  Counter,
  defineService,
  type Handlers,
  type NodeContext,
  type ServiceFactory,
} from "@fanfare/kernel";
import { Outbound } from "@fanfare/outbound";
import { actionsOf, pluginAction, type Plugin, readPlugins, readSettings } from "@fanfare/plugins";
import { PluginProcess } from "./plugin-process.ts";
import { presentInstalled, presentPage } from "./plugin.presenter.ts";
import { type CallContext, createServe } from "./serve.ts";
import { createValueRepository } from "./value.repository.ts";

type Events = NonNullable<Parameters<typeof defineService>[1]["events"]>;

/** Runs the server plug-ins of `PLUGINS`: the actions `plugin.*`. */
export function createPluginService(node: NodeContext): ReturnType<ServiceFactory> {
  const plugins = readPlugins(node.config.plugins);
  const outbound = new Outbound({ userAgent: "Fanfare-Plugin", allow: node.config.outboundAllow });
  const values = createValueRepository(node.database);
  const dropped = new Counter({
    name: "fanfare_plugin_events_dropped_total",
    help: "Events that a plug-in did not receive because it was behind or not running.",
    labelNames: ["plugin"],
    registers: [node.metrics],
  });
  const processes = new Map<string, PluginProcess>();
  for (const plugin of plugins) {
    const { manifest } = plugin;
    if (manifest.server === undefined) continue;
    const settings = readSettings(manifest, node.config.pluginVariables);
    dropped.inc({ plugin: manifest.name }, 0);
    const process = new PluginProcess({
      plugin,
      settings,
      logger: node.logger,
      serve: createServe({ manifest, settings, outbound, values }),
      onDropped: () => dropped.inc({ plugin: manifest.name }),
    });
    processes.set(manifest.name, process);
  }
  const pages: PagePlugin[] = plugins.flatMap((plugin) => presentPage(plugin) ?? []);
  return defineService(
    node,
    {
      name: "plugin",
      actions: {
        "plugin.list": () => ({ plugins: pages }),
        "plugin.forgetUser": async ({ params: { userId } }) => {
          await Promise.all(
            listenersOf("user.deleted", plugins, processes).map((process) =>
              process.deliver("user.deleted", { userId }),
            ),
          );
          return {};
        },
        "admin.listPlugins": () => ({
          plugins: plugins.map((plugin) =>
            presentInstalled(plugin, node.config.pluginVariables, processes.get(plugin.manifest.name)),
          ),
        }),
        ...actionsOfPlugins(plugins, processes),
      },
      events: eventsOf(plugins, processes),
      async started() {
        await Promise.all([...processes.values()].map((process) => process.start()));
      },
      async stopped() {
        await Promise.all([...processes.values()].map((process) => process.stop()));
        await outbound.close();
      },
    },
    {
      ...(ACTIONS as Record<string, ActionDefinition>),
      ...Object.assign({}, ...plugins.map(({ manifest }) => actionsOf(manifest))),
    },
  );
}

/** Not in the contract, whose types therefore don't know them. */
function actionsOfPlugins(
  plugins: readonly Plugin[],
  processes: ReadonlyMap<string, PluginProcess>,
): Handlers {
  type AnyRequest = Parameters<NonNullable<Handlers["message.send"]>>[0];
  const handlers = plugins.flatMap(({ manifest: { name, server } }) =>
    Object.entries(server?.actions ?? {}).map(([action, { mutates }]) => [
      pluginAction(name, action),
      ({ params, actor: { userId, kind }, services }: AnyRequest) => {
        const context: CallContext = { services, mutates };
        return processes.get(name)!.call(action, params, { userId, kind }, context);
      },
    ]),
  );
  return Object.fromEntries(handlers) as Handlers;
}

type PluginEvent = NonNullable<Plugin["manifest"]["server"]>["events"][number];

const listenersOf = (
  event: PluginEvent,
  plugins: readonly Plugin[],
  processes: ReadonlyMap<string, PluginProcess>,
): PluginProcess[] =>
  plugins.flatMap(({ manifest: { name, server } }) =>
    server?.events.includes(event) === true ? [processes.get(name)!] : [],
  );

/** Only events that a plug-in wants: others are not sent to this service. */
function eventsOf(plugins: readonly Plugin[], processes: ReadonlyMap<string, PluginProcess>): Events {
  const ofMessages = listenersOf("message.stored", plugins, processes);
  const ofEmptied = listenersOf("channel.emptied", plugins, processes);
  return {
    ...(ofMessages.length > 0 && {
      "message.stored": ({ channelId, groupId, messages }) => {
        // What people write to each other stays between them.
        if (groupId === null) return;
        const payload = {
          channelId,
          groupId,
          messages: messages.map(({ id, authorId, content }) => ({ id, authorId, content })),
        };
        for (const process of ofMessages) process.notify("message.stored", payload);
      },
    }),
    ...(ofEmptied.length > 0 && {
      "channel.emptied": (payload) => {
        for (const process of ofEmptied) process.notify("channel.emptied", payload);
      },
    }),
  };
}

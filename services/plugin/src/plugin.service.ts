import { ACTIONS, type ActionDefinition } from "@fanfare/contract";
import {
  Counter,
  createRateLimits,
  defineService,
  type Handlers,
  type NodeContext,
  type RateLimits,
  type ServiceFactory,
  serviceError,
} from "@fanfare/kernel";
import { Outbound } from "@fanfare/outbound";
import {
  actionsOf,
  pluginAction,
  type PluginManifest,
  readPlugins,
  readSettings,
  type Plugin,
} from "@fanfare/plugins";
import { EVENT_CALLS, LIST_TIMEOUT_MS, RETRY_AFTER_MS } from "./constants.ts";
import { type Handling, handlingOfAction, handlingOfEvent, handlingOfMessages } from "./handling.ts";
import { PluginProcess } from "./plugin-process.ts";
import { presentInstalled, mergeInstalled } from "./plugin.presenter.ts";
import { createServe } from "./serve.ts";
import { createValueRepository, type ValueRepository } from "./value.repository.ts";

type Server = NonNullable<PluginManifest["server"]>;
type PluginEvent = Server["events"][number];

/** A plug-in with a server. */
interface Runner {
  manifest: PluginManifest & { server: Server };
  process: PluginProcess<Handling>;
}

/** Runs the server plug-ins of `PLUGINS`: the actions `plugin.*`, without `plugin.list`. */
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
  const runners = plugins.flatMap((plugin): Runner[] => {
    const { manifest } = plugin;
    const { name, server } = manifest;
    if (server === undefined) return [];
    const settings = readSettings(manifest, node.config.pluginVariables);
    dropped.inc({ plugin: name }, 0);
    const process = new PluginProcess<Handling>({
      plugin,
      settings,
      logger: node.logger,
      serve: createServe({ manifest, settings, node, outbound, values }),
      onDropped: () => dropped.inc({ plugin: name }),
    });
    return [{ manifest: { ...manifest, server }, process }];
  });
  const limits = createRateLimits({ counters: node.counters, logger: node.logger, factor: 1 });
  const listenersOf = (event: PluginEvent): Runner[] =>
    runners.filter(({ manifest }) => manifest.server.events.includes(event));
  return defineService(
    node,
    {
      name: "plugin",
      actions: {
        "plugin.forgetUser": async ({ params: { userId } }) => {
          await Promise.all(
            listenersOf("user.deleted").map(({ process }) =>
              process.deliver("user.deleted", { userId }, handlingOfEvent()),
            ),
          );
          return {};
        },
        "plugin.listInstalled": () => ({
          plugins: plugins.map((plugin) => {
            const runner = runners.find(({ manifest }) => manifest.name === plugin.manifest.name);
            return presentInstalled(plugin, node.config.pluginVariables, runner?.process);
          }),
        }),
        ...dataActions({ node, plugins, values }),
        ...actionsOfPlugins(runners),
      },
      events: eventsOf(node, limits, listenersOf),
      async started() {
        await Promise.all(runners.map(({ process }) => process.start()));
      },
      async stopped() {
        await Promise.all(runners.map(({ process }) => process.stop()));
        limits.stop();
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
function actionsOfPlugins(runners: readonly Runner[]): Handlers {
  type AnyRequest = Parameters<NonNullable<Handlers["message.send"]>>[0];
  const handlers = runners.flatMap(({ manifest, process }) =>
    Object.entries(manifest.server.actions).map(([name, action]) => [
      pluginAction(manifest.name, name),
      (request: AnyRequest) => {
        const { userId, kind } = request.actor;
        return process.call(name, request.params, { userId, kind }, handlingOfAction(action, request));
      },
    ]),
  );
  return Object.fromEntries(handlers) as Handlers;
}

type Events = NonNullable<Parameters<typeof defineService>[1]["events"]>;

/** Only events that a plug-in wants: others are not sent to this service. */
function eventsOf(
  node: NodeContext,
  limits: RateLimits,
  listenersOf: (event: PluginEvent) => Runner[],
): Events {
  const ofMessages = listenersOf("message.stored").map(({ manifest, process }) => ({
    process,
    acting: { node, title: manifest.title, limiter: limits.exact(`plugin.${manifest.name}`, EVENT_CALLS) },
  }));
  const ofEmptied = listenersOf("channel.emptied");
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
        for (const { process, acting } of ofMessages)
          process.notify(
            "message.stored",
            payload,
            handlingOfMessages(acting, { channelId, groupId, messages }),
          );
      },
    }),
    ...(ofEmptied.length > 0 && {
      "channel.emptied": (payload) => {
        for (const { process } of ofEmptied) process.notify("channel.emptied", payload, handlingOfEvent());
      },
    }),
  };
}

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

import os from "node:os";
import { usageError } from "../cli/exit.ts";
import {
  EXISTING_USERS_OPTIONS,
  integer,
  integers,
  MAX_PROCESSES,
  MOST_USERS,
  SERVER_OPTIONS,
  text,
  USERS_OPTION,
} from "../cli/options.ts";
import { scenario, type RunContext } from "../cli/scenario.ts";
import {
  broadcastPlan,
  broadcastPlans,
  checkBroadcastLimits,
  messagesText,
  REPEATED_MESSAGE_OPTIONS,
} from "../kernels/broadcast/broadcast-plan.ts";
import { applying, count } from "../report/format.ts";
import { overPasses, ratios, ratiosTo, serversOf, type Metric, type MetricName } from "../report/metric.ts";
import { existingUsers } from "../targets/tokens.ts";
import { BROADCAST_METRICS } from "./broadcast-outcome.ts";
import {
  defaultThreadsOf,
  passesOption,
  passNumbers,
  serverSpec,
  serverSpecs,
  sideBySide,
  type Contestant,
} from "./contestants.ts";

/** What a server achieves relative to another one holds on a slow or busy machine. */
const RATIOS = [
  "worstMs",
  "medianMs",
  "bestMs",
  "coldMs",
  "firstMs",
  "burstMs",
  "burstPerCpuSecond",
  "connectsPerSecond",
  "rssPerConnectionBytes",
  "cpuMsPerMessage",
  "netCpuMsPerMessage",
] as const satisfies readonly MetricName[];

/** A command that measures servers in turns, with its defaults. */
const comparison = (
  { targets, users, burst, passes }: { targets: string; users: string; burst: string; passes: number },
  texts: { name: string; describe: string; examples: [command: string, description: string][] },
) =>
  scenario({
    ...texts,
    metrics: BROADCAST_METRICS,
    ratios: RATIOS,
    options: {
      ...REPEATED_MESSAGE_OPTIONS,
      burst: { ...REPEATED_MESSAGE_OPTIONS.burst, default: burst },
      users: integers("Receivers", "Numbers of members online", [1, MOST_USERS], {
        default: users,
        alias: "u",
      }),
      targets: text(
        "Server",
        "Servers in this order: fanfare:N has N gateway threads, socket.io:N N processes, and name=URL is already running",
        { default: targets },
      ),
      passes: passesOption(passes),
      cores: integer(
        "Server",
        "Pin each server that is started to this many cores; default: all of the machine",
        [1, os.availableParallelism()],
      ),
    },
    async plan({ targets: text, users: sizes, passes: times, cores, ...values }) {
      if (cores !== undefined && process.platform !== "linux")
        throw usageError("--cores needs taskset, which only Linux has.");
      const specs = serverSpecs("targets", text);
      const gatewayThreads = defaultThreadsOf(specs);
      const { plans, largest } = broadcastPlans(values, sizes);
      await checkBroadcastLimits(largest);
      const servers = specs.map(({ label }) => label);
      return {
        options: { ...largest, users: sizes, targets: servers, passes: times, cores, gatewayThreads },
        async measure(context: RunContext) {
          const pinning = cores === undefined ? undefined : `0-${cores - 1}`;
          const rounds = plans.map((plan) => ({
            contestants: specs.map((spec) => ({
              spec,
              plan,
              labels: { server: spec.label },
              cores: pinning,
            })),
            passes: passNumbers(times),
          }));
          const found = await sideBySide(context, rounds);
          return {
            ...found,
            title: `${servers.join(", ")} side by side`,
            subtitle: applying(
              "the same members, messages, clock and machine, in turns",
              messagesText(largest),
              cores === undefined
                ? `all ${count(os.availableParallelism(), "core")}`
                : `each server on ${count(cores, "core")}`,
              gatewayThreads !== undefined && `fanfare: ${count(gatewayThreads, "gateway thread")}`,
            ),
            metrics: [...found.metrics, ...ratiosToFirst(found.metrics)],
          };
        },
      };
    },
  });

export const limits = comparison(
  { targets: "fanfare,socket.io,ws", users: "1000", burst: "20,100", passes: 3 },
  {
    name: "limits",
    describe: "Several servers in turns, as ratios; by default Fanfare, bare Socket.IO and bare ws",
    examples: [
      ["$0 limits --users 10000", "three servers, three passes each: some minutes"],
      ["$0 limits --targets fanfare,tailchat=http://127.0.0.1:11000", "beside a running server"],
      ["$0 limits -u 1000 --threshold 'medianMsRatio[to=socket.io]<0.75'", "for CI: exit code 99 if slower"],
    ],
  },
);

export const versus = comparison(
  { targets: "fanfare,fanfare:0,socket.io,socket.io:2,ws", users: "100,1000,5000", burst: "100", passes: 2 },
  {
    name: "versus",
    describe: "Five kinds of server in turns, as ratios, with 100, 1,000 and 5,000 members",
    examples: [
      ["$0 versus", "Fanfare with and without gateway threads, Socket.IO in one and two processes, ws"],
      ["$0 versus --targets fanfare,tailchat=http://127.0.0.1:11000 -u 100,500", "beside a running Tailchat"],
    ],
  },
);

/** The first server divided by each other one, over all passes. */
export function ratiosToFirst(all: readonly Metric[]): Metric[] {
  const metrics = overPasses(all);
  const [server = "", ...others] = serversOf(metrics);
  return others.flatMap((to) => ratios(metrics, RATIOS, { server, to }));
}

export const sweep = scenario({
  name: "sweep",
  describe: "Broadcast to a growing number of members",
  metrics: BROADCAST_METRICS,
  options: {
    ...SERVER_OPTIONS,
    ...EXISTING_USERS_OPTIONS,
    ...REPEATED_MESSAGE_OPTIONS,
    users: integers("Receivers", "Numbers of members online, measured one after the other", [1, MOST_USERS], {
      default: "100,500,1000,2000,5000,10000",
      alias: "u",
    }),
    passes: passesOption(1, "Passes per number; several show the variation"),
  },
  examples: [
    ["$0 sweep", "100 to 10,000 members, about two minutes"],
    ["$0 sweep -u 1000,10000 --threshold 'worstMs[members=10000]<200'", "for CI: exit code 99 if slower"],
  ],
  async plan({ users: sizes, passes, target, url, metricsUrl, ...values }) {
    const spec = serverSpec({ target, url });
    const gatewayThreads = defaultThreadsOf([spec]);
    const { plans, largest } = broadcastPlans(values, sizes);
    const existing = await existingUsers({ ...values, url }, largest.users);
    await checkBroadcastLimits(largest, url);
    return {
      options: { ...largest, users: sizes, passes, target },
      async measure(context: RunContext) {
        const alone = plans.map((plan) => {
          return { spec, plan, labels: { members: plan.users }, metricsUrl, existing };
        });
        // Each with a new server: an earlier audience would leave memory behind.
        const rounds = passNumbers(passes).flatMap((pass) =>
          alone.map((one) => ({ contestants: [one], passes: [pass] })),
        );
        const found = await sideBySide(context, rounds);
        return {
          title: "Broadcast to a growing number of members",
          subtitle: applying(
            url === undefined ? `a new ${target} each time` : `${target} at ${url}`,
            messagesText(largest),
            gatewayThreads !== undefined && count(gatewayThreads, "gateway thread"),
          ),
          ...found,
        };
      },
    };
  },
});

const FANFARE = { label: "fanfare", name: "fanfare" };
const SOCKET_IO = { label: "socket.io", name: "socket.io" };

export const cluster = scenario({
  name: "cluster",
  describe: "The same members spread over 1, 2 and 4 gateways of a cluster",
  metrics: BROADCAST_METRICS,
  ratios: RATIOS,
  options: {
    ...REPEATED_MESSAGE_OPTIONS,
    users: USERS_OPTION,
    gateways: integers(
      "Server",
      "Numbers of gateways to compare; one cluster with the largest number is started",
      [1, MAX_PROCESSES],
      { default: "1,2,4" },
    ),
    workers: integer("Server", "Worker processes", [1, MAX_PROCESSES], { default: 1 }),
    passes: passesOption(2),
  },
  examples: [
    ["$0 cluster --users 10000", "1, 2 and 4 gateways, a single instance and bare Socket.IO: some minutes"],
    [
      "$0 cluster -u 10000 --threshold 'medianMsRatio[server=2 gateways]<=0.58'",
      "exit code 99 if slower than this share of bare Socket.IO's time",
    ],
  ],
  async plan({ users, gateways, workers, passes, ...values }) {
    const plan = broadcastPlan(values, users);
    await checkBroadcastLimits(plan);
    return {
      options: { ...plan, gateways, workers, passes },
      async measure(context: RunContext) {
        const contestants: Contestant[] = [
          { spec: SOCKET_IO, plan, labels: { server: SOCKET_IO.label } },
          { spec: FANFARE, plan, labels: { server: "single instance" } },
          // One cluster for all sizes: the audience is on its first gateways, and the others are idle.
          {
            spec: FANFARE,
            plan,
            labels: {},
            cluster: { gateways: Math.max(...gateways), workers },
            spreads: Object.fromEntries(gateways.map((spread) => [count(spread, "gateway"), spread])),
          },
        ];
        const found = await sideBySide(context, [{ contestants, passes: passNumbers(passes) }]);
        return {
          ...found,
          title: "A single instance and several gateways",
          subtitle: [
            `the same ${count(plan.users, "member")} everywhere`,
            count(workers, "worker"),
            messagesText(plan),
          ],
          metrics: [...found.metrics, ...ratiosTo(SOCKET_IO.label, overPasses(found.metrics), RATIOS)],
        };
      },
    };
  },
});

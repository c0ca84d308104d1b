import os from "node:os";
import { usageError } from "../cli/exit.ts";
import { integer, integers, MOST_USERS, text } from "../cli/options.ts";
import { scenario, type RunContext } from "../cli/scenario.ts";
import {
  broadcastPlans,
  checkBroadcastLimits,
  messagesText,
  REPEATED_MESSAGE_OPTIONS,
} from "../kernels/broadcast/broadcast-plan.ts";
import { applying, count } from "../report/format.ts";
import { overPasses, ratios, serversOf, type Metric, type MetricName } from "../report/metric.ts";
import { BROADCAST_METRICS } from "./broadcast-outcome.ts";
import { gatewayThreadsOf, passesOption, passNumbers, serverSpecs, sideBySide } from "./contestants.ts";

/** What a server achieves relative to another one holds on a slow or busy machine. */
export const RATIOS = [
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

interface Preset {
  name: string;
  describe: string;
  examples: [command: string, description: string][];
  targets: string;
  users: string;
  burst: string;
  passes: number;
}

/** A command that measures servers in turns, with its defaults. */
const comparison = ({ name, describe, examples, targets, users, burst, passes }: Preset) =>
  scenario({
    name,
    describe,
    examples,
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
      const gatewayThreads = gatewayThreadsOf(specs, values.gatewayThreads);
      const { plans, largest } = broadcastPlans({ ...values, gatewayThreads }, sizes);
      await checkBroadcastLimits(largest);
      const servers = specs.map(({ label }) => label);
      return {
        options: { ...largest, users: sizes, targets: servers, passes: times, cores },
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
            title: `${servers.join(", ")} side by side`,
            subtitle: applying(
              "the same members, messages, clock and machine, in turns",
              messagesText(largest),
              cores === undefined
                ? `all ${count(os.availableParallelism(), "core")}`
                : `each server on ${count(cores, "core")}`,
              gatewayThreads !== undefined && `fanfare: ${count(gatewayThreads, "gateway thread")}`,
            ),
            ...found,
            metrics: [...found.metrics, ...ratiosToFirst(found.metrics)],
          };
        },
      };
    },
  });

export const limits = comparison({
  name: "limits",
  describe: "Several servers in turns, as ratios; by default Fanfare, bare Socket.IO and bare ws",
  targets: "fanfare,socket.io,ws",
  users: "1000",
  burst: "20,100",
  passes: 3,
  examples: [
    ["$0 limits --users 10000", "three servers, three passes each: some minutes"],
    ["$0 limits --targets fanfare,tailchat=http://127.0.0.1:11000", "beside a running server"],
    ["$0 limits -u 1000 --threshold 'medianMsRatio[to=socket.io]<0.75'", "for CI: exit code 99 if slower"],
  ],
});

export const versus = comparison({
  name: "versus",
  describe: "Five kinds of server in turns, as ratios, with 100, 1,000 and 5,000 members",
  targets: "fanfare,fanfare:0,socket.io,socket.io:2,ws",
  users: "100,1000,5000",
  burst: "100",
  passes: 2,
  examples: [
    ["$0 versus", "Fanfare with and without gateway threads, Socket.IO in one and two processes, ws"],
    ["$0 versus --targets fanfare,tailchat=http://127.0.0.1:11000 -u 100,500", "beside a running Tailchat"],
  ],
});

/** The first server divided by each other one, over all passes. */
export function ratiosToFirst(all: readonly Metric[]): Metric[] {
  const metrics = overPasses(all);
  const [server = "", ...others] = serversOf(metrics);
  return others.flatMap((to) => ratios(metrics, RATIOS, { server, to }));
}

import os from "node:os";
import { usageError } from "../cli/exit.ts";
import { integer, integers, MOST_USERS, text, USERS_OPTION } from "../cli/options.ts";
import { scenario, type PlannedRun, type RunContext } from "../cli/scenario.ts";
import {
  broadcastPlans,
  checkBroadcastLimits,
  REPEATED_MESSAGE_OPTIONS,
  type MessageValues,
} from "../kernels/broadcast/broadcast-plan.ts";
import { applying, count } from "../report/format.ts";
import { overPasses, ratios, serversOf, type Metric, type MetricName } from "../report/metric.ts";
import { BROADCAST_METRICS } from "./broadcast-outcome.ts";
import { passesOption, serverSpecs, sideBySide, type ServerSpec } from "./contestants.ts";

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

export const limits = scenario({
  name: "limits",
  describe: "Servers side by side, by default the platform, bare Socket.IO and bare ws",
  metrics: BROADCAST_METRICS,
  ratios: RATIOS,
  options: {
    ...REPEATED_MESSAGE_OPTIONS,
    users: USERS_OPTION,
    passes: passesOption(3),
    targets: text("Server", "Servers to measure, in this order; a running one is written as name=URL", {
      default: "fanfare,socket.io,ws",
    }),
  },
  examples: [
    ["$0 limits --users 10000", "three servers, three passes each: some minutes"],
    ["$0 limits --targets fanfare,tailchat=http://127.0.0.1:11000", "beside a running server"],
    ["$0 limits -u 1000 --threshold 'medianMsRatio[to=socket.io]<0.75'", "for CI: exit code 99 if slower"],
  ],
  plan({ targets, users, ...values }) {
    return planComparison(serverSpecs("targets", targets), { ...values, users: [users] });
  },
});

export const versus = scenario({
  name: "versus",
  describe: "Fanfare and other servers on the same machine, in turns, with 100, 1,000 and 5,000 members",
  metrics: BROADCAST_METRICS,
  ratios: RATIOS,
  options: {
    ...REPEATED_MESSAGE_OPTIONS,
    burst: { ...REPEATED_MESSAGE_OPTIONS.burst, default: "100" },
    users: integers("Receivers", "Numbers of members online", [1, MOST_USERS], {
      default: "100,1000,5000",
      alias: "u",
    }),
    servers: text(
      "Server",
      "Servers in this order: fanfare:N has N gateway threads, socket.io:N N processes, and name=URL is already running",
      { default: "fanfare,fanfare:0,socket.io,socket.io:2,ws" },
    ),
    passes: passesOption(2),
    cores: integer(
      "Server",
      "Pin each server that is started to this many cores; default: all of the machine",
      [1, os.availableParallelism()],
    ),
  },
  examples: [
    ["$0 versus", "Fanfare with and without gateway threads, Socket.IO in one and two processes, ws"],
    ["$0 versus --servers fanfare,tailchat=http://127.0.0.1:11000 -u 100,500", "beside a running Tailchat"],
  ],
  plan({ servers, ...values }) {
    if (values.cores !== undefined && process.platform !== "linux")
      throw usageError("--cores needs taskset, which only Linux has.");
    return planComparison(serverSpecs("servers", servers), values);
  },
});

interface Comparison extends MessageValues {
  /** Servers take turns at each of these numbers of members. */
  users: readonly number[];
  passes: number;
  /** Of each server that is started; default: all. */
  cores?: number;
}

async function planComparison(
  specs: readonly ServerSpec[],
  { users, passes, cores, ...values }: Comparison,
): Promise<PlannedRun> {
  const { plans, largest } = broadcastPlans(values, users);
  await checkBroadcastLimits(largest);
  const servers = specs.map(({ label }) => label);
  return {
    options: { ...largest, users, servers, passes, cores },
    async measure(context: RunContext) {
      const pinning = cores === undefined ? undefined : `0-${cores - 1}`;
      const groups = plans.map((plan) =>
        specs.map((spec) => ({ spec, plan, labels: { server: spec.label }, cores: pinning })),
      );
      const found = await sideBySide(context, passes, groups);
      return {
        title: `${servers.join(", ")} side by side`,
        subtitle: applying(
          "the same members, messages, clock and machine, in turns",
          cores === undefined
            ? `all ${count(os.availableParallelism(), "core")}`
            : `each server on ${count(cores, "core")}`,
          specs.some(({ name }) => name === "fanfare") &&
            `fanfare: ${count(largest.gatewayThreads!, "gateway thread")} unless written as fanfare:N`,
        ),
        ...found,
        metrics: [...found.metrics, ...ratiosToFirst(found.metrics)],
      };
    },
  };
}

/** The first server divided by each other one, over all passes. */
export function ratiosToFirst(all: readonly Metric[]): Metric[] {
  const metrics = overPasses(all);
  const [server = "", ...others] = serversOf(metrics);
  return others.flatMap((to) => ratios(metrics, RATIOS, { server, to }));
}
